#include "solvers/local/local_solver.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "solvers/local/diagonal.hpp"
#include "solvers/local/planar.hpp"
#include "unit/solvers/problems.hpp"

namespace grus::local_solver_test {
namespace {

constexpr int trials = 100'000;

// Of the largest term of u = W r + q, component by component, so that it means the same for any scaling of W. Cofactors
// and cancellation lose some of 16 digits when W is close to singular.
constexpr Real law_tolerance = 1e-8;
// The cone itself is kept to rounding.
constexpr Real cone_tolerance = 1e-14;

Mat3 dense(const SymMat3& w) {
  Mat3 m;
  m << w.xx, w.xy, w.xz, w.xy, w.yy, w.yz, w.xz, w.yz, w.zz;
  return m;
}

// How far (u = W r + q, r) is from Signorini-Coulomb, relative to the terms of u. Written from the law, not from the
// projection that the solvers use.
Real law_violation(const SymMat3& w, const Vec3& q, Real mu, const Vec3& r) {
  const Vec3 u = dense(w) * r + q;
  const Vec3 size = dense(w).cwiseAbs() * r.cwiseAbs() + q.cwiseAbs();
  const auto relative = [](Real x, Real scale) { return scale > 0.0 ? x / scale : x; };
  if (r == Vec3::Zero()) return std::max(0.0, relative(-u[0], size[0]));
  Real worst = relative(std::abs(u[0]), size[0]);
  const Real tangential = std::hypot(r[1], r[2]), size_t = std::max(size[1], size[2]);
  if (mu == 0.0) return worst;
  const Real sticking = relative(std::hypot(u[1], u[2]), size_t);
  if (tangential < (1.0 - 1e-9) * mu * r[0]) return std::max(worst, sticking);
  const Real d1 = r[1] / tangential, d2 = r[2] / tangential;
  const Real across = std::abs(d1 * u[2] - d2 * u[1]), along = std::max(0.0, d1 * u[1] + d2 * u[2]);
  return std::max(worst, std::min(sticking, relative(std::hypot(across, along), size_t)));
}

void expect_in_cone(const Vec3& r, Real mu) {
  EXPECT_GE(r[0], 0.0);
  EXPECT_LE(std::hypot(r[1], r[2]), (1.0 + cone_tolerance) * mu * r[0]);
}

struct Case {
  SymMat3 w;
  Vec3 q, guess;
  Real mu;
};

SymMat3 symmetric(const Mat3& m) {
  SymMat3 w;
  w.xx = m(0, 0), w.xy = m(0, 1), w.xz = m(0, 2), w.yy = m(1, 1), w.yz = m(1, 2), w.zz = m(2, 2);
  return w;
}

Real random_friction(Random& random) {
  constexpr std::array<Real, 4> tops{0.0, 0.5, 1.5, 10.0};
  return random.uniform(0.0, tops[random.below(tops.size())]);
}

// W = B B^T with `rank` columns, rows scaled by powers of ten up to 10^spread, all by up to 10^9.
Case random_case(Random& random, int rank, Real spread) {
  Eigen::Matrix<Real, 3, Eigen::Dynamic> b(3, rank);
  for (int i = 0; i < 3; ++i) {
    const Real scale = std::pow(10.0, random.uniform(-spread, spread));
    for (int j = 0; j < rank; ++j) b(i, j) = scale * random.normal();
  }
  const Mat3 w = std::pow(10.0, random.uniform(-9.0, 9.0)) * b * b.transpose();
  Case c;
  c.w = symmetric(w);
  c.mu = random_friction(random);
  // A velocity that some impulse can make, plus a separating one: then a solution exists even when W is singular.
  c.q = w * testing::normal_vector(random);
  c.q[0] += random.uniform() * std::sqrt(w(0, 0)) * std::sqrt(w(0, 0));
  c.guess = random.below(2) == 0 ? Vec3::Zero() : project_on_cone(testing::normal_vector(random), c.mu);
  return c;
}

void check_law(int rank, Real spread, std::uint64_t seed) {
  Random random(seed);
  int failed = 0;
  for (int i = 0; i < trials; ++i) {
    const Case c = random_case(random, rank, spread);
    const Vec3 r = local::solve_local(c.w, c.q, c.mu, c.guess);
    expect_in_cone(r, c.mu);
    const Real violation = law_violation(c.w, c.q, c.mu, r);
    if (violation <= law_tolerance) continue;
    if (++failed <= 3) {
      ADD_FAILURE() << "violation " << violation << " mu " << c.mu << "\nW\n"
                    << dense(c.w) << "\nq " << c.q.transpose() << "\nr " << r.transpose();
    }
  }
  EXPECT_EQ(failed, 0);
}

TEST(LocalSolver, ObeysTheLaw) { check_law(6, 0.0, 11); }
TEST(LocalSolver, ObeysTheLawWhenStronglyCoupled) { check_law(3, 0.0, 12); }
TEST(LocalSolver, ObeysTheLawWhenBadlyScaled) { check_law(4, 1.5, 13); }
TEST(LocalSolver, ObeysTheLawWhenSingular) {
  check_law(2, 0.0, 14);
  check_law(1, 0.0, 15);
}

// The three sliding solvers, each on its own, on problems that slide.
TEST(SlidingAngle, FindsTheRootAloneAndAgreesWithBothNewtons) {
  Random random(21);
  int sliding = 0, newton = 0, angle = 0;
  for (int i = 0; i < trials; ++i) {
    Case c = random_case(random, 6, 0.0);
    c.mu = random.uniform(0.01, 0.4);
    Vec3 stick;
    ASSERT_TRUE(local::sticking_impulse(c.w, c.q, stick));
    if (c.q[0] >= 0.0 || std::hypot(stick[1], stick[2]) <= c.mu * stick[0]) continue;
    ++sliding;
    const Vec3 safe = local::solve_sliding_angle(c.w, c.q, c.mu, Vec3::Zero());
    ASSERT_LE(law_violation(c.w, c.q, c.mu, safe), law_tolerance);
    // With little friction the solution is unique.
    const bool unique = c.mu * std::hypot(c.w.xy, c.w.xz) < 0.3 * c.w.xx;
    const auto expect_same = [&](const Vec3& r) {
      EXPECT_LE(law_violation(c.w, c.q, c.mu, r), law_tolerance);
      expect_in_cone(r, c.mu);
      EXPECT_TRUE(!unique || (safe - r).norm() <= 1e-9 * safe.norm());
    };
    Vec3 r = c.guess;
    if (local::solve_alart_curnier(c.w, c.q, c.mu, r)) {
      ++newton;
      expect_same(r);
    }
    r = c.guess;
    if (local::newton_sliding_angle(c.w, c.q, c.mu, r)) {
      ++angle;
      expect_same(r);
    }
  }
  EXPECT_GT(sliding, trials / 10);
  // The fast ones carry the load: the safe one is for the few.
  EXPECT_GT(angle, sliding * 80 / 100);
  EXPECT_GT(newton, sliding * 95 / 100);
}

// Brute force: every direction of sliding on a fine circle; no better candidate than the solver's may exist.
TEST(LocalSolver, IsNotBeatenByASearchOverDirections) {
  Random random(31);
  for (int i = 0; i < 1000; ++i) {
    const Case c = random_case(random, 4, 0.0);
    if (c.q[0] >= 0.0) continue;
    const Real rho = 3.0 / trace(c.w);
    const auto defect = [&](const Vec3& r) { return natural_map(r, c.w * r + c.q, c.mu, rho).norm(); };
    const Vec3 r = local::solve_local(c.w, c.q, c.mu, c.guess);
    Real best = std::numeric_limits<Real>::infinity();
    for (int k = 0; k < 720; ++k) {
      const Real phi = k * std::numbers::pi / 360.0, d1 = std::cos(phi), d2 = std::sin(phi);
      const Real coupling = c.w.xx + c.mu * (c.w.xy * d1 + c.w.xz * d2);
      if (coupling <= 0.0) continue;
      best = std::min(best, defect(-c.q[0] / coupling * Vec3(1.0, c.mu * d1, c.mu * d2)));
    }
    EXPECT_LE(defect(r), best + 1e-9 * r.norm());
  }
}

TEST(Diagonal, EqualsTheGeneralSolver) {
  Random random(41);
  for (int i = 0; i < trials; ++i) {
    SymMat3 w;
    w.xx = std::pow(10.0, random.uniform(-6.0, 6.0));
    w.yy = w.zz = w.xx * std::pow(10.0, random.uniform(-1.0, 1.0));
    const Real mu = random_friction(random);
    const Vec3 q = w.xx * testing::normal_vector(random);
    Real normal = -q[0] / w.xx;
    Vec2 tangent = -q.tail<2>() / w.yy;
    local::solve_diagonal(normal, tangent, mu);
    const Vec3 r(normal, tangent[0], tangent[1]);
    ASSERT_LE(law_violation(w, q, mu, r), law_tolerance);
    expect_in_cone(r, mu);
    const Vec3 general = local::solve_local(w, q, mu, Vec3::Zero());
    ASSERT_LE((r - general).norm(), 1e-11 * r.norm());
  }
}

TEST(Planar, ObeysTheLaw) {
  Random random(51);
  for (const int rank : {1, 2, 4}) {
    for (int i = 0; i < trials; ++i) {
      Case c = random_case(random, rank, rank == 1 ? 0.0 : 1.5);
      c.w.xz = c.w.yz = c.w.zz = 0.0;
      c.q[2] = 0.0;
      const Vec2 planar = local::solve_planar({c.w.xx, c.w.xy, c.w.yy}, c.q.head<2>(), c.mu);
      const Vec3 r(planar[0], planar[1], 0.0);
      ASSERT_LE(law_violation(c.w, c.q, c.mu, r), law_tolerance)
          << "rank " << rank << " mu " << c.mu << "\n"
          << dense(c.w) << "\nq " << c.q.transpose() << "\nr " << r.transpose();
      expect_in_cone(r, c.mu);
    }
  }
}

// Painleve's situation: pressing harder in one direction of sliding does not stop the approach.
TEST(Planar, TakesTheOtherBranchWhenOneHasNoSolution) {
  const local::PlanarDelassus w{1.0, 0.9, 1.0};
  const Real mu = 2.0;  // W_NN - mu W_NT < 0: no slip towards -T
  const Vec2 q(-1.0, 0.5);
  const Vec2 r = local::solve_planar(w, q, mu);
  const Vec2 u(w.nn * r[0] + w.nt * r[1] + q[0], w.nt * r[0] + w.tt * r[1] + q[1]);
  EXPECT_GT(r[0], 0.0);
  EXPECT_LE(std::abs(r[1]), mu * r[0]);
  EXPECT_NEAR(u.norm(), 0.0, 1e-13);
}

// A loop without end would run into the suite's time limit.
TEST(LocalSolver, ReturnsOnNotANumber) {
  SymMat3 w;
  w.xx = w.yy = w.zz = 1.0;
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  local::solve_local(w, Vec3(nan, nan, nan), 0.5, Vec3::Zero());
  local::solve_local(w, Vec3(-1.0, nan, 0.0), 0.5, Vec3(nan, 0.0, 0.0));
  w.xx = nan;
  local::solve_local(w, Vec3(-1.0, 3.0, 0.0), 0.5, Vec3::Zero());
}

}  // namespace
}  // namespace grus::local_solver_test
