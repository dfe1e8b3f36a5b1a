// Whatever call fails on the way, and whatever becomes of the files while a run goes on: the run stops and says so, and
// what it leaves can be resumed to the same bytes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <new>
#include <optional>

#include "core/error.hpp"
#include "core/random.hpp"
#include "grus/run.hpp"
#include "io/summary.hpp"
#include "io/whole_file.hpp"
#include "support/faults.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::fault_injection_test {
namespace {

namespace fs = std::filesystem;
using test::TemporaryDirectory;
using testing::FaultPlace;
using testing::FaultPlan;
using testing::Faults;
using ::testing::HasSubstr;

// Everything a run can write, in a few milliseconds.
constexpr const char* busy_scene = R"yaml(
time: {step: 1e-3, end: 0.012}
solver: {tolerance: 1e-3, max_iterations: 30}
materials: [{name: m, density: 2500}]
pairs: [{between: [m, m], friction: 0.4}]
walls: [{name: floor, plane: {}}]
generators:
  - {name: grains, kind: lattice, cells: [4, 4, 2], box: {min: [-0.03, -0.03, 0.001], max: [0.06, 0.06, 0.1]}, size: 0.02}
outputs: {series: 1e-3, frames: 1e-3, checkpoint: 4e-3, frame_part_megabytes: 0.01, vtk: true}
analysis: {samples: 2, times: [last]}
)yaml";

// Thousands of files are made and removed: a file system in memory, where there is one, takes a third of the time.
fs::path quick_place() {
  const fs::path memory = "/dev/shm";
  return ::access(memory.c_str(), W_OK) == 0 ? memory : fs::temp_directory_path();
}

class FaultsOnTheWay : public ::testing::Test {
 protected:
  FaultsOnTheWay() { std::ofstream(folder_ / "busy.yaml") << busy_scene; }

  RunOptions options(const std::string& out, bool resume = false) const {
    RunOptions options;
    options.scene = folder_ / "busy.yaml";
    options.out = folder_ / out;
    options.threads = 1;
    options.report = false;
    options.save_problems = "every=5";
    options.resume = resume;
    return options;
  }

  // All that a run leaves, but what tells of the wall clock.
  std::map<std::string, std::string> files_of(const std::string& out) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(folder_ / out)) {
      const std::string name = fs::relative(entry.path(), folder_ / out).string();
      if (entry.is_regular_file() && name != "summary.json" && name != "checkpoint.h5")
        files[name] = read_whole_file(entry.path().string());
    }
    files["state_hash"] = read_summary(folder_ / (out + "/summary.json")).state_hash;
    return files;
  }

  TemporaryDirectory folder_{quick_place()};
};

// What stopped the run; nothing when it came through.
std::optional<std::string> attempt(const RunOptions& options) {
  try {
    run(options);
  } catch (const IoError& error) {
    return error.what();
  } catch (const InputError& error) {
    return error.what();  // a scene that cannot be opened is a fault of the scene
  } catch (const std::bad_alloc&) {
    return "memory";
  }
  return std::nullopt;
}

// How a process ends in which memory runs out. A destructor of the JSON library allocates, so that it may be an abort,
// which to the files is a kill like any other.
enum class EndOfMemory { done, said_so, aborted, crashed };

EndOfMemory run_out_of_memory(const RunOptions& options, const std::string& folder, const FaultPlan& plan) {
  const pid_t child = fork();
  if (child == 0) {
    const int nowhere = ::open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    const Faults faults(folder, plan);
    const bool stopped = attempt(options).has_value();
    _exit(stopped ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? EndOfMemory::done : EndOfMemory::said_so;
  return WTERMSIG(status) == SIGABRT ? EndOfMemory::aborted : EndOfMemory::crashed;
}

TEST_F(FaultsOnTheWay, AreReportedAndResumed) {
  std::array<long, testing::fault_places> calls{};
  {
    const Faults counted(folder_.path());
    ASSERT_EQ(run(options("whole")).status, RunStatus::done);
    for (int k = 0; k < testing::fault_places; ++k) calls[static_cast<std::size_t>(k)] = counted.calls(FaultPlace(k));
  }
  const auto whole = files_of("whole");
  ASSERT_GT(whole.size(), 30u);
  constexpr int points_per_place = 50;
  Random random(20261116);
  int aborted = 0, resumed_midway = 0;
  for (int k = 0; k < testing::fault_places * points_per_place; ++k) {
    FaultPlan plan;
    plan.place = FaultPlace(k % testing::fault_places);
    const long count = calls[static_cast<std::size_t>(plan.place)];
    ASSERT_GT(count, 20) << k;
    plan.call = 1 + static_cast<long>(random.uniform(0.0, static_cast<Real>(count) - 0.5));
    plan.for_good = random.uniform(0.0, 1.0) < 0.5;
    const std::string point =
        "place " + std::to_string(static_cast<int>(plan.place)) + ", call " + std::to_string(plan.call);
    SCOPED_TRACE(point);
    if (plan.place == FaultPlace::allocation) {
      const EndOfMemory end = run_out_of_memory(options("trial"), folder_.path(), plan);
      ASSERT_NE(end, EndOfMemory::crashed);
      aborted += end == EndOfMemory::aborted ? 1 : 0;
    } else {
      const Faults faults(folder_.path(), plan);
      const std::optional<std::string> stop = attempt(options("trial"));
      ASSERT_TRUE(faults.happened());
      ASSERT_TRUE(stop);
      EXPECT_THAT(*stop, HasSubstr(folder_.path()));
    }
    resumed_midway += fs::exists(folder_ / "trial/checkpoint.h5") ? 1 : 0;
    {
      const Faults none(folder_.path());
      ASSERT_EQ(attempt(options("trial", true)), std::nullopt);
    }
    ASSERT_EQ(files_of("trial"), whole);
    fs::remove_all(folder_ / "trial");
  }
  EXPECT_LT(aborted, points_per_place / 2);
  EXPECT_GT(resumed_midway, testing::fault_places * points_per_place / 3)
      << "faults must strike after the first checkpoint";
}

class FilesUnderARun : public FaultsOnTheWay {
 protected:
  // Does something to the files after step 9 of 12.
  std::optional<std::string> run_and(const std::function<void()>& act) {
    fs::remove_all(folder_ / "run");
    RunOptions disturbed = options("run");
    disturbed.progress = [&](const Progress& progress) {
      if (progress.step == 9) act();
    };
    const Faults quick(folder_.path());
    return attempt(disturbed);
  }
  std::string in_run(const std::string& name) const { return folder_ / ("run/" + name); }
  std::string saved(const std::string& name) { return read_whole_file(in_run(name)); }
};

TEST_F(FilesUnderARun, ASeriesThatIsDeletedReplacedOrCutStopsIt) {
  const std::vector<std::function<void()>> acts = {
      [&] { fs::remove(in_run("series.csv")); },
      [&] {
        fs::remove(in_run("series.csv"));
        std::ofstream(in_run("series.csv")) << "mine";
      },
      [&] { fs::resize_file(in_run("series.csv"), 10); },
      [&] { std::ofstream(in_run("series.csv"), std::ios::app) << "more"; }};
  for (const auto& act : acts) {
    const std::optional<std::string> stop = run_and(act);
    ASSERT_TRUE(stop);
    EXPECT_THAT(*stop, HasSubstr("series.csv was "));
  }
}

TEST_F(FilesUnderARun, AFullPartOfTheFramesThatIsDeletedOrCutStopsIt) {
  for (const auto& act : std::vector<std::function<void()>>{
           [&] { fs::remove(in_run("frames/part-00000.bin")); },
           [&] { fs::resize_file(in_run("frames/part-00000.bin"), 8); },
           [&] { write_whole_file(in_run("frames/part-00000.bin"), saved("frames/part-00000.bin")); }}) {
    const std::optional<std::string> stop = run_and(act);
    ASSERT_TRUE(stop);
    EXPECT_THAT(*stop, HasSubstr("part-00000.bin was "));
  }
}

TEST_F(FilesUnderARun, AFolderThatIsMovedOrReplacedStopsIt) {
  const auto move_away = [&] {
    fs::remove_all(folder_ / "elsewhere");
    fs::rename(folder_ / "run", folder_ / "elsewhere");
  };
  EXPECT_TRUE(run_and(move_away));
  EXPECT_TRUE(run_and([&] {
    move_away();
    fs::create_directory(folder_ / "run");
  }));
  EXPECT_TRUE(fs::is_empty(folder_ / "run")) << "nothing is written into another folder";
}

TEST_F(FilesUnderARun, PicturesAndProblemsThatAreDeletedAreNamed) {
  EXPECT_EQ(run_and([&] {
              fs::remove(in_run("vtk/grains-000002.vtp"));
              fs::remove(in_run("problems/step-00000005.hdf5"));
            }),
            std::nullopt);
  const std::vector<std::string> warnings = read_summary(in_run("summary.json")).warnings;
  EXPECT_THAT(warnings, ::testing::Contains("vtk/grains-000002.vtp was deleted while the run went on"));
  EXPECT_THAT(warnings, ::testing::Contains("problems/step-00000005.hdf5 was deleted while the run went on"));
}

TEST_F(FilesUnderARun, WhatIsWrittenAgainIsWholeAgain) {
  EXPECT_EQ(run_and([&] {
              fs::remove(in_run("checkpoint.h5"));
              fs::remove(in_run("frames/index.json"));
              fs::remove(in_run("vtk/run.pvd"));
            }),
            std::nullopt);
  const auto disturbed = files_of("run");
  fs::remove_all(folder_ / "run");
  ASSERT_EQ(attempt(options("run")), std::nullopt);
  EXPECT_EQ(disturbed, files_of("run"));
}

}  // namespace
}  // namespace grus::fault_injection_test
