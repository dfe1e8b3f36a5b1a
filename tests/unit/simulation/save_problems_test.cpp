#include "simulation/save_problems.hpp"

#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "grus/run.hpp"
#include "io/problem/problem_file.hpp"
#include "io/summary.hpp"
#include "solvers/local_residual.hpp"
#include "support/paths.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::save_problems_test {
namespace {

using test::TemporaryDirectory;

// Three boxes on a slope, four contact points each.
RunOptions incline(const std::string& out, const std::string& when, double until = 0.02) {
  RunOptions options;
  options.scene = GRUS_SOURCE_DIR "/examples/incline/incline.yaml";
  options.out = out;
  options.threads = 1;
  options.until = until;
  options.report = false;
  options.save_problems = when;
  return options;
}

std::set<std::string> files_in(const std::string& directory) {
  std::set<std::string> names;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(directory, absent))
    names.insert(entry.path().filename().string());
  names.erase("index.json");
  return names;
}

std::string hash_of(const std::string& out) { return read_summary(out + "/summary.json").state_hash; }

TEST(SaveProblems, TheRunKeepsItsBits) {
  const TemporaryDirectory folder;
  run(incline(folder / "plain", ""));
  run(incline(folder / "saved", "every=2,worst=3"));
  EXPECT_EQ(hash_of(folder / "plain"), hash_of(folder / "saved"));
  EXPECT_TRUE(files_in(folder / "plain/problems").empty());
  EXPECT_FALSE(files_in(folder / "saved/problems").empty());
}

TEST(SaveProblems, SavedProblemsHoldWhatTheStepSolved) {
  const TemporaryDirectory folder;
  run(incline(folder / "run", "when=step=7,step=9,form=local"));
  EXPECT_EQ(files_in(folder / "run/problems"), (std::set<std::string>{"step-00000007.hdf5", "step-00000009.hdf5"}));
  const ProblemFile file = read_problem_file(folder / "run/problems/step-00000009.hdf5");
  EXPECT_EQ(file.problem.contact_count, 12);
  EXPECT_EQ(file.title, "incline, step 9");
  // the scene's tolerance; from zero the error would be of the order of one
  EXPECT_LT(LocalMeter(file.problem, ErrorMeasure::scaled_map).error(file.solution), 1e-8);
  // the guess is the solution of the step before, nearly that of this one
  EXPECT_LT(LocalMeter(file.problem, ErrorMeasure::scaled_map).error(file.guess), 1e-2);
}

TEST(SaveProblems, GlobalFormIsTheSameProblem) {
  const TemporaryDirectory folder;
  run(incline(folder / "local", "step=9"));
  run(incline(folder / "global", "step=9,form=global"));
  const ProblemFile local = read_problem_file(folder / "local/problems/step-00000009.hdf5");
  const ProblemFile global = read_problem_file(folder / "global/problems/step-00000009.hdf5");
  EXPECT_EQ(global.form, "FCLIB, global form");
  ASSERT_EQ(global.problem.contact_count, local.problem.contact_count);
  EXPECT_EQ(global.solution, local.solution);
  ASSERT_EQ(global.problem.q.size(), local.problem.q.size());
  for (std::size_t k = 0; k < local.problem.q.size(); ++k) EXPECT_NEAR(global.problem.q[k], local.problem.q[k], 1e-13);
  std::vector<Real> u, v;
  local_velocity(local.problem, local.solution, u);
  local_velocity(global.problem, local.solution, v);
  for (std::size_t k = 0; k < u.size(); ++k) EXPECT_NEAR(u[k], v[k], 1e-13);
}

TEST(SaveProblems, CountsAreBounded) {
  const TemporaryDirectory folder;
  std::vector<std::string> lines;
  RunOptions options = incline(folder / "run", "every=1,most=4,worst=2");
  options.message = [&](const std::string& line) { lines.push_back(line); };
  run(options);
  EXPECT_EQ(files_in(folder / "run/problems").size(), 6u);
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) { return line.find("most=4") != std::string::npos; }),
            1);
}

TEST(SaveProblems, ResumedRunEndsWithTheSameFiles) {
  const TemporaryDirectory folder;
  const std::string when = "every=3,worst=2,most=10";
  run(incline(folder / "whole", when, 0.02));
  run(incline(folder / "parts", when, 0.011));
  RunOptions rest = incline(folder / "parts", when, 0.02);
  rest.resume = true;
  run(rest);
  EXPECT_EQ(files_in(folder / "parts/problems"), files_in(folder / "whole/problems"));
}

TEST(SaveProblems, RuleSaysWhatItExpects) {
  const auto fault = [](const std::string& text) {
    try {
      parse_save_problems(text);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault("every=10,step=3,step=4,unconverged,worst=2,most=7"), "");
  EXPECT_THAT(fault("often"), ::testing::HasSubstr("found 'often', expected every=N"));
  EXPECT_THAT(fault("every=0"), ::testing::HasSubstr("expected every= and a whole number from 1"));
  EXPECT_THAT(fault("step=-2"), ::testing::HasSubstr("found 'step=-2'"));
  EXPECT_THAT(fault("worst=99999999999999999999"), ::testing::HasSubstr("expected worst="));
  EXPECT_THAT(fault("most=5"), ::testing::HasSubstr("among it"));
  EXPECT_THAT(fault(""), ::testing::HasSubstr("found ''"));
}

}  // namespace
}  // namespace grus::save_problems_test
