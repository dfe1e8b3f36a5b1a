// A ball dropped on a fixed plane: impact times and apex heights against the closed form
//   t_1 = sqrt(2 H/g), t_{k+1} = t_k + 2 e^k sqrt(2 H/g), apex_k = e^{2k} H,
// converging at first order in h: impacts are found within one step.

#include <gtest/gtest.h>

#include <vector>

#include "support/rig.hpp"

namespace grus::testing::bouncing_ball_test {
namespace {

constexpr Real g = 9.81;
constexpr Real radius = 0.1;

struct Bounces {
  std::vector<Real> times;   // of impact
  std::vector<Real> apexes;  // after each impact
};

Bounces simulate(Real h, Real e, Real height, std::size_t count) {
  Spec spec = bare_spec(h, 0.0, e);
  spec.gravity = Vec3(0, 0, -g);
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  add_body(spec, sphere_shape(radius), Vec3(0, 0, radius + height));
  Rig rig(spec);
  Bounces bounces;
  Real apex = 0.0;
  while (bounces.apexes.size() < count) {
    rig.step();
    const bool impact = !rig.state.impulse.empty() && rig.state.impulse[0].norm() > 0.0;
    if (impact) {
      if (!bounces.times.empty()) bounces.apexes.push_back(apex);
      bounces.times.push_back(rig.state.time);
      apex = 0.0;
    }
    apex = std::max(apex, rig.state.position[0].z() - radius);
  }
  return bounces;
}

// Mean error over drops whose impacts fall on different parts of a step, so that the order is not hidden by luck.
struct Errors {
  Real time = 0.0, apex = 0.0;
};
Errors mean_errors(Real h, Real e) {
  constexpr int drops = 16;
  constexpr std::size_t bounces = 3;
  Errors errors;
  for (int k = 0; k < drops; ++k) {
    const Real height = 0.2 * (1.0 + 0.013 * k);
    const Bounces found = simulate(h, e, height, bounces);
    Real time = std::sqrt(2.0 * height / g), factor = 1.0;
    for (std::size_t i = 0; i < bounces; ++i) {
      errors.time += std::abs(found.times[i] - time);
      factor *= e;
      errors.apex += std::abs(found.apexes[i] - factor * factor * height);
      time += 2.0 * factor * std::sqrt(2.0 * height / g);
    }
  }
  errors.time /= drops * bounces;
  errors.apex /= drops * bounces;
  return errors;
}

class BouncingBall : public ::testing::TestWithParam<Real> {};

TEST_P(BouncingBall, TimesAndHeightsConvergeAtFirstOrder) {
  const Real e = GetParam();
  const Errors coarse = mean_errors(4e-4, e), fine = mean_errors(1e-4, e);
  // An impact is found within a step; the height error is at most the energy of one step's fall at the impact speed.
  EXPECT_LT(fine.time, 6.0 * 1e-4);
  EXPECT_LT(fine.apex, 3.0 * 1e-4 * std::sqrt(2.0 * g * 0.24));
  // Four times smaller steps: four times smaller errors, within the scatter of 48 impacts.
  EXPECT_GT(coarse.time / fine.time, 2.8);
  EXPECT_LT(coarse.time / fine.time, 5.6);
  if (e == 1.0) {
    // At theta = 1/2 flight and elastic impact keep the energy exactly: the heights are those of the drop.
    EXPECT_LT(coarse.apex, 1e-10);
    return;
  }
  EXPECT_GT(coarse.apex / fine.apex, 2.8);
  EXPECT_LT(coarse.apex / fine.apex, 5.6);
}

INSTANTIATE_TEST_SUITE_P(Restitution, BouncingBall, ::testing::Values(0.3, 0.9, 1.0));

TEST(BouncingBall, StaysWithoutRestitution) {
  for (const Real h : {4e-4, 1e-4}) {
    Spec spec = bare_spec(h, 0.0, 0.0);
    spec.gravity = Vec3(0, 0, -g);
    add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
    add_body(spec, sphere_shape(radius), Vec3(0, 0, radius + 0.2));
    Rig rig(spec);
    const Real impact_speed = std::sqrt(2.0 * g * 0.2);
    rig.run(0.5);
    EXPECT_NEAR(rig.state.velocity[0].z(), 0.0, 1e-12);
    // It stops within the step in which the gap in q_m is found closed.
    EXPECT_LE(std::abs(rig.state.position[0].z() - radius), impact_speed * h);
  }
}

// The gap law closes the gap exactly and does not bounce; the two-sided law at theta = 1/2 would come back
// to 3.7 cm.
TEST(BouncingBall, GapLawDoesNotRebound) {
  Spec spec = bare_spec(1e-3, 0.0, 0.0);
  spec.gravity = Vec3(0, 0, -g);
  spec.law = ContactLawKind::gap;
  spec.integrator.theta = 1.0;
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  add_body(spec, sphere_shape(0.01), Vec3(0, 0, 0.01 + 0.05));
  Rig rig(spec);
  Real lowest = 1.0;
  bool touched = false;
  Real rebound = 0.0;
  for (int k = 0; k < 1000; ++k) {
    rig.step();
    const Real gap = rig.state.position[0].z() - 0.01;
    lowest = std::min(lowest, gap);
    touched = touched || rig.state.velocity[0].z() > -1e-9;
    if (touched) rebound = std::max(rebound, gap);
  }
  EXPECT_TRUE(touched);
  EXPECT_GT(lowest, -1e-12);  // closed to rounding, never penetrated
  EXPECT_LT(rebound, 1e-9);
}

}  // namespace
}  // namespace grus::testing::bouncing_ball_test
