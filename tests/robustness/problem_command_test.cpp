// grus solve and grus convert from outside: exit codes, the keys of the JSON, words about faulty input.

#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/paths.hpp"
#include "unit/io/problem_samples.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::testing::problem_command_test {
namespace {

using ::testing::HasSubstr;

struct Finished {
  int code = -1;
  std::string out, error;
};

// The program with these words; names in them are those of the folder, and without blanks.
Finished grus(const test::TemporaryDirectory& folder, const std::string& words) {
  const auto text = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string command = "cd " + folder.path() + " && " GRUS_PROGRAM " " + words + " >out.txt 2>error.txt";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text(folder / "out.txt"), text(folder / "error.txt")};
}

struct Folder : test::TemporaryDirectory {
  Folder() {
    write_problem_file(*this / "chain.hdf5", test::file_of(test::chain_problem(3, 6)), ProblemFormat::fclib);
    write_problem_file(*this / "rows.hdf5", test::file_of(test::chain_problem(2, 4, 2)), ProblemFormat::fclib);
  }
};

TEST(ProblemCommands, SolveGivesTheJsonOfTheContract) {
  const Folder folder;
  const Finished run = grus(folder, "solve chain.hdf5 --tol 1e-8 --json");
  ASSERT_EQ(run.code, 0) << run.error;
  const nlohmann::json json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("problem"), "chain.hdf5");
  EXPECT_EQ(json.at("contacts"), 6);
  EXPECT_TRUE(json.at("converged").get<bool>());
  EXPECT_GT(json.at("iterations").get<int>(), 0);
  EXPECT_LE(json.at("error").get<double>(), 1e-8);
  EXPECT_EQ(json.at("error_definition"), "siconos");
  EXPECT_GT(json.at("seconds").get<double>(), 0.0);
  EXPECT_GE(json.at("threads").get<int>(), 1);
  EXPECT_FALSE(json.at("solver").get<std::string>().empty());
}

TEST(ProblemCommands, SolveSaysWhenItDidNotConverge) {
  const Folder folder;
  const Finished run = grus(folder, "solve chain.hdf5 --tol 1e-300 --max-iter 1");
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.out, HasSubstr("NOT CONVERGED"));
  EXPECT_THAT(run.out, HasSubstr("6 contacts in space"));
}

TEST(ProblemCommands, SolveTakesRowsAndWritesTheSolution) {
  const Folder folder;
  const Finished run = grus(folder, "solve rows.hdf5 --tol 1e-9 --out solved.hdf5");
  ASSERT_EQ(run.code, 0) << run.out << run.error;
  EXPECT_THAT(run.out, HasSubstr("2 scalar rows"));
  ProblemFile solved = read_problem_file(folder / "solved.hdf5");
  ASSERT_FALSE(solved.solution.empty());
  // the solution as a guess needs no work
  solved.guess = solved.solution;
  write_problem_file(folder / "guessed.hdf5", solved, ProblemFormat::fclib);
  EXPECT_EQ(grus(folder, "solve guessed.hdf5 --from-guess --max-iter 1 --tol 1e-8").code, 0);
}

TEST(ProblemCommands, ConvertKeepsTheProblem) {
  const Folder folder;
  EXPECT_EQ(grus(folder, "convert chain.hdf5 a.dat").code, 0);
  EXPECT_EQ(grus(folder, "convert a.dat b.dat --storage dense").code, 0);
  EXPECT_EQ(grus(folder, "convert b.dat c.dat --storage sparse").code, 0);
  EXPECT_EQ(grus(folder, "convert c.dat d.h5").code, 0);
  const LocalProblem first = read_problem_file(folder / "chain.hdf5").problem;
  const LocalProblem last = read_problem_file(folder / "d.h5").problem;
  EXPECT_EQ(first.entry, last.entry);
  EXPECT_EQ(first.q, last.q);
}

TEST(ProblemCommands, FaultyInputEndsWithTwo) {
  const Folder folder;
  std::ofstream(folder / "bad.dat") << "3\n1\n0\n3\n3\n3 3\n1 0 0\n0 1 0\n0 0 nan\n0 0 0\n0.5\n";
  const auto expect = [&](const std::string& words, const std::string& message) {
    const Finished run = grus(folder, words);
    EXPECT_EQ(run.code, 2) << words;
    EXPECT_THAT(run.error, HasSubstr(message)) << words;
  };
  expect("solve bad.dat", "bad.dat:9:5: found 'nan', expected an entry of the dense matrix");
  expect("solve absent.dat", "absent.dat:1:1: does not exist");
  expect("solve chain.hdf5 --solver nlgss", "no solver is called 'nlgss' (did you mean 'nlgs'?)");
  expect("solve chain.hdf5 --tol nan", "found 'nan', expected a number from 0 to 1");
  expect("solve chain.hdf5 --order sideways", "no order of sweeps is called 'sideways'");
  expect("convert bad.dat good.hdf5", "bad.dat:9:5: found 'nan'");
  expect("convert chain.hdf5 chain.txt", "found the ending '.txt', expected .hdf5, .h5 (FCLIB) or .dat");
  expect("convert chain.hdf5 x.dat --storage round", "found the storage 'round', expected dense, blocks or sparse");
  expect("convert rows.hdf5 x.dat", "2 scalar rows");
  EXPECT_FALSE(std::filesystem::exists(folder / "good.hdf5"));
}

}  // namespace
}  // namespace grus::testing::problem_command_test
