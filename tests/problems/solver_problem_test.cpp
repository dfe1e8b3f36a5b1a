// Every solver on every problem file: a small collection of our own, written and read again, and the real problems when
// they are beside the checkout. `auto` must solve them all, also to 1e-8; the others must solve ours, with joints,
// limits and dry friction as rows and mechanisms as dense blocks, to 1e-4. What is returned is what is reported, inside
// its cones, solved or not.
#include <gtest/gtest.h>

#include <algorithm>

#include "io/problem/problem_file.hpp"
#include "solvers/local_residual.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/registry.hpp"
#include "unit/io/problem_samples.hpp"
#include "unit/io/temporary_directory.hpp"
#include "unit/solvers/local_problems.hpp"

namespace grus::solver_problem_test {
namespace {

struct Named {
  bool easy;  // of our collection, and such that every method solves it
  std::string name;
  LocalProblem problem;
};

// Spheres, stones, arms with and without rows, in space and in the plane; some tens of contacts each.
std::vector<Named> own_problems() {
  const test::TemporaryDirectory folder;
  std::vector<Named> all;
  const auto add = [&](const std::string& name, const ContactProblem& problem, bool easy = true) {
    const std::string path = folder / (name + ".hdf5");
    write_problem_file(path, test::file_of(testing::assembled(problem)), ProblemFormat::fclib);
    all.push_back({easy, name, read_problem_file(path).problem});
  };
  add("spheres", testing::bed_problem({.side = 3, .layers = 3}), false);  // they roll, for thousands of sweeps
  add("stones", testing::bed_problem({.side = 3, .layers = 3, .rough = true}));
  for (const int dimension : {2, 3}) {
    for (const Index rows : {0, 6}) {
      const testing::RandomDenseProblem options{
          .contacts = {.dimension = dimension, .blocks = 40, .contacts = 25, .friction_max = 0.5},
          .dense = 2,
          .rows = rows};
      add("arm-" + std::to_string(dimension) + "d-" + std::to_string(rows), testing::random_dense_problem(options));
    }
  }
  return all;
}

// Beyond it the slow methods would take minutes.
constexpr Index most_contacts = 100;

const std::vector<Named>& problems() {
  static const std::vector<Named> all = [] {
    std::vector<Named> found = own_problems();
    std::vector<std::string> paths = test::shared_problems();
    std::sort(paths.begin(), paths.end());
    for (const std::string& path : paths)
      found.push_back({false, std::filesystem::path(path).stem().string(), read_problem_file(path).problem});
    return found;
  }();
  return all;
}

class SolverOnProblems : public ::testing::TestWithParam<SolverEntry> {};

TEST_P(SolverOnProblems, ReportsWhatItReturns) {
  const LocalSolveOptions options{.tolerance = 1e-4, .measure = ErrorMeasure::siconos, .max_iterations = 5000};
  for (const auto& [easy, name, problem] : problems()) {
    if (problem.contact_count > most_contacts) continue;
    std::vector<Real> impulse;
    const LocalSolveReport report = solve_local(problem, GetParam().kind, impulse, options);
    EXPECT_EQ(report.error, LocalMeter(problem, options.measure).error(impulse)) << name;
    EXPECT_EQ(report.converged, report.error <= options.tolerance) << name;
    EXPECT_LE(report.iterations, options.max_iterations + 1) << name;
    Real size = 0.0;
    for (const Real r : impulse) size = std::max(size, std::abs(r));
    EXPECT_LE(local_violations(problem, impulse).cone, 1e-13 * size) << name;
    // 16 facets in space stay away from the round cone
    const bool expected = easy && !(has_facets(GetParam().kind) && problem.dimension == 3);
    EXPECT_TRUE(report.converged || !expected) << name << " " << report.error;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, SolverOnProblems,
                         ::testing::ValuesIn(solver_registry().begin(), solver_registry().end()),
                         [](const auto& solver) {
                           std::string name(solver.param.name);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// The largest take a few hundred milliseconds.
TEST(Auto, SolvesEveryProblemFile) {
  for (const Real tolerance : {1e-4, 1e-8}) {
    for (const auto& [easy, name, problem] : problems()) {
      std::vector<Real> impulse;
      const LocalSolveReport report =
          solve_local(problem, SolverKind::automatic, impulse,
                      {.tolerance = tolerance, .measure = ErrorMeasure::siconos, .max_iterations = 100'000});
      EXPECT_TRUE(report.converged) << name << " to " << tolerance << ": " << report.error;
    }
  }
}

}  // namespace
}  // namespace grus::solver_problem_test
