// Kinematic walls as the step sees them: how far they reach, and motions that are not numbers.

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "core/error.hpp"
#include "core/random.hpp"
#include "support/rig.hpp"

namespace grus::testing::walls_test {
namespace {

TimeFunctionSpec function_of_time(const std::string& text) {
  TimeFunctionSpec function;
  function.expression = text;
  return function;
}

Spec grain_above_a_floor(Real x, Real gap, const MotionSpec& motion) {
  Spec spec = bare_spec(1e-3, 0.3, 0.0);
  spec.law = ContactLawKind::gap;
  spec.integrator.theta = 1.0;
  spec.gravity = Vec3(0, 0, -9.81);
  add_body(spec, sphere_shape(0.01), Vec3(x, 0, 0.01 + gap));
  BodySpec& floor = add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  floor.role = BodyRole::kinematic;
  floor.motion = motion;
  return spec;
}

// A floor that tilts up far from its axis meets the grain within one step, by a path of w h L: the gap law must see it
// come. What is left is the curvature of the path, (w h)^2 L/2 a step.
TEST(Walls, TiltingPlaneIsSeenFarFromItsAxis) {
  constexpr Real angle = 2e-3, distance = 2.0;  // rad per step, m
  MotionSpec motion;
  motion.angle = function_of_time("-2*t");
  motion.axis = Vec3(0, 1, 0);
  for (const Real gap : {0.030, 0.031, 0.032, 0.033}) {
    Rig rig(grain_above_a_floor(distance, gap, motion));
    int touching = 0;
    for (int k = 0; k < 20; ++k) {
      const StepReport& report = rig.step();
      touching += report.contacts;
      EXPECT_LE(report.penetration_max, touching * 0.51 * angle * angle * distance) << gap << " step " << k;
    }
    EXPECT_GT(touching, 10);
  }
}

// Turning about its own normal a plane comes no closer: a grain within that path takes no part.
TEST(Walls, SpinningPlaneReachesNoFarther) {
  MotionSpec motion;
  motion.angle = function_of_time("20*t");
  Rig rig(grain_above_a_floor(2.0, 0.03, motion));
  rig.step();
  EXPECT_EQ(rig.report.contacts, 0);
}

TEST(Walls, MotionMayBeginAtTimeZero) {
  MotionSpec motion;
  motion.displacement[2] = function_of_time("0.1*t^1.5");
  Rig rig(grain_above_a_floor(0.0, -1e-5, motion));
  rig.run(0.01);
  EXPECT_TRUE(std::isfinite(rig.state.energy.dissipated_contact));
  EXPECT_TRUE(std::isfinite(rig.state.energy.work_external()));
}

TEST(Walls, MotionThatIsNotANumberStopsTheRun) {
  MotionSpec motion;
  motion.displacement[2] = function_of_time("sqrt(0.005 - t)");
  Rig rig(grain_above_a_floor(0.0, 0.5, motion));
  EXPECT_THROW(rig.run(0.01), NumericalError);
}

// A floor of side 2 `half` about the origin: a grid whose inner vertices are shifted in its plane, diagonals at random.
std::shared_ptr<const TriangleMesh> random_floor(Random& random, int cells, Real half) {
  auto mesh = std::make_shared<TriangleMesh>();
  const Real cell = 2.0 * half / cells;
  for (int j = 0; j <= cells; ++j)
    for (int i = 0; i <= cells; ++i) {
      const bool inner = i > 0 && j > 0 && i < cells && j < cells;
      const Real shift = inner ? 0.3 * cell : 0.0;
      mesh->vertices.emplace_back(i * cell - half + random.uniform(-shift, shift),
                                  j * cell - half + random.uniform(-shift, shift), 0.0);
    }
  for (Index j = 0; j < cells; ++j)
    for (Index i = 0; i < cells; ++i) {
      const Index v00 = j * (cells + 1) + i, v10 = v00 + 1, v01 = v00 + cells + 1, v11 = v01 + 1;
      const bool rising = random.below(2) == 0;
      mesh->triangles.push_back(rising ? std::array{v00, v10, v11} : std::array{v00, v10, v01});
      mesh->triangles.push_back(rising ? std::array{v00, v11, v01} : std::array{v10, v11, v01});
    }
  mesh->object_begin.push_back(static_cast<Index>(mesh->triangles.size()));
  mesh->object_name.emplace_back();
  return mesh;
}

// Over the seams of a flat mesh a body slides, spins and rolls as over a plane: triangles differ in the points they
// find, not in the wrench these can carry. What is left are the tolerance of the solver and which points carry a
// corner.
TEST(Walls, SlidingOverAFlatMeshIsSlidingOverAPlane) {
  constexpr Real friction = 0.3, speed = 1.5, slope = 0.2;  // -, m/s, rad
  Random random(61);
  const std::shared_ptr<const TriangleMesh> mesh = random_floor(random, 24, 1.5);
  ShapeSpec stone;
  stone.kind = ShapeKind::polyhedron;
  stone.points = {{-0.1, -0.06, -0.04}, {0.1, -0.06, -0.04}, {0.1, 0.06, -0.04}, {-0.1, 0.06, -0.04},
                  {-0.05, -0.04, 0.04}, {0.05, -0.04, 0.04}, {0.05, 0.04, 0.04}, {-0.05, 0.04, 0.04}};
  const Quat tilt(Eigen::AngleAxis<Real>(slope, Vec3::UnitY()));
  for (const auto& [shape, height] : {std::pair(stone, 0.04), std::pair(box_shape(Vec3(0.2, 0.12, 0.08)), 0.04),
                                      std::pair(sphere_shape(0.05), 0.05)}) {
    const auto slide = [&, h = height, s = shape](bool on_mesh) {
      Spec spec = bare_spec(1e-3, friction, 0.0);
      spec.law = ContactLawKind::gap;
      spec.integrator.theta = 1.0;
      spec.gravity = Vec3(0, 0, -9.81);
      BodySpec& body = add_body(spec, s, tilt * Vec3(-1.0, 0.1, h), tilt * Vec3(speed, -0.2, 0));
      body.rotation = tilt;
      ShapeSpec wall;
      wall.kind = on_mesh ? ShapeKind::triangle : ShapeKind::plane;
      wall.mesh = on_mesh ? mesh : nullptr;
      wall.mesh_use = MeshUse::wall;
      BodySpec& floor = add_body(spec, wall, Vec3::Zero());
      floor.role = BodyRole::fixed;
      floor.rotation = tilt;
      auto rig = std::make_unique<Rig>(spec);
      rig->run(0.5);
      return rig;
    };
    const auto plane = slide(false), triangles = slide(true);
    const Vec3 path = tilt.conjugate() * (plane->state.position[0] - tilt * Vec3(-1.0, 0.1, height));
    EXPECT_GT(path.x(), 0.5) << "it crossed many seams";
    EXPECT_LT(path.x(), 1.8) << "it stayed on the floor";
    constexpr Real close = 1e-9;  // m, m/s: the solver stops at 1e-13
    EXPECT_LT((triangles->state.position[0] - plane->state.position[0]).norm(), close);
    EXPECT_LT((triangles->state.velocity[0] - plane->state.velocity[0]).norm(), close);
    EXPECT_LT((triangles->state.angular_velocity[0] - plane->state.angular_velocity[0]).norm(), close / height);
  }
}

TEST(Travel, BodyWithoutAShapeHasNone) {
  Spec spec = bare_spec(1e-3, 0.3, 0.0);
  BodySpec& body = add_body(spec, sphere_shape(1.0), Vec3::Zero(), Vec3(1, 0, 0));
  body.shapes.clear();
  body.mass = 1.0;
  body.inertia = Mat3::Identity();
  Rig rig(spec);
  rig.step();
  EXPECT_EQ(rig.report.travel_max, 0.0);
  EXPECT_EQ(rig.report.lost, 0);
}

}  // namespace
}  // namespace grus::testing::walls_test
