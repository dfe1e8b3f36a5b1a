#include "solvers/momentum.hpp"

#include <gtest/gtest.h>

#include "solvers/nlgs.hpp"
#include "unit/solvers/dense_problems.hpp"

namespace grus::momentum_test {
namespace {

TEST(MomentumControl, FollowsNesterovWhileIncrementsFall) {
  MomentumControl control;
  Real theta = 1.0, increment = 1.0;
  for (int k = 0; k < 12; ++k) {
    const Real following = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta * theta));
    EXPECT_EQ(control.next(increment), (theta - 1.0) / following) << k;
    theta = following;
    increment *= 0.9;
  }
  for (int k = 0; k < 1000; ++k) EXPECT_LE(control.next(increment), 0.9);
}

TEST(MomentumControl, StartsAgainWithLessWhenIncrementsGrow) {
  MomentumControl control;
  Real highest = 0.0;
  for (int k = 0; k < 50; ++k) highest = control.next(1.0);
  EXPECT_NEAR(highest, 0.9, 1e-12);
  EXPECT_EQ(control.next(2.0), 0.0);
  EXPECT_EQ(control.next(2.0), 0.0);  // a plain sweep, as nothing was won
  EXPECT_EQ(control.next(2.0), 0.0);  // theta is 1 again
  Real again = 0.0;
  for (int k = 0; k < 20; ++k) again = std::max(again, control.next(2.0));
  EXPECT_GT(again, 0.5);
  EXPECT_LT(again, highest);
}

TEST(MomentumControl, StopsAtNotANumber) {
  MomentumControl control;
  for (int k = 0; k < 5; ++k) control.next(1.0);
  EXPECT_EQ(control.next(std::numeric_limits<Real>::quiet_NaN()), 0.0);
}

// A sweep on two impulses that turns as it contracts, r <- c + 0.97 R r: from the kind of unsymmetric maps that
// friction makes. The velocity is a linear function of the impulses.
struct TurningSweep {
  Vec2 r = Vec2::Zero();
  Real v = 0.0;
  static constexpr Real angle = 1.2;

  static Real velocity_of(const Vec2& r) { return 1.0 + 3.0 * r[0] - 2.0 * r[1]; }
  static Vec2 swept(const Vec2& r) {
    return Vec2(1, 2) + 0.97 * Vec2(std::cos(angle) * r[0] - std::sin(angle) * r[1],
                                    std::sin(angle) * r[0] + std::cos(angle) * r[1]);
  }
  Real sweep() {
    const Vec2 old = r;
    r = swept(old);
    v += velocity_of(r) - velocity_of(old);
    return (r - old).squaredNorm();
  }
  Index impulse_size() const { return 2; }
  Index velocity_size() const { return 1; }
  template <class Run>
  void impulse_runs(const Run& run) {
    run(r.data(), Index{2}, Index{0});
  }
  template <class Run>
  void velocity_runs(const Run& run) {
    run(&v, Index{1}, Index{0});
  }
};

TEST(Momentum, IsGuardedWhereItAloneDiverges) {
  const auto distance_after = [](int sweeps, auto&& coefficient) {
    TurningSweep sweeper;
    sweeper.v = TurningSweep::velocity_of(sweeper.r);
    MomentumScratch last;
    for (int k = 0; k < sweeps; ++k) {
      const Real increment = sweeper.sweep();
      extrapolate(sweeper, k == 0 ? 0.0 : coefficient(increment), last);
      // v and r never part, whatever was extrapolated
      EXPECT_NEAR(sweeper.v, TurningSweep::velocity_of(sweeper.r), 1e-12 * (1.0 + sweeper.r.norm()) * (k + 1));
    }
    return (TurningSweep::swept(sweeper.r) - sweeper.r).norm();
  };
  const Real start = TurningSweep::swept(Vec2::Zero()).norm();
  const Real plain = distance_after(400, [](Real) { return 0.0; });
  EXPECT_LT(plain, 1e-4 * start);
  EXPECT_GT(distance_after(400, [](Real) { return 0.9; }), 1e10 * start);
  MomentumControl control;
  EXPECT_LT(distance_after(600, [&](Real increment) { return control.next(increment); }), 1e-4 * start);
}

TEST(Momentum, ReachesTheSolutionOfPlainSweeps) {
  // of problems with one solution only: little friction, few contacts
  constexpr Real tight = 1e-12, agreement = 1e-8;
  for (const int dimension : {2, 3}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const ContactProblem problem =
          testing::random_dense_problem({.contacts = {dimension, 20, 14, 0.1, seed}, .dense = 2, .rows = 3});
      NlgsScratch scratch;
      ContactSolution plain, accelerated;
      const NlgsOptions options{.tolerance = tight, .max_iterations = 50000};
      NlgsOptions without = options;
      without.accelerated = false;
      EXPECT_TRUE(solve_nlgs(problem, plain, scratch, without, Parallel(1)).converged);
      EXPECT_TRUE(solve_nlgs(problem, accelerated, scratch, options, Parallel(1)).converged);
      for (std::size_t i = 0; i < plain.velocity.size(); ++i)
        EXPECT_NEAR(accelerated.velocity[i], plain.velocity[i], agreement) << dimension << " " << seed;
    }
  }
}

TEST(Momentum, SavesSweepsOnBeds) {
  for (const bool rough : {false, true}) {
    const ContactProblem problem = testing::bed_problem({.side = 8, .layers = 8, .rough = rough});
    const auto sweeps = [&](bool accelerated) {
      NlgsScratch scratch;
      ContactSolution solution;
      const NlgsOptions options{.tolerance = 1e-4, .max_iterations = 5000, .accelerated = accelerated};
      const SolveReport report = solve_nlgs(problem, solution, scratch, options, Parallel(1));
      EXPECT_TRUE(report.converged) << report.residual;
      return report.iterations;
    };
    EXPECT_LE(2 * sweeps(true), sweeps(false)) << rough;
  }
}

}  // namespace
}  // namespace grus::momentum_test
