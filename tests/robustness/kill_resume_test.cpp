// A run killed with SIGKILL at a random moment and resumed ends with the hash of the uninterrupted run, and the
// same series; Ctrl-C ends with 130 and a checkpoint; a full disk says so.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/random.hpp"
#include "core/timer.hpp"
#include "io/summary.hpp"
#include "support/paths.hpp"

namespace grus::testing::kill_resume_test {
namespace {

namespace fs = std::filesystem;

// Spheres falling into a shaken box; frequent checkpoints, so that a kill lands between two of them.
constexpr const char* scene_text = R"yaml(
scene: kill
time: {step: 1e-3, end: 0.6}
solver: {tolerance: 1e-3, max_iterations: 60}
materials: [{name: m, density: 2500}]
pairs: [{between: [m, m], friction: 0.4, restitution: 0.1}]
containers:
  - {name: box, box: {min: [-0.06, -0.06, 0], max: [0.06, 0.06, 0.4], open: [+z]}, motion: {z: "0.003*sin(2*pi*10*t)"}}
generators:
  - {name: grains, kind: lattice, cells: [5, 5, 12], box: {min: [-0.055, -0.055, 0.01], max: [0.055, 0.055, 0.4]},
     spacing: 0.021, jitter: 0.5, shape: sphere, size: 0.02, velocity_spread: 0.2}
probes:
  - {column: height, group: grains, quantity: mean.z}
outputs: {series: 0.005, frames: 0.05, checkpoint: 0.02}
)yaml";

// An arm with a closed loop, a motor at its limit, dry friction and a stop pushes grains about.
constexpr const char* machine_text = R"yaml(
scene: machine
time: {step: 1e-3, end: 0.3}
solver: {tolerance: 1e-3, max_iterations: 60}
contact: {law: gap}
materials: [{name: m, density: 2500}]
pairs: [{between: [m, m], friction: 0.4}]
walls: [{name: floor, plane: {}}]
generators:
  - {name: grains, kind: lattice, cells: [6, 5, 2], box: {min: [-0.085, -0.05, 0.001], max: [0.1, 0.1, 0.1]}, size: 0.02,
     velocity_spread: 0.2}
mechanisms:
  - name: pusher
    bodies:
      - name: arm
        joint: {kind: revolute, at: [-0.3, 0, 0.1], axis: [0, -1, 0], coordinates: {angle: {start: 0, role: dependent}}}
        mass: 1
        inertia: [0.01, 0.01, 0.01]
      - name: barrel
        joint: {kind: revolute, at: [-0.3, 0, 0], axis: [0, -1, 0], coordinates: {angle: {start: 0.78, role: dependent}}}
        mass: 0.2
        inertia: [1e-3, 1e-3, 1e-3]
      - name: rod
        parent: barrel
        joint:
          kind: prismatic
          axis: [1, 0, 0]
          coordinates: {slide: {start: 0.1414, motor: {position: 0.13 + 0.02*cos(20*t), gain: 1e4, damping: 50, limit: 60, implicit: true}}}
        mass: 0.2
        inertia: [1e-3, 1e-3, 1e-3]
      - name: blade
        parent: arm
        joint: {kind: revolute, at: [0.2, 0, 0], axis: [0, -1, 0], coordinates: {angle: {lower: -0.3, friction: 0.1, rate: 3, force: "-0.5*(blade.angle - kept)"}}}
        density: 2000
        material: m
        shape: {box: {size: [0.02, 0.1, 0.08]}, position: [0, 0, -0.04]}
    loops:
      - {name: pin, kind: components, components: [x, z], a: {body: arm, at: [0.1, 0, 0]}, b: {body: rod}}
    memories:
      - {name: kept, of: blade.angle, at: 0.1}
probes:
  - {column: blade, coordinate: blade.angle, quantity: position}
  - {column: push, coordinate: rod.slide, quantity: force}
outputs: {series: 0.005, frames: 0.05}
)yaml";

// The same machine among crushed rock.
std::string stone_machine_text() {
  std::string text = machine_text;
  const std::string_view size = "size: 0.02,";
  return text.replace(text.find(size), size.size(), "size: 0.02, stone: {vertices: 18, variants: 12},");
}

std::string slurp(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class KillAndResume : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("grus-kill-" + std::to_string(getpid()));
    fs::create_directories(folder_);
    std::ofstream(folder_ / "scene.yaml") << scene_text;
  }
  void TearDown() override { fs::remove_all(folder_); }

  pid_t start(const std::string& out, std::vector<std::string> more, rlim_t file_limit = RLIM_INFINITY) {
    std::vector<std::string> words{GRUS_PROGRAM, "run", folder_ / "scene.yaml", "--out", folder_ / out,
                                   "--threads",  "2"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const std::string log = folder_ / (out + ".log");
    const pid_t child = fork();
    if (child == 0) {
      const int file = open(log.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0644);
      dup2(file, 1);
      dup2(file, 2);
      if (file_limit != RLIM_INFINITY) {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{file_limit, file_limit};
        setrlimit(RLIMIT_FSIZE, &limit);
      }
      execv(arguments[0], arguments.data());
      _exit(127);
    }
    return child;
  }
  static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  Summary summary(const std::string& out) { return read_summary(folder_ / out / "summary.json"); }

  fs::path folder_;
};

// How often a run is killed: a few times, or as the environment asks (`make test-slow`).
int wanted_kills() {
  const char* asked = std::getenv("GRUS_KILLS");
  return asked != nullptr ? std::stoi(asked) : 6;
}

TEST_F(KillAndResume, KillsEndInTheSameState) {
  Timer timer;
  ASSERT_EQ(wait_for(start("whole", {})), 0) << slurp(folder_ / "whole.log");
  double wall = timer.seconds();
  const std::string hash = summary("whole").state_hash;
  const std::string series = slurp(folder_ / "whole/series.csv");

  // A run that ended before it was killed counts for nothing: other work beside the first run made it look long.
  const int kills = wanted_kills(), attempts = 5 * kills;
  Random random(20261115);
  int killed = 0, resumed_midway = 0;
  for (int k = 0; killed < kills && k < attempts; ++k) {
    const std::string out = "kill" + std::to_string(k);
    const pid_t child = start(out, {});
    std::this_thread::sleep_for(std::chrono::duration<double>(random.uniform(0.05, 0.95) * wall));
    kill(child, SIGKILL);
    const bool landed = wait_for(child) == -SIGKILL;
    if (landed) {
      ++killed;
      resumed_midway += fs::exists(folder_ / out / "checkpoint.h5") ? 1 : 0;
      ASSERT_EQ(wait_for(start(out, {"--resume"})), 0) << slurp(folder_ / (out + ".log"));
      ASSERT_EQ(summary(out).state_hash, hash) << "kill " << k;
      ASSERT_EQ(slurp(folder_ / out / "series.csv"), series) << "kill " << k;
    } else {
      wall *= 0.8;
    }
    fs::remove_all(folder_ / out);
  }
  EXPECT_EQ(killed, kills);
  // Most must have landed between two checkpoints, not before the first.
  EXPECT_GE(resumed_midway, kills / 2);
}

TEST_F(KillAndResume, ResumeToALaterEndEqualsOneRun) {
  ASSERT_EQ(wait_for(start("whole", {})), 0);
  ASSERT_EQ(wait_for(start("parts", {"--until", "0.3135"})), 0);
  ASSERT_EQ(wait_for(start("parts", {"--resume"})), 0) << slurp(folder_ / "parts.log");
  EXPECT_EQ(summary("parts").state_hash, summary("whole").state_hash);
  EXPECT_EQ(slurp(folder_ / "parts/series.csv"), slurp(folder_ / "whole/series.csv"));
  EXPECT_EQ(summary("parts").sweeps_mean, summary("whole").sweeps_mean);
}

TEST_F(KillAndResume, MachineResumesWhereItStopped) {
  for (const std::string& text : {std::string(machine_text), stone_machine_text()}) {
    std::ofstream(folder_ / "scene.yaml") << text;
    ASSERT_EQ(wait_for(start("whole", {})), 0) << slurp(folder_ / "whole.log");
    ASSERT_EQ(wait_for(start("parts", {"--until", "0.1135"})), 0);
    ASSERT_EQ(wait_for(start("parts", {"--resume"})), 0) << slurp(folder_ / "parts.log");
    EXPECT_EQ(summary("parts").state_hash, summary("whole").state_hash);
    EXPECT_EQ(slurp(folder_ / "parts/series.csv"), slurp(folder_ / "whole/series.csv"));
  }
}

TEST_F(KillAndResume, OneRunOfAStudyAndLaterTheOthers) {
  std::ofstream(folder_ / "scene.yaml", std::ios::app)
      << "runs: [{name: one, set: {seed: 3}}, {name: two, set: {seed: 4}}]\n";
  ASSERT_EQ(wait_for(start("study", {"--until", "0.02", "--only", "two"})), 0) << slurp(folder_ / "study.log");
  EXPECT_FALSE(fs::exists(folder_ / "study/one"));
  EXPECT_FALSE(fs::exists(folder_ / "study/summary.json"));
  const std::string alone = summary("study/two").state_hash;
  ASSERT_EQ(wait_for(start("study", {"--until", "0.02", "--resume"})), 0) << slurp(folder_ / "study.log");
  EXPECT_TRUE(fs::exists(folder_ / "study/summary.json"));
  EXPECT_EQ(summary("study/two").state_hash, alone);
  EXPECT_NE(summary("study/one").state_hash, alone);
  EXPECT_EQ(wait_for(start("study", {"--only", "tow"})), 2);
  EXPECT_NE(slurp(folder_ / "study.log").find("did you mean 'two'"), std::string::npos) << slurp(folder_ / "study.log");
}

TEST_F(KillAndResume, ResumeOfAFinishedRunLeavesItsFiles) {
  // The end lies off the schedule of rows and frames: the last ones are written beside it.
  ASSERT_EQ(wait_for(start("done", {"--until", "0.0135"})), 0) << slurp(folder_ / "done.log");
  const std::string series = slurp(folder_ / "done/series.csv"), frames = slurp(folder_ / "done/frames/index.json");
  ASSERT_EQ(wait_for(start("done", {"--until", "0.0135", "--resume"})), 0) << slurp(folder_ / "done.log");
  EXPECT_EQ(slurp(folder_ / "done/series.csv"), series);
  EXPECT_EQ(slurp(folder_ / "done/frames/index.json"), frames);
}

TEST_F(KillAndResume, InterruptWritesACheckpointAndExits130) {
  ASSERT_EQ(wait_for(start("whole", {})), 0);
  const pid_t child = start("stop", {});
  while (!fs::exists(folder_ / "stop/checkpoint.h5")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(child, SIGINT);
  EXPECT_EQ(wait_for(child), 130);
  EXPECT_EQ(summary("stop").status, "interrupted");
  ASSERT_EQ(wait_for(start("stop", {"--resume"})), 0);
  EXPECT_EQ(summary("stop").state_hash, summary("whole").state_hash);
}

TEST_F(KillAndResume, CheckpointOfAnotherSceneIsRefused) {
  ASSERT_EQ(wait_for(start("other", {"--until", "0.05"})), 0);
  EXPECT_EQ(wait_for(start("other", {"--resume", "--set", "seed=5"})), 2);
  EXPECT_NE(slurp(folder_ / "other.log").find("another scene"), std::string::npos);
}

TEST_F(KillAndResume, KilledAtOnceItStartsAgain) {
  // From before the first file on.
  for (int k = 0; k < 6; ++k) {
    const std::string out = "once" + std::to_string(k);
    const pid_t child = start(out, {"--until", "0.005"});
    std::this_thread::sleep_for(std::chrono::milliseconds(8 * k));
    kill(child, SIGKILL);
    wait_for(child);
    ASSERT_EQ(wait_for(start(out, {"--until", "0.005", "--resume"})), 0) << slurp(folder_ / (out + ".log"));
    ASSERT_EQ(wait_for(start(out, {"--until", "0.005"})), 0) << slurp(folder_ / (out + ".log"));
  }
}

TEST_F(KillAndResume, FilesOfTheUserStay) {
  for (const char* name :
       {"mine/series.csv", "mine/report.html", "mine/analysis/notes.txt", "mine/problems/notes.txt"}) {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "mine";
  }
  EXPECT_EQ(wait_for(start("mine", {"--until", "0.005"})), 2);
  EXPECT_EQ(wait_for(start("mine", {"--until", "0.005", "--resume"})), 2);
  EXPECT_NE(slurp(folder_ / "mine.log").find("--force"), std::string::npos) << slurp(folder_ / "mine.log");
  EXPECT_EQ(slurp(folder_ / "mine/series.csv"), "mine");
  ASSERT_EQ(wait_for(start("mine", {"--until", "0.005", "--no-report", "--force"})), 0) << slurp(folder_ / "mine.log");
  ASSERT_EQ(wait_for(start("mine", {"--until", "0.005", "--no-report"})), 0) << slurp(folder_ / "mine.log");
  EXPECT_NE(slurp(folder_ / "mine/series.csv"), "mine");
  for (const char* name : {"mine/report.html", "mine/analysis/notes.txt", "mine/problems/notes.txt"})
    EXPECT_EQ(slurp(folder_ / name), "mine") << name;
  EXPECT_EQ(wait_for(start("mine", {"--set", "scene=../../victim"})), 2);
  EXPECT_NE(slurp(folder_ / "mine.log").find("names a folder"), std::string::npos) << slurp(folder_ / "mine.log");
}

// The disk fills up: a file may not grow past 20 kB. The message names the file; what was whole stays whole.
TEST_F(KillAndResume, FullDiskIsReported) {
  EXPECT_EQ(wait_for(start("full", {}, 20000)), 1);
  EXPECT_NE(slurp(folder_ / "full.log").find(folder_.string()), std::string::npos) << slurp(folder_ / "full.log");
}

}  // namespace
}  // namespace grus::testing::kill_resume_test
