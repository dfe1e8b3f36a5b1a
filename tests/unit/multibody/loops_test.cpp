#include "multibody/loops.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <Eigen/Cholesky>

#include "multibody/dynamics.hpp"
#include "support/allocation_count.hpp"
#include "support/random_mechanism.hpp"

namespace grus::loops_test {
namespace {

using testing::Cut;

constexpr Real closure_tolerance = 1e-12;  // of the size, the promise of close_loops
constexpr Real e = 1e-5;                   // of central differences: 1e-10 times third derivatives

Eigen::VectorXd vector(const std::vector<Real>& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}
std::vector<Real> numbers(const Eigen::VectorXd& x) { return {x.data(), x.data() + x.size()}; }

Real bias_of(const JointCondition& condition, const MechanismKinematics& k) {
  const auto motion = [&](Index link) {
    if (link == no_index) return BodyMotion{};
    const auto i = static_cast<std::size_t>(link);
    return BodyMotion{k.X_WB[i], k.velocity[i], k.omega[i], k.bias_acceleration[i], k.bias_alpha[i]};
  };
  return condition_bias(condition, motion(condition.a), motion(condition.b));
}

// A closed chain with some driven coordinates, in a configuration that is not nearly singular.
struct ClosedChain {
  Mechanism mechanism;
  std::vector<Real> q;
  MechanismKinematics kinematics;
  LoopScratch scratch;
  Partition partition;

  bool make(Random& random, Cut cut) {
    const bool planar = cut == Cut::planar_point;
    *this = {};
    const Index bodies = 4 + static_cast<Index>(random.below(5));
    for (Index i = 0; i < bodies; ++i)
      testing::add_random_link(mechanism, i - 1, testing::random_joint(random, planar), random, planar);
    q = testing::random_positions(mechanism, random);
    place(mechanism, q, kinematics);
    const Index a = static_cast<Index>(random.below(2)) - 1;  // the ground or the first body
    testing::add_closed_cut(mechanism, kinematics, a, bodies - 1, cut, random);
    for (Coordinate& coordinate : mechanism.coordinates)
      if (coordinate.position != no_index && random.below(5) == 0) coordinate.role = CoordinateRole::driven;
    evaluate_loops(mechanism, kinematics, mechanism.closed_count, scratch);
    partition = choose_partition(mechanism, scratch);
    if (static_cast<Index>(partition.dependent.size()) != mechanism.closed_count) return false;
    if (partition.independent.empty()) return false;
    return partition_quality(mechanism, partition, scratch).best > 0.03;
  }
};

template <class Check>
void on_random_chains(std::uint64_t seed, const Check& check) {
  Random random(seed);
  int count = 0;
  for (const Cut cut : {Cut::point, Cut::pin, Cut::rod, Cut::rigid, Cut::planar_point}) {
    for (int found = 0, tried = 0; found < 10 && tried < 1000; ++tried) {
      ClosedChain chain;
      if (!chain.make(random, cut)) continue;
      ++found;
      ++count;
      check(chain, random);
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_EQ(count, 50);
}

TEST(Loops, ClosesChainsToRounding) {
  on_random_chains(21, [](ClosedChain& chain, Random& random) {
    std::vector<Real> step(chain.mechanism.coordinates.size(), 0.0);
    for (const Index k : chain.partition.dependent) step[static_cast<std::size_t>(k)] = random.uniform(-0.01, 0.01);
    for (const Index k : chain.partition.independent) step[static_cast<std::size_t>(k)] = random.uniform(-0.01, 0.01);
    integrate_positions(chain.mechanism, step, 1.0, chain.q);
    const ClosureReport report =
        close_loops(chain.mechanism, chain.partition, chain.q, chain.kinematics, chain.scratch);
    EXPECT_TRUE(report.converged);
    EXPECT_LT(report.error, closure_tolerance * chain.mechanism.size);
  });
}

// The gradient of the conditions is their derivative, and the bias that of the gradient, along v' = 0.
TEST(Loops, GradientAndBiasAreDerivativesOfConditions) {
  on_random_chains(22, [](ClosedChain& chain, Random& random) {
    const Mechanism& mechanism = chain.mechanism;
    const std::vector<Real> v = testing::random_numbers(random, mechanism.velocity_count);
    Eigen::VectorXd h[2], rate[2];
    for (int side = 0; side < 2; ++side) {
      std::vector<Real> q = chain.q;
      integrate_positions(mechanism, v, side == 0 ? -e : e, q);
      place(mechanism, q, chain.kinematics);
      evaluate_loops(mechanism, chain.kinematics, mechanism.closed_count, chain.scratch);
      h[side] = chain.scratch.h;
      rate[side] = chain.scratch.J * vector(v);
    }
    place(mechanism, chain.q, chain.kinematics);
    move(mechanism, v, chain.kinematics);
    evaluate_loops(mechanism, chain.kinematics, mechanism.closed_count, chain.scratch);
    const Eigen::VectorXd expected = chain.scratch.J * vector(v);
    for (Index i = 0; i < mechanism.closed_count; ++i) {
      const JointCondition& condition = mechanism.loops[static_cast<std::size_t>(i)];
      const Real bias = bias_of(condition, chain.kinematics);
      EXPECT_NEAR((h[1][i] - h[0][i]) / (2 * e), expected[i], 1e-7 * (1.0 + std::abs(expected[i])));
      EXPECT_NEAR((rate[1][i] - rate[0][i]) / (2 * e), bias, 1e-6 * (1.0 + std::abs(bias)));
    }
  });
}

// B, beta and b (eqs 20, 24): a path with constant independent velocities and accelerated driven ones, closed at both
// ends. Errors of the path are even in time and drop out of central differences.
TEST(Loops, DependentVelocitiesAndAccelerationsFollowTheLoops) {
  on_random_chains(23, [](ClosedChain& chain, Random& random) {
    const Mechanism& mechanism = chain.mechanism;
    const std::vector<Real> c1 = testing::random_numbers(random, mechanism.velocity_count, 0.3);
    const std::vector<Real> c2 = testing::random_numbers(random, mechanism.velocity_count, 0.3);
    const Eigen::VectorXd u =
        vector(testing::random_numbers(random, static_cast<Index>(chain.partition.independent.size()), 0.3));
    VelocityMap map;
    ASSERT_TRUE(close_loops(mechanism, chain.partition, chain.q, chain.kinematics, chain.scratch).converged);
    map_velocities(mechanism, chain.partition, c1, chain.scratch, map);
    const Eigen::VectorXd v = map.T * u + map.affine;
    EXPECT_LT((chain.scratch.J * v).norm(), 1e-12 * (1.0 + v.norm()));
    move(mechanism, numbers(v), chain.kinematics);
    std::vector<Real> acceleration(mechanism.coordinates.size());
    bias_accelerations(mechanism, chain.partition, chain.kinematics, c2, chain.scratch, acceleration);

    Eigen::VectorXd velocity[2];
    for (int side = 0; side < 2; ++side) {
      const Real time = side == 0 ? -e : e;
      std::vector<Real> q = chain.q;
      std::vector<Real> rate(c1);
      for (std::size_t k = 0; k < rate.size(); ++k) rate[k] += time * c2[k];
      integrate_positions(mechanism, numbers(v), time, q);
      for (const Index k : chain.partition.driven) {
        const auto x = static_cast<std::size_t>(mechanism.coordinates[static_cast<std::size_t>(k)].position);
        q[x] += 0.5 * time * time * c2[static_cast<std::size_t>(k)];
      }
      MechanismKinematics moved;
      LoopScratch scratch;
      ASSERT_TRUE(close_loops(mechanism, chain.partition, q, moved, scratch).converged);
      map_velocities(mechanism, chain.partition, rate, scratch, map);
      velocity[side] = map.T * u + map.affine;
    }
    const Eigen::VectorXd found = (velocity[1] - velocity[0]) / (2 * e);
    EXPECT_LT((found - vector(acceleration)).norm(), 1e-6 * (1.0 + found.norm() + v.squaredNorm()));
  });
}

// Reduced equations (eq. 25) against multipliers (eq. 16-18) with driven coordinates as further conditions.
TEST(Loops, ReducedDynamicsAreThoseOfMultipliers) {
  Real worst = 0.0;
  on_random_chains(24, [&](ClosedChain& chain, Random& random) {
    const Mechanism& mechanism = chain.mechanism;
    const Index n = mechanism.velocity_count, m = mechanism.closed_count;
    const auto driven = static_cast<Index>(chain.partition.driven.size());
    const std::vector<Real> c1 = testing::random_numbers(random, n, 0.3), c2 = testing::random_numbers(random, n, 0.3);
    const Eigen::VectorXd u =
        vector(testing::random_numbers(random, static_cast<Index>(chain.partition.independent.size()), 0.3));
    ASSERT_TRUE(close_loops(mechanism, chain.partition, chain.q, chain.kinematics, chain.scratch).converged);
    VelocityMap map;
    map_velocities(mechanism, chain.partition, c1, chain.scratch, map);
    move(mechanism, numbers(map.T * u + map.affine), chain.kinematics);

    DynamicsScratch dynamics;
    Eigen::MatrixXd mass;
    std::vector<Real> a0(static_cast<std::size_t>(n)), tau(a0), zero(a0);
    mass_matrix(mechanism, chain.kinematics, dynamics, mass);
    const Vec3 gravity(0.3, -9.81, 0.7);
    const Eigen::VectorXd force = vector(testing::random_numbers(random, n, 10.0));
    bias_accelerations(mechanism, chain.partition, chain.kinematics, c2, chain.scratch, a0);
    Eigen::VectorXd bias(m);  // J' v
    for (Index i = 0; i < m; ++i) bias[i] = bias_of(mechanism.loops[static_cast<std::size_t>(i)], chain.kinematics);
    inverse_dynamics(mechanism, chain.kinematics, a0, gravity, dynamics, tau);
    const Eigen::VectorXd f_red = map.T.transpose() * (force - vector(tau));
    const Eigen::MatrixXd m_red = map.T.transpose() * mass * map.T;
    const Eigen::VectorXd reduced = map.T * m_red.llt().solve(f_red) + vector(a0);

    inverse_dynamics(mechanism, chain.kinematics, zero, gravity, dynamics, tau);
    Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n + m + driven, n + m + driven);
    Eigen::VectorXd rhs(n + m + driven);
    K.topLeftCorner(n, n) = mass;
    K.block(n, 0, m, n) = chain.scratch.J;
    rhs << force - vector(tau), -bias, Eigen::VectorXd::Zero(driven);
    for (Index i = 0; i < driven; ++i) {
      const Index k = chain.partition.driven[static_cast<std::size_t>(i)];
      K(n + m + i, k) = 1.0;
      rhs[n + m + i] = c2[static_cast<std::size_t>(k)];
    }
    K.topRightCorner(n, m + driven) = K.bottomLeftCorner(m + driven, n).transpose();
    const Eigen::VectorXd with_multipliers = K.fullPivLu().solve(rhs).head(n);
    worst = std::max(worst, (with_multipliers - reduced).norm() / with_multipliers.norm());
  });
  EXPECT_LT(worst, 1e-10);
  std::printf("reduced against multipliers: %.1e\n", worst);
}

// Crank-rocker driven through 1e5 steps, seven turns.
TEST(Loops, DrivenFourBarDoesNotDrift) {
  Mechanism mechanism = testing::four_bar(0.1, 0.3, 0.25, 0.28);
  mechanism.size = 0.1;
  mechanism.coordinates[0].role = CoordinateRole::driven;
  const Partition partition = partition_of(mechanism, std::vector<std::uint32_t>{0, 1, 1});
  std::vector<Real> q{0.0, 1.5, -2.5};
  MechanismKinematics kinematics;
  LoopScratch scratch;
  VelocityMap map;
  ASSERT_TRUE(close_loops(mechanism, partition, q, kinematics, scratch).converged);
  const std::vector<Real> start = q;
  constexpr int steps = 100000;
  const Real angle = 14.0 * std::numbers::pi / steps;
  Real worst = 0.0;
  Index iterations = 0;
  long allocations = 0;
  const std::vector<Real> rate{1.0, 0.0, 0.0};
  std::vector<Real> v(3);
  for (int i = 1; i <= steps; ++i) {
    map_velocities(mechanism, partition, rate, scratch, map);
    for (Index k = 0; k < 3; ++k) v[static_cast<std::size_t>(k)] = map.affine[k];
    integrate_positions(mechanism, v, angle, q);
    q[0] = i * angle;
    const ClosureReport report = close_loops(mechanism, partition, q, kinematics, scratch);
    ASSERT_TRUE(report.converged);
    worst = std::max(worst, report.error);
    iterations = std::max(iterations, report.iterations);
    if (i == 1) allocations = testing::allocation_count();
  }
  EXPECT_LT(worst, closure_tolerance * mechanism.size);
  EXPECT_LE(iterations, 4);
  EXPECT_EQ(testing::allocation_count(), allocations) << "steady closures allocate nothing";
  // the same branch after seven turns, which the coupler, relative to the crank, makes backwards
  EXPECT_NEAR(q[1], start[1] - 14.0 * std::numbers::pi, 1e-11);
  EXPECT_NEAR(q[2], start[2], 1e-11);
  std::printf("driven four-bar: worst error %.1e of the size, at most %d iterations\n", worst / mechanism.size,
              iterations);
}

// The angle between coupler and rocker is largest and smallest with the crank along the ground: as independent
// coordinate it is singular there, and the partition must change before.
TEST(Loops, PartitionChangesBeforeItIsSingular) {
  Mechanism mechanism = testing::four_bar(0.1, 0.3, 0.25, 0.28);
  mechanism.size = 0.1;
  std::vector<Real> q{1.0, 1.5, -2.5};
  MechanismKinematics kinematics;
  LoopScratch scratch;
  VelocityMap map;
  const Partition first = partition_of(mechanism, std::vector<std::uint32_t>{1, 1, 0});
  Partition partition = partition_of(mechanism, std::vector<std::uint32_t>{0, 1, 1});
  ASSERT_TRUE(close_loops(mechanism, partition, q, kinematics, scratch).converged);
  partition = first;
  ASSERT_TRUE(close_loops(mechanism, partition, q, kinematics, scratch).converged);
  constexpr int steps = 2000;
  int changes = 0;
  Real worst_first = 1.0, worst_used = 1.0;
  for (int i = 0; i < steps; ++i) {
    // the motion in which the crank turns steadily
    map_velocities(mechanism, partition, q, scratch, map);
    const Eigen::VectorXd v = map.T.col(0) / map.T(0, 0);
    integrate_positions(mechanism, numbers(v), 2.0 * std::numbers::pi / steps, q);
    const ClosureReport report = close_loops(mechanism, partition, q, kinematics, scratch);
    ASSERT_TRUE(report.converged);
    ASSERT_LT(report.error, closure_tolerance * mechanism.size);
    worst_first = std::min(worst_first, partition_quality(mechanism, first, scratch).now);
    const PartitionQuality quality = partition_quality(mechanism, partition, scratch);
    worst_used = std::min(worst_used, quality.now / quality.best);
    if (quality.now < partition_hysteresis * quality.best) {
      partition = choose_partition(mechanism, scratch);
      ++changes;
      const PartitionQuality after = partition_quality(mechanism, partition, scratch);
      EXPECT_DOUBLE_EQ(after.now, after.best);
      evaluate_loops(mechanism, kinematics, 2, scratch);
      close_loops(mechanism, partition, q, kinematics, scratch);
    }
  }
  EXPECT_GE(changes, 1);
  EXPECT_LE(changes, 4) << "hysteresis: no chatter";
  EXPECT_LT(worst_first, 0.01) << "the first partition is singular on the way";
  EXPECT_GT(worst_used, 0.5 * partition_hysteresis);
}

TEST(Loops, UserRolesAreObeyed) {
  Mechanism mechanism = testing::four_bar(0.1, 0.3, 0.25, 0.28);
  mechanism.size = 0.1;
  std::vector<Real> q{0.4, 1.5, -2.5};
  MechanismKinematics kinematics;
  LoopScratch scratch;
  ASSERT_TRUE(
      close_loops(mechanism, partition_of(mechanism, std::vector<std::uint32_t>{0, 1, 1}), q, kinematics, scratch)
          .converged);
  for (std::size_t k = 0; k < 3; ++k) {
    mechanism.coordinates[k].role = CoordinateRole::independent;
    EXPECT_EQ(choose_partition(mechanism, scratch).independent, std::vector<Index>{static_cast<Index>(k)});
    mechanism.coordinates[k].role = CoordinateRole::dependent;
    const std::vector<Index> dependent = choose_partition(mechanism, scratch).dependent;
    EXPECT_TRUE(std::find(dependent.begin(), dependent.end(), static_cast<Index>(k)) != dependent.end());
    mechanism.coordinates[k].role = CoordinateRole::automatic;
  }
}

// A choice between a slide and a turn must not change when metres become millimetres.
TEST(Loops, PartitionDoesNotDependOnUnits) {
  Random random(26);
  for (int trial = 0; trial < 20; ++trial) {
    ClosedChain chain;
    if (!chain.make(random, Cut::pin)) continue;
    Mechanism small = chain.mechanism;
    std::vector<Real> q = chain.q;
    constexpr Real mm = 1000.0;
    for (Link& link : small.links) {
      link.X_PJ.position *= mm;
      link.X_JB.position *= mm;
    }
    for (JointCondition& condition : small.loops) {
      condition.p_A *= mm;
      condition.p_B *= mm;
      condition.length *= mm;
    }
    small.size *= mm;
    for (const JointAxis& axis : small.axes)
      if (axis.kind == AxisKind::slide) q[static_cast<std::size_t>(axis.position)] *= mm;
    MechanismKinematics kinematics;
    LoopScratch scratch;
    place(small, q, kinematics);
    evaluate_loops(small, kinematics, small.closed_count, scratch);
    EXPECT_EQ(choose_partition(small, scratch).dependent, chain.partition.dependent);
  }
}

// Two bars of length 1 cannot reach three metres.
TEST(Loops, ReportsWhatCannotClose) {
  Mechanism mechanism = testing::four_bar(1.0, 1.0, 0.1, 3.0);
  const Partition partition = partition_of(mechanism, std::vector<std::uint32_t>{1, 1, 0});
  std::vector<Real> q{0.4, -0.8, 0.1};
  MechanismKinematics kinematics;
  LoopScratch scratch;
  const ClosureReport report = close_loops(mechanism, partition, q, kinematics, scratch);
  EXPECT_FALSE(report.converged);
  EXPECT_GT(report.error, 0.1);
}

}  // namespace
}  // namespace grus::loops_test
