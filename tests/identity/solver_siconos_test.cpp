// Our Gauss-Seidel, matrix-free and coloured, against Siconos' NSGS on the assembled problem. With W positive definite
// and little friction the solution is unique: the velocities must agree.
#include <gtest/gtest.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>

#include "solvers/assemble.hpp"
#include "solvers/local_residual.hpp"
#include "solvers/nlgs.hpp"
#include "solvers/registry.hpp"
#include "unit/solvers/dense_delassus.hpp"
#include "unit/solvers/problems.hpp"

namespace grus::solver_siconos_test {
namespace {

constexpr Real siconos_tolerance = 1e-12;
constexpr Real our_tolerance = 1e-12;
// Both solvers stop at about 1e-12 of the problem's scale; the conditioning of the problems below takes two or three
// digits.
constexpr Real agreement = 1e-8;

// The contact velocities by Siconos; empty when it fails.
Eigen::VectorXd siconos_velocities(const testing::DenseProblem& dense, const ContactProblem& problem,
                                   Real tolerance = siconos_tolerance) {
  const int dim = problem.dimension, size = dim * problem.contact_count;
  Eigen::MatrixXd w = dense.w;  // column by column, as Siconos stores dense matrices
  Eigen::VectorXd q = dense.q, u = Eigen::VectorXd::Zero(size), r = Eigen::VectorXd::Zero(size);
  std::vector<Real> friction = problem.friction;
  RawNumericsMatrix* matrix = NM_create_from_data(NM_DENSE, size, size, w.data());
  FrictionContactProblem contact{};
  contact.dimension = dim;
  contact.numberOfContacts = problem.contact_count;
  contact.M = matrix;
  contact.q = q.data();
  contact.mu = friction.data();
  ::SolverOptions* options = solver_options_create(dim == 3 ? SICONOS_FRICTION_3D_NSGS : SICONOS_FRICTION_2D_NSGS);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 100000;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  const int info = dim == 3 ? fc3d_driver(&contact, r.data(), u.data(), options)
                            : fc2d_driver(&contact, r.data(), u.data(), options);
  solver_options_delete(options);
  matrix->matrix0 = nullptr;  // ours
  NM_clear(matrix);
  std::free(matrix);
  return info == 0 ? u : Eigen::VectorXd();
}

// Compares when W is positive definite and the oracle succeeds; says whether.
bool velocities_agree(const ContactProblem& problem, std::uint64_t seed) {
  const testing::DenseProblem dense = testing::assemble(problem);
  const Real smallest = dense.w.selfadjointView<Eigen::Lower>().eigenvalues()[0];
  if (smallest < 1e-3 * dense.w.diagonal().maxCoeff()) return false;
  const Eigen::VectorXd theirs = siconos_velocities(dense, problem);
  if (theirs.size() == 0) return false;
  for (const bool accelerated : {false, true}) {
    ContactSolution solution;
    NlgsScratch scratch;
    const NlgsOptions options{.tolerance = our_tolerance, .max_iterations = 100000, .accelerated = accelerated};
    const SolveReport report = solve_nlgs(problem, solution, scratch, options, Parallel(1));
    EXPECT_TRUE(report.converged) << report.residual;
    for (Index c = 0; c < problem.contact_count; ++c) {
      for (int i = 0; i < problem.dimension; ++i) {
        EXPECT_NEAR(scratch.residual.contact_velocity[c][i], theirs[problem.dimension * c + i], agreement)
            << "seed " << seed << " contact " << c << " accelerated " << accelerated;
      }
    }
  }
  return true;
}

class SolverSiconos : public ::testing::TestWithParam<int> {};

TEST_P(SolverSiconos, ContactVelocitiesAgree) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    compared += velocities_agree(
        testing::random_problem(
            {.dimension = GetParam(), .blocks = 40, .contacts = 25, .friction_max = 0.3, .seed = seed}),
        seed);
  }
  EXPECT_GE(compared, 20) << "too few problems were positive definite and solved by the oracle";
}

// Mechanisms of 1 to 12 velocities among rigid bodies: touching them, each other and the world.
TEST_P(SolverSiconos, ContactVelocitiesOfDenseBlocksAgree) {
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    compared += velocities_agree(
        testing::random_dense_problem(
            {.contacts = {.dimension = GetParam(), .blocks = 30, .contacts = 18, .friction_max = 0.3, .seed = seed},
             .dense = 10}),
        seed);
  }
  EXPECT_GE(compared, 15) << "too few problems were positive definite and solved by the oracle";
}

// Every method on the assembled problem with the round cone, on problems of one solution. Both to the last digits:
// velocities agree to 1e-10 of the largest.
TEST_P(SolverSiconos, EveryMethodOnTheAssembledProblemAgrees) {
  constexpr Real last_digits = 1e-13, close = 1e-10;
  int compared = 0;
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    const ContactProblem problem = testing::random_problem(
        {.dimension = GetParam(), .blocks = 40, .contacts = 20, .friction_max = 0.2, .seed = seed});
    const testing::DenseProblem dense = testing::assemble(problem);
    if (dense.w.selfadjointView<Eigen::Lower>().eigenvalues()[0] < 1e-2 * dense.w.diagonal().maxCoeff()) continue;
    const Eigen::VectorXd theirs = siconos_velocities(dense, problem, last_digits);
    if (theirs.size() == 0) continue;
    ++compared;
    LocalProblem local;
    AssembleScratch scratch;
    assemble_local(problem, local, scratch, Parallel(1));
    for (const SolverEntry& entry : solver_registry()) {
      if (has_facets(entry.kind) && GetParam() == 3) continue;
      for (const Real start : {0.0, 10.0}) {
        Random random(seed);
        std::vector<Real> impulse(local.q.size()), velocity;
        for (Real& r : impulse) r = start * random.normal();
        solve_local(local, entry.kind, impulse, {.tolerance = last_digits, .max_iterations = 100000});
        local_velocity(local, impulse, velocity);
        for (std::size_t i = 0; i < velocity.size(); ++i)
          EXPECT_NEAR(velocity[i], theirs[static_cast<Eigen::Index>(i)], close * theirs.cwiseAbs().maxCoeff())
              << entry.name << " seed " << seed << " start " << start;
      }
    }
  }
  EXPECT_GE(compared, 5) << "too few problems were positive definite and solved by the oracle";
}

INSTANTIATE_TEST_SUITE_P(Dimensions, SolverSiconos, ::testing::Values(2, 3));

}  // namespace
}  // namespace grus::solver_siconos_test
