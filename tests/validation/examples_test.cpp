// Every example through the program, as a user runs it. The quick ones whole, and some of the others at a smaller
// scale: exit code 0 says that their checks passed. The rest for a short while, without their checks: they must start,
// lose nothing and not warn. Those that cannot start without long work, such as making a large bed, are only read.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/paths.hpp"

namespace grus::testing::examples_test {
namespace {

namespace fs = std::filesystem;

struct ExampleRun {
  const char* scene;                       // folder/file without .yaml
  const char* until;                       // s; empty: the whole run with its checks; read_only: no run
  std::vector<const char*> settings = {};  // parameters by --set: the same physics at a smaller scale
};

constexpr const char* read_only = "read only";

// Whole runs take at most some ten seconds of one core.
const ExampleRun example_runs[] = {
    {"bouncing-ball/bouncing-ball", ""},
    {"brazil-nut/brazil-nut", "", {"grains=300", "jar=0.08", "cycles=18", "solver.tolerance=3e-4"}},
    {"brazil-nut/solvers", read_only},
    {"column-collapse/column-collapse", "", {"aspect=1", "columns=18"}},
    {"column-collapse/sweep", read_only},
    {"double-pendulum/double-pendulum", ""},
    {"drum/drum", "", {"time.end=5", "steady=2", "middle=3.5"}},
    {"excavator/excavator", "0.1"},
    {"four-bar-clearance/four-bar-clearance", ""},
    {"four-bar-clearance/ideal", ""},
    {"heavy-on-light/heavy-on-light", ""},
    {"incline/incline", ""},
    {"masonry-wall/masonry-wall", read_only},  // masonry_wall_test.cpp runs it
    // wide enough that no stone is wedged between a foot and a wall
    {"quadruped/quadruped", "", {"half_length=0.41", "half_width=0.26", "layers=3"}},
    {"slider-crank/absolute", ""},
    {"slider-crank/chain", ""},
    {"slider-crank/cut-xy", ""},
    {"slider-crank/cut-y-free", ""},
    {"slider-crank/flores", ""},
    {"spheres-settling/spheres-settling", "0.3"},
    {"tamping/air", ""},
    {"tamping/single", read_only},
    {"tamping/small", ""},
    {"tamping/spread", read_only},
    {"tamping/tamping", read_only},
    {"woodpecker/woodpecker", ""},
};

// The tines push with kilonewtons, and a residual of 1e-3 over all contacts leaves single stones far off: the program
// says so, and so does the example's page.
// Joints between free bodies lose energy where bodies turn: that slider-crank is there to show what they cost.
bool is_known(const std::string& scene, const std::string& warning) {
  return (scene == "tamping/small" && warning.starts_with("the contact between ")) ||
         (scene == "slider-crank/absolute" && warning.starts_with("the energy balance "));
}

fs::path examples_folder() { return fs::path(GRUS_SOURCE_DIR) / "examples"; }

class Example : public ::testing::TestWithParam<ExampleRun> {
 protected:
  void SetUp() override {
    std::string scene = GetParam().scene;
    std::replace(scene.begin(), scene.end(), '/', '-');
    folder_ = fs::temp_directory_path() / ("grus-example-" + scene + "-" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  // One thread: suites run beside each other.
  int run_program() const {
    const std::string scene = GetParam().scene, until = GetParam().until;
    const std::string file = "'" + (examples_folder() / (scene + ".yaml")).string() + "'";
    std::string command = std::string("'") + GRUS_PROGRAM + "' ";
    if (until == read_only) {
      command += "check " + file;
    } else {
      command += "run " + file + " --no-report --threads 1 --out '" + folder_.string() + "'";
      if (!until.empty()) command += " --until " + until;
      for (const char* setting : GetParam().settings) command += std::string(" --set ") + setting;
    }
    const int status = std::system((command + " 2>&1").c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  nlohmann::json summary() const {
    std::ifstream file(folder_ / "summary.json");
    return nlohmann::json::parse(file);
  }

 private:
  fs::path folder_;
};

TEST_P(Example, Runs) {
  ASSERT_EQ(run_program(), 0);
  if (GetParam().until == std::string(read_only)) return;
  const nlohmann::json result = summary();
  EXPECT_EQ(result.at("lost_bodies"), 0);
  EXPECT_LE(result.at("unconverged_steps").get<double>(), 0.01 * result.at("steps").get<double>());
  // what machines feel, in every step; null without gravity
  if (result.at("machine_tolerance").is_number()) {
    EXPECT_LE(result.at("residual_mechanism_max").get<double>(), result.at("machine_tolerance").get<double>());
  }
  for (const std::string warning : result.at("warnings")) EXPECT_TRUE(is_known(GetParam().scene, warning)) << warning;
  const bool whole = std::string(GetParam().until).empty();
  EXPECT_EQ(result.at("checks").empty(), !whole);
  for (const auto& check : result.at("checks")) EXPECT_TRUE(check.at("pass").get<bool>()) << check;
}

INSTANTIATE_TEST_SUITE_P(Gallery, Example, ::testing::ValuesIn(example_runs), [](const auto& run) {
  std::string name = run.param.scene;
  std::erase(name, '-');
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

// Scenes are the files of an example's folder; those below it are parts of them.
TEST(Examples, AreAllInTheList) {
  std::set<std::string> scenes, listed;
  for (const auto& folder : fs::directory_iterator(examples_folder())) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") scenes.insert((folder.path().filename() / entry.path().stem()).string());
    }
  }
  for (const ExampleRun& run : example_runs) listed.insert(run.scene);
  EXPECT_EQ(scenes, listed);
}

}  // namespace
}  // namespace grus::testing::examples_test
