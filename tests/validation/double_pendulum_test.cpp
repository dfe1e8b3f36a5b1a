// examples/double-pendulum against its two equations of motion, integrated here by Runge and Kutta's rule of fourth
// order: velocity-dependent forces at the midpoint velocity make the step second order, at the old velocity first.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "io/scene/scene.hpp"
#include "multibody/linked_bodies.hpp"
#include "support/paths.hpp"
#include "support/rig.hpp"

namespace grus::double_pendulum_test {
namespace {

constexpr Real end = 1.0;  // s; beyond, chaos multiplies every error by ten each second

// Angles of the rods from the vertical and their rates.
using Swing = std::array<Real, 4>;

// Two uniform rods of length l and equal mass, divided by m l^2:
//   4/3 a'' + c/2 b'' = -s/2 b'^2 - 3/2 g/l sin a,    c/2 a'' + 1/3 b'' = s/2 a'^2 - 1/2 g/l sin b
// with c, s = cos, sin(a - b).
Swing rates(const Swing& x) {
  constexpr Real g_by_l = 9.81 / 0.5;
  const auto [a, b, da, db] = x;
  const Real c = std::cos(a - b), s = std::sin(a - b);
  const Real f = -s / 2 * db * db - 1.5 * g_by_l * std::sin(a), g = s / 2 * da * da - 0.5 * g_by_l * std::sin(b);
  const Real determinant = 4.0 / 9.0 - c * c / 4;
  return {da, db, (f / 3 - c / 2 * g) / determinant, (4.0 / 3.0 * g - c / 2 * f) / determinant};
}

Swing moved(const Swing& x, Real h, const Swing& rate) {
  Swing y = x;
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += h * rate[k];
  return y;
}

Swing reference(int steps) {
  const Real h = end / steps;
  Swing x{2.0, 2.5, 0.0, 0.0};
  for (int k = 0; k < steps; ++k) {
    const Swing k1 = rates(x), k2 = rates(moved(x, h / 2, k1)), k3 = rates(moved(x, h / 2, k2)),
                k4 = rates(moved(x, h, k3));
    x = moved(moved(moved(moved(x, h / 6, k1), h / 3, k2), h / 3, k3), h / 6, k4);
  }
  return x;
}

struct Outcome {
  Real error;         // rad, of the two angles at the end
  Real energy_range;  // J
};

Outcome run(Real h, const std::string& bias, const Swing& answer) {
  testing::Rig rig(load_scene(std::string(GRUS_SOURCE_DIR) + "/examples/double-pendulum/double-pendulum.yaml",
                              {"time.step=" + std::to_string(h * 1e6) + "e-6", "integrator.bias=" + bias}));
  Real lowest = rig.energy(), highest = lowest;
  for (long long k = std::llround(end / h); k > 0; --k) {
    rig.step();
    lowest = std::min(lowest, rig.energy());
    highest = std::max(highest, rig.energy());
  }
  const Model& model = rig.scene.model;
  LinkedBodies linked;
  place_linked_bodies(model, rig.state, linked);
  const Real down = -std::numbers::pi / 2;
  const Real upper = linked.angle(model, model.dynamic_count) - down,
             lower = linked.angle(model, model.dynamic_count + 1) - down;
  return {std::hypot(upper - answer[0], lower - answer[1]), highest - lowest};
}

TEST(DoublePendulum, MidpointVelocitiesAreOfSecondOrderAndOldOnesOfFirst) {
  const Swing answer = reference(20000);
  {
    const Swing coarser = reference(10000);  // the reference itself is good to ten digits
    for (std::size_t k = 0; k < answer.size(); ++k) ASSERT_NEAR(answer[k], coarser[k], 1e-10);
  }
  // The angles that the checks of the scene name.
  EXPECT_NEAR(answer[0], -2.511951835, 1e-9);
  EXPECT_NEAR(answer[1] - answer[0], 1.673205733, 1e-9);

  const Outcome coarse = run(4e-4, "midpoint", answer), fine = run(2e-4, "midpoint", answer);
  EXPECT_NEAR(coarse.error / fine.error, 4.0, 0.2);
  EXPECT_NEAR(coarse.energy_range / fine.energy_range, 4.0, 0.2);
  EXPECT_LT(fine.error, 2e-6);

  const Real old_coarse = run(4e-4, "explicit", answer).error, old_fine = run(2e-4, "explicit", answer).error;
  EXPECT_NEAR(old_coarse / old_fine, 2.0, 0.2);
  EXPECT_GT(old_fine, 100 * fine.error);
}

}  // namespace
}  // namespace grus::double_pendulum_test
