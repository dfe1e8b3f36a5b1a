#include "solvers/local_residual.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "solvers/assemble.hpp"
#include "solvers/cone.hpp"
#include "solvers/residual.hpp"
#include "unit/solvers/dense_problems.hpp"

namespace grus::local_residual_test {
namespace {

constexpr Real rounding = 1e-11;  // sums of some hundred terms of order one

std::vector<ContactProblem> mechanical_problems(int dim, std::uint64_t seed) {
  const testing::RandomProblem contacts{.dimension = dim, .blocks = 15, .contacts = 40, .seed = seed};
  return {testing::random_problem(contacts),
          testing::random_dense_problem({.contacts = contacts, .dense = 5, .rows = 12})};
}

ContactSolution impulses_of(const ContactProblem& problem, std::uint64_t seed) {
  Random random(seed);
  ContactSolution solution;
  for (Index c = 0; c < problem.contact_count; ++c) {
    Vec3 r = testing::normal_vector(random);
    if (problem.dimension == 2) r[2] = 0.0;
    solution.impulse.push_back(r);
  }
  for (Index i = 0; i < problem.row_count; ++i) solution.row_impulse.push_back(random.normal());
  return solution;
}

TEST(AssembleLocal, VelocitiesAndErrorEqualThoseOfTheMechanicalForm) {
  for (const int dim : {2, 3}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      for (const ContactProblem& problem : mechanical_problems(dim, seed)) {
        const ContactSolution solution = impulses_of(problem, seed + 50);
        ResidualScratch scratch;
        const Residual expected = residual(problem, solution, scratch, Parallel(1));

        LocalProblem local;
        AssembleScratch assembly;
        assemble_local(problem, local, assembly, Parallel(1));
        EXPECT_EQ(local.block_count(), problem.contact_count + problem.row_count);
        EXPECT_LE(static_cast<std::int64_t>(local.column.size()), assembled_blocks(problem));
        std::vector<Real> impulse;
        gather_impulses(problem, local, assembly, solution, impulse);
        LocalMeter meter(local, ErrorMeasure::scaled_map);
        EXPECT_NEAR(meter.error(impulse), expected.scaled, rounding);
        for (Index c = 0; c < problem.contact_count; ++c) {
          for (int i = 0; i < dim; ++i)
            EXPECT_NEAR(meter.velocity()[c * dim + i], scratch.contact_velocity[c][i], 10 * rounding);
        }
        for (Index i = 0; i < problem.row_count; ++i) {
          const Index k = (problem.contact_count + i) * dim;
          EXPECT_NEAR(meter.velocity()[k], scratch.row_velocity[i], 10 * rounding);
          for (int a = 1; a < dim; ++a) EXPECT_EQ(meter.velocity()[k + a], 0.0);
        }
        ContactSolution back;
        scatter_impulses(problem, local, assembly, impulse, back);
        EXPECT_EQ(back.impulse, solution.impulse);
        EXPECT_EQ(back.row_impulse, solution.row_impulse);
      }
    }
  }
}

TEST(AssembleLocal, HasOrderedColumnsAndADiagonalWithTheRhoOfTheMechanicalForm) {
  const ContactProblem problem =
      testing::random_dense_problem({.contacts = {.blocks = 15, .contacts = 60, .seed = 3}, .dense = 3, .rows = 9});
  ResidualScratch scratch;
  prepare_residual(problem, scratch, Parallel(1));
  LocalProblem local;
  AssembleScratch assembly;
  assemble_local(problem, local, assembly, Parallel(1));
  for (Index i = 0; i < local.block_count(); ++i) {
    for (Index k = local.block_begin[i] + 1; k < local.block_begin[i + 1]; ++k)
      EXPECT_LT(local.column[k - 1], local.column[k]);
    EXPECT_EQ(local.column[diagonal_place(local, i)], i);
    const Real rho = i < problem.contact_count ? scratch.rho[i] : scratch.row_rho[i - problem.contact_count];
    EXPECT_NEAR(block_rho(local, i), rho, rounding * rho);
  }
}

TEST(AssembleLocal, LeavesOutWhatNoImpulseCanInfluence) {
  ContactProblem problem = testing::random_problem({.blocks = 6, .contacts = 12, .seed = 2});
  testing::add_contact(problem, no_index, no_index, Vec3(0, 0, 1), Vec3::Zero(), Vec3::Zero(), 0.5);
  LocalProblem local;
  AssembleScratch assembly;
  assemble_local(problem, local, assembly, Parallel(1));
  EXPECT_EQ(local.contact_count, 12);
  EXPECT_EQ(assembly.local.back(), no_index);
  ContactSolution solution = impulses_of(problem, 1);
  std::vector<Real> impulse;
  gather_impulses(problem, local, assembly, solution, impulse);
  scatter_impulses(problem, local, assembly, impulse, solution);
  EXPECT_EQ(solution.impulse.back(), Vec3(Vec3::Zero()));
}

TEST(AssembleLocal, IsBitwiseTheSameForAnyNumberOfThreads) {
  const ContactProblem problem =
      testing::random_dense_problem({.contacts = {.blocks = 600, .contacts = 2000}, .dense = 10, .rows = 200});
  LocalProblem one, many;
  AssembleScratch assembly;
  assemble_local(problem, one, assembly, Parallel(1));
  assemble_local(problem, many, assembly, Parallel(4));
  EXPECT_EQ(one.entry, many.entry);
  EXPECT_EQ(one.column, many.column);
  EXPECT_EQ(one.q, many.q);
}

// One contact and one row by hand: W = diag(2, 4, 4) and 3, r = (1, 0.5, 0) and 5 of [0, 4].
LocalProblem small_problem() {
  LocalProblem problem;
  problem.contact_count = 1;
  problem.row_count = 1;
  problem.block_begin = {0, 1, 2};
  problem.column = {0, 1};
  problem.entry = {2, 0, 0, 0, 4, 0, 0, 0, 4, 3, 0, 0, 0, 0, 0, 0, 0, 0};
  problem.q = {-3, 1, 0, 2, 0, 0};
  problem.friction = {0.25};
  problem.lower = {0.0};
  problem.upper = {4.0};
  return problem;
}

TEST(LocalMeter, GivesThePublishedErrorByHand) {
  const LocalProblem problem = small_problem();
  const std::vector<Real> r{1.0, 0.5, 0.0, 5.0, 0.0, 0.0};
  // u = (-1, 3, 0), 17; z = r - (u + mu 3 e_N) = (1.25, -2.5, 0): on the cone, normal (1.25 + 0.625)/(1 + 1/16)
  const Real normal = 1.875 / 1.0625;
  const Real defect = std::sqrt(std::pow(1.0 - normal, 2) + std::pow(0.5 + 0.25 * normal, 2) + 25.0);
  LocalMeter meter(problem, ErrorMeasure::siconos);
  EXPECT_NEAR(meter.error(r), defect / std::sqrt(1.0 + 9.0 + 17.0 * 17.0), 1e-15);

  const LocalViolations wrong = local_violations(problem, r);
  EXPECT_NEAR(wrong.complementarity, 17.0 * 5.0, 1e-12);
  EXPECT_NEAR(wrong.velocity, 1.0, 1e-15);
  EXPECT_NEAR(wrong.cone, 1.0, 1e-15);  // of the row; the contact is (0.5 - 0.25)/sqrt(1 + 1/16) away
}

TEST(LocalMeter, IsFreeOfUnitsByTheScaledMap) {
  LocalProblem problem = small_problem();
  std::vector<Real> r{1.0, 0.5, 0.0, 3.0, 0.0, 0.0};
  const Real expected = LocalMeter(problem, ErrorMeasure::scaled_map).error(r);
  for (Real& w : problem.entry) w *= 8.0;
  for (Real& x : problem.q) x *= 0.25;
  for (Real& x : r) x *= 0.25 / 8.0;
  for (Real& x : problem.upper) x *= 0.25 / 8.0;
  EXPECT_EQ(LocalMeter(problem, ErrorMeasure::scaled_map).error(r), expected);
}

TEST(LocalMeter, ShowsNotANumber) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  const std::vector<Real> r{1.0, 0.5, 0.0, 3.0, 0.0, 0.0};
  for (const ErrorMeasure measure : {ErrorMeasure::scaled_map, ErrorMeasure::siconos}) {
    for (int kind = 0; kind < 5; ++kind) {
      LocalProblem problem = small_problem();
      std::vector<Real> impulse = r;
      if (kind == 0) problem.entry[4] = nan;
      if (kind == 1) problem.q[1] = nan;
      if (kind == 2) problem.lower[0] = nan;
      if (kind == 3) impulse[0] = nan;
      if (kind == 4) problem.q[1] = std::numeric_limits<Real>::infinity();
      EXPECT_TRUE(std::isnan(LocalMeter(problem, measure).error(impulse))) << kind;
    }
  }
}

}  // namespace
}  // namespace grus::local_residual_test
