// Masonry: towers, pyramids and arches stand or fall where statics says so.
//
//   semicircular arch of thickness t, mean radius R: stands for t/R > 0.1075 (Milankovitch 1907, Heyman 1969), and for
//   friction above about 0.31 (sliding at the springings and haunches)
//   block of width w and height h on an incline: slides for tan(a) > mu, tips for tan(a) > w/h
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "math/rotation.hpp"
#include "model/convex_hull.hpp"
#include "support/rig.hpp"

namespace grus::testing::stacks_test {
namespace {

constexpr Real g = 9.81;
constexpr Real density = 1000.0;  // of bare_spec
// What counts as still, of the size of a block: the gap law at theta = 1 leaves contacts within the solver's tolerance
// of g h^2, about 1e-4 of a block, in every step, and must not let that add up.
constexpr Real still = 2e-3;

// A step of 5 ms and a tolerance that an engineer would take: towers must stand at those.
Spec masonry_spec(Real friction) {
  Spec spec = bare_spec(5e-3, friction, 0.0);
  spec.law = ContactLawKind::gap;
  spec.integrator.theta = 1.0;
  spec.gravity = Vec3(0, 0, -g);
  spec.solver.tolerance = 1e-6;
  spec.solver.max_iterations = 2000;
  return spec;
}

void tilt(Spec& spec, Real slope) {
  const Real angle = std::atan(slope);
  spec.gravity = g * Vec3(std::sin(angle), 0, -std::cos(angle));
}

// Bodies of any convex shape: in the Spec a box of the right mass stands for each, in the Model its hull.
struct Masonry {
  Spec spec;
  std::vector<ConvexHull> hulls;  // of bodies, in the order of the Spec

  explicit Masonry(Real friction) : spec(masonry_spec(friction)) { add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1)); }

  BodySpec& add(const std::vector<Vec3>& points, Real mass_factor = 1.0) {
    hulls.push_back(std::get<ConvexHull>(convex_hull(points)));
    const ConvexHull& hull = hulls.back();
    BodySpec& body = add_body(spec, box_shape(Vec3::Constant(hull.polyhedron.bound_radius)), hull.center);
    body.mass = mass_factor * density * hull.integrals.volume;
    body.inertia = Mat3(mass_factor * density * hull.integrals.inertia);
    body.center_of_mass = Vec3::Zero();
    return body;
  }

  BodySpec& add_block(const Vec3& low, const Vec3& size, Real mass_factor = 1.0) {
    std::vector<Vec3> points;
    for (int i = 0; i < 8; ++i) points.push_back(low + size.cwiseProduct(Vec3(i & 1, i >> 1 & 1, i >> 2)));
    return add(points, mass_factor);
  }

  // A rig in which the boxes are polyhedra.
  Rig rig() const {
    Rig rig(spec);
    Model& model = rig.scene.model;
    for (Collider& c : model.colliders) {
      if (c.kind != ShapeKind::box) continue;
      c.kind = ShapeKind::polyhedron;
      c.geometry = static_cast<Index>(model.polyhedra.size());
      c.bound_radius = hulls[model.polyhedra.size()].polyhedron.bound_radius;
      model.polyhedra.push_back(hulls[model.polyhedra.size()].polyhedron);
    }
    return rig;
  }
};

Real largest_shift(const Rig& rig, const State& from) {
  Real most = 0.0;
  for (std::size_t i = 0; i < from.position.size(); ++i)
    most = std::max(most, (rig.state.position[i] - from.position[i]).norm());
  return most;
}

// How far any block moved in the given time.
Real shift_after(const Masonry& masonry, Real duration) {
  Rig rig = masonry.rig();
  const State start = rig.state;
  rig.run(duration);
  return largest_shift(rig, start);
}

Masonry tower(int height, Real friction) {
  Masonry masonry(friction);
  for (int i = 0; i < height; ++i) masonry.add_block(Vec3(0, 0, 0.1 * i), Vec3::Constant(0.1));
  return masonry;
}

TEST(Stacks, TowerOfTwentyStandsStill) { EXPECT_LT(shift_after(tower(20, 0.6), 10.0), still * 0.1); }

TEST(Stacks, TowerToplesWhenTheGroundTiltsPastItsTippingAngle) {
  const Real tipping = 1.0 / 6.0;  // width over height
  for (const Real part : {0.9, 1.1}) {
    Masonry masonry = tower(6, 0.8);
    tilt(masonry.spec, part * tipping);
    const Real shift = shift_after(masonry, 2.0);
    if (part < 1.0) {
      EXPECT_LT(shift, still * 0.1);
    } else {
      EXPECT_GT(shift, 0.1);
    }
  }
}

TEST(Stacks, PyramidOfCubesStandsWithAndWithoutFriction) {
  for (const Real friction : {0.6, 0.0}) {
    Masonry masonry(friction);
    // cubes of a layer do not touch, so nothing pushes them apart
    const int layers = 6;
    for (int layer = 0; layer < layers; ++layer)
      for (int i = 0; i < layers - layer; ++i)
        masonry.add_block(Vec3(0.11 * (i + 0.5 * layer), 0, 0.1 * layer), Vec3::Constant(0.1));
    // without friction nothing brings back what an error of the solver moves: 5e-6 g of drift at 1e-6
    if (friction == 0.0) masonry.spec.solver.tolerance = 1e-9;
    EXPECT_LT(shift_after(masonry, 10.0), still * 0.1) << "friction " << friction;
  }
}

// Voussoirs of a semicircle about the y axis, standing on the ground.
std::vector<Vec3> voussoir(Real radius, Real thickness, int index, int count) {
  std::vector<Vec3> points;
  for (const int side : {index, index + 1})
    for (const Real r : {radius - 0.5 * thickness, radius + 0.5 * thickness})
      for (const Real y : {-0.15, 0.15}) {
        const Real angle = std::numbers::pi * side / count;
        points.emplace_back(r * std::cos(angle), y, r * std::sin(angle));
      }
  return points;
}

Masonry arch(Real thickness, Real friction) {
  constexpr int count = 15;
  Masonry masonry(friction);
  for (int i = 0; i < count; ++i) masonry.add(voussoir(1.0, thickness, i, count));
  return masonry;
}

TEST(Stacks, ArchStandsOrFallsByThicknessAndFriction) {
  EXPECT_LT(shift_after(arch(0.2, 0.6), 10.0), still * 0.2);
  EXPECT_GT(shift_after(arch(0.2, 0.2), 2.0), 0.2) << "slides";
  EXPECT_GT(shift_after(arch(0.09, 0.6), 4.0), 0.2) << "hinges";
}

TEST(Stacks, CubeOnAnInclineSlidesAndTipsAtTheKnownAngles) {
  const auto end = [](Real slope, Real friction) {
    Masonry masonry(friction);
    masonry.add_block(Vec3::Zero(), Vec3::Constant(0.1));
    tilt(masonry.spec, slope);
    Rig rig = masonry.rig();
    rig.run(1.0);
    return std::pair(rig.state.position[0].x() - 0.05, 2.0 * rig.state.rotation[0].vec().norm());
  };
  EXPECT_LT(end(0.38, 0.4).first, still * 0.1);
  // v = g (sin a - mu cos a) t, and the gap law takes the new velocity for the step: half a step more of way
  const Real angle = std::atan(0.5), way = 0.5 * g * (std::sin(angle) - 0.4 * std::cos(angle));
  EXPECT_NEAR(end(0.5, 0.4).first, way * (1.0 + 5e-3), 1e-3 * way);
  EXPECT_LT(end(0.5, 0.4).second, 1e-6) << "turned";
  EXPECT_LT(end(0.97, 2.0).second, 1e-3) << "tipped";
  // it leaves the edge of balance slowly: 0.24 rad after a second
  EXPECT_GT(end(1.03, 2.0).second, 0.1) << "did not tip";
}

TEST(Stacks, HeavyBlockDoesNotSinkIntoALightOne) {
  Masonry masonry(0.6);
  masonry.add_block(Vec3::Zero(), Vec3::Constant(0.1));
  masonry.add_block(Vec3(0, 0, 0.1), Vec3::Constant(0.1), 1000.0);
  EXPECT_LT(shift_after(masonry, 2.0), still * 0.1);
}

}  // namespace
}  // namespace grus::testing::stacks_test
