// A machine that stands on grains stands still: a trunk on four sprung legs in a tray, at the default settings of the
// solver. Steps that make one sweep from a guess within the tolerance let it sink by up to 1.4 mm in ten seconds.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "core/random.hpp"
#include "math/rotation.hpp"
#include "support/machine.hpp"

namespace grus::testing::standing_machine_test {
namespace {

constexpr Real little = 1e-4;                     // m
constexpr Real half_width = 0.22, grain = 0.035;  // m, of the tray and of a grain

// Boxes of all sizes: spheres without rolling resistance would roll on for a minute.
struct Ground {
  const char* name;
  Real thickness;  // of a box over its length
  bool stops;      // the legs have joint stops that are not reached
  std::uint64_t seed;
};

MechanismSpec walker(bool stops) {
  MechanismSpec mechanism;
  mechanism.name = "walker";
  LinkSpec& trunk = add_link(mechanism, "trunk", "ground", JointKind::free, Vec3(0, 0, 0.5), {});
  trunk.body.mass = 8.0;
  trunk.body.inertia = Mat3(Vec3(0.1, 0.1, 0.15).asDiagonal());
  for (int i = 0; i < 4; ++i) {
    const Vec3 corner(i % 2 == 0 ? 0.12 : -0.12, i < 2 ? 0.12 : -0.12, -0.1);
    CoordinateSpec slide = coordinate("slide");
    slide.forces.push_back(spring(2e4, 300.0));
    slide.forces.back().implicit = true;
    slide.forces.back().limit = 2000.0;
    if (stops) {
      slide.lower = -0.5;
      slide.upper = 0.5;
    }
    LinkSpec& leg = add_link(mechanism, "leg" + std::to_string(i), "trunk", JointKind::prismatic, corner, {slide});
    leg.joint.axis = Vec3(0, 0, 1);
    leg.body.mass = 0.3;
    leg.body.inertia = Mat3(1e-3 * Mat3::Identity());
    leg.body.shapes.push_back(sphere_shape(0.03));
  }
  return mechanism;
}

// Solver, contact and recovery as a scene has them that says nothing about them.
Spec scene_on(const Ground& ground) {
  Spec spec = bare_spec(2e-3, 0.7, 0.0);
  spec.solver = {};
  spec.contact = {};
  spec.materials[0].density = 2500.0;
  spec.gravity = Vec3(0, 0, -9.81);
  spec.integrator.theta = 1.0;
  spec.law = ContactLawKind::gap;
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  for (const Vec3& n : {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(0, 1, 0), Vec3(0, -1, 0)})
    add_plane(spec, -half_width * n, n);
  Random random(ground.seed);
  const int side = static_cast<int>(2.0 * half_width / (1.8 * grain));
  const Real apart = 2.0 * half_width / side;
  for (int i = 0; i < 3 * side * side; ++i) {
    const Vec3 at(apart * (i % side + 0.5) - half_width, apart * (i / side % side + 0.5) - half_width,
                  grain * (1.0 + 1.9 * (i / (side * side))));
    const Real size = random.uniform(0.7, 1.0) * grain;
    BodySpec& body = add_body(spec, box_shape(size * Vec3(1.0, random.uniform(0.6, 1.0), ground.thickness)), at);
    body.rotation = exp_rotation(Vec3(random.normal(), random.normal(), random.normal()));
  }
  spec.mechanisms.push_back(walker(ground.stops));
  return spec;
}

class StandingMachine : public ::testing::TestWithParam<Ground> {};

TEST_P(StandingMachine, MovesLessThanATenthOfAMillimetreInTenSeconds) {
  Rig rig(scene_on(GetParam()));
  Real worst = 0.0;
  int unconverged = 0;
  // How far the trunk moves in so many seconds, m.
  const auto moved_in = [&](Real duration) {
    const std::vector<Real> start = rig.state.joint_position;
    const Real end = rig.state.time + duration;
    Real moved = 0.0;
    while (rig.state.time < end) {
      const StepReport& report = rig.step();
      worst = std::max(worst, report.residual_mechanism);
      unconverged += report.converged ? 0 : 1;
      for (std::size_t k = 0; k < 3; ++k) moved = std::max(moved, std::abs(rig.state.joint_position[k] - start[k]));
    }
    return moved;
  };
  // It falls, slides, and comes to rest: it stands when it has stood for two seconds.
  rig.run(2.0);
  while (moved_in(2.0) > little && rig.state.time < 12.0) {
  }
  EXPECT_GT(rig.state.joint_position[2], -0.45) << "it does not stand on its legs";
  const Real moved = moved_in(10.0);
  RecordProperty("moved_um", static_cast<int>(1e6 * moved));
  EXPECT_LT(moved, little);
  EXPECT_LE(worst, *rig.scene.model.solver.machine_tolerance);
  EXPECT_EQ(unconverged, 0);
}

constexpr Ground grounds[] = {{"cubes1", 0.9, true, 1},   {"cubes2", 0.9, false, 2}, {"stones1", 0.7, true, 4},
                              {"stones2", 0.7, false, 5}, {"slabs1", 0.4, true, 6},  {"slabs2", 0.4, false, 7}};
INSTANTIATE_TEST_SUITE_P(Beds, StandingMachine, ::testing::ValuesIn(grounds),
                         [](const auto& ground) { return std::string(ground.param.name); });

}  // namespace
}  // namespace grus::testing::standing_machine_test
