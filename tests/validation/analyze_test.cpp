// grus run and grus analyze as a user calls them, on a small bed whose answers are known by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <string>

#include <nlohmann/json.hpp>

#include "support/paths.hpp"

namespace grus::testing::analyze_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

// Three by three columns of three balls of diameter 1 in a box that they fill to the walls, under a lid that takes no
// part in their weight: a simple cubic lattice at rest.
const char* const lattice_scene = R"(
parameters: {d: 1}
time: {step: 1e-3, end: 0.02}
contact: {law: gap}
solver: {tolerance: 1e-6}
materials: [{name: glass, density: 1000}]
pairs: [{between: [glass, glass], friction: 0.3}]
containers:
  - {name: box, box: {min: [0, 0, 0], max: [3*d, 3*d, 4*d], open: [+z]}}
bodies:
  - {name: beam, fixed: true, shape: {box: {size: [3*d, 3*d, 0.5*d]}}, position: [1.5*d, 1.5*d, 3.75*d]}
generators:
  - {name: grains, kind: lattice, size: d, cells: [3, 3, 3], spacing: d, box: {min: [0, 0, 0], max: [3*d, 3*d, 3*d]}}
outputs: {series: 0.01, frames: 0.01}
analysis:
  times: [first, 0.005, last]
  cell: d
  samples: 20
  box: {min: [0, 0, 0], max: [3*d, 3*d, 4*d]}
  strength: 10000
  regions:
    - {name: bed, min: [0, 0, 0], max: [3*d, 3*d, 3*d]}
    - {name: above, min: [0, 0, 3*d], max: [3*d, 3*d, 4*d]}
)";

struct Output {
  int code = -1;
  std::string text;
};

Output call(const std::string& arguments) {
  Output output;
  FILE* pipe = popen((std::string("'") + GRUS_PROGRAM + "' " + arguments + " 2>&1").c_str(), "r");
  char buffer[512];
  while (std::fgets(buffer, sizeof buffer, pipe)) output.text += buffer;
  const int status = pclose(pipe);
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return output;
}

class Analyze : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("grus-analyze-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "lattice.yaml") << lattice_scene;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string out() const { return (folder_ / "out").string(); }
  std::string scene() const { return (folder_ / "lattice.yaml").string(); }
  std::string text_of(const std::string& name) const {
    std::ifstream file(out() + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_F(Analyze, ARunLooksAtItselfAndTheProgramLooksAgain) {
  ASSERT_EQ(call("run '" + scene() + "' --threads 1 --quiet --out '" + out() + "'").code, 0);
  const std::string by_run = text_of("analysis.json");
  const auto analysis = nlohmann::json::parse(by_run);
  ASSERT_EQ(analysis["frames"].size(), 3u);
  EXPECT_NEAR(analysis["frames"][1]["time"].get<double>(), 0.005, 1e-12) << "a frame off the schedule";
  EXPECT_EQ(analysis["map"]["count"], (std::vector<int>{3, 4}));
  const double pi = std::numbers::pi;
  for (const auto& frame : analysis["frames"]) {
    // 27 balls in 27 cubes; above them the beam takes half of the layer and nothing is solid
    EXPECT_NEAR(frame["regions"][0]["solid_fraction"].get<double>(), pi / 6, 0.01);
    EXPECT_NEAR(frame["regions"][1]["free_volume"].get<double>(), 4.5, 1e-9);
    EXPECT_NEAR(frame["solid_fraction"].get<double>(), 27 * pi / 6 / 31.5, 0.01);
  }
  const auto& last = analysis["frames"][2];
  // Columns at rest carry weight on their ends only: the floor or a ball below, a ball above or nothing.
  const double weight = 1000 * pi / 6 * 9.81;
  EXPECT_EQ(last["forces"]["contacts"], 27);
  EXPECT_NEAR(last["forces"]["mean"].get<double>(), 2 * weight, 0.01 * weight);
  EXPECT_NEAR(last["forces"]["max"].get<double>(), 3 * weight, 0.01 * weight);
  EXPECT_EQ(last["coordination"]["histogram"], (std::vector<int>{0, 9, 18}));
  // 15.4 kN below, 10.3 kN between the lower two, 5.1 kN on top
  EXPECT_EQ(last["overloaded"]["bodies"], 18);
  EXPECT_NEAR(last["fabric"]["anisotropy"].get<double>(), 1.0, 1e-6);
  // builds without the viewer write no report
  if (fs::exists(out() + "/report.html")) {
    EXPECT_THAT(text_of("report.html"), HasSubstr("\"analysis\":{\"packed\":"));
  }
  EXPECT_THAT(text_of("analysis/cells.csv"), HasSubstr("x,y,z,t=0,t=0.005,t=0.02,change\n"));

  // The same settings are found in the folder; any number of threads; the same bytes.
  const Output again = call("analyze '" + out() + "' --threads 2");
  EXPECT_EQ(again.code, 0) << again.text;
  EXPECT_THAT(again.text, HasSubstr("t = 0.02 s: solid fraction"));
  EXPECT_EQ(text_of("analysis.json"), by_run);

  EXPECT_EQ(call("analyze '" + out() + "' --time 0.01 --cell 1.5 --strength 1").code, 0);
  const auto other = nlohmann::json::parse(text_of("analysis.json"));
  EXPECT_EQ(other["frames"].size(), 1u);
  EXPECT_EQ(other["frames"][0]["overloaded"]["bodies"], 27);
  EXPECT_EQ(other["grid"]["count"], (std::vector<int>{2, 2, 3}));

  const Output outside = call("analyze '" + out() + "' --time 3");
  EXPECT_EQ(outside.code, 2);
  EXPECT_THAT(outside.text, HasSubstr("no frame at 3 s was found, expected a time from 0 to 0.02 s"));
  EXPECT_EQ(call("analyze '" + out() + "' --cell 1e-9").code, 2);
  EXPECT_EQ(call("analyze '" + out() + "' --cell 0").code, 2);

  // A run killed before its end has frames and no summary: the scene is given.
  fs::remove(out() + "/summary.json");
  EXPECT_EQ(call("analyze '" + out() + "' --scene '" + scene() + "'").code, 0);
  EXPECT_EQ(nlohmann::json::parse(text_of("analysis.json"))["regions"].size(), 2u);
  fs::remove_all(out() + "/frames");
  EXPECT_NE(call("analyze '" + out() + "'").code, 0);
}

}  // namespace
}  // namespace grus::testing::analyze_test
