#include "io/summary.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/whole_file.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::summary_test {
namespace {

using testing::HasSubstr;

// No field has the value it has by default: one that is not written or not read is noticed.
Summary example() {
  Summary s;
  s.scene = "examples/drum/drum.yaml";
  s.title = "A \"drum\" </script>";
  s.paper = "000";
  s.status = "interrupted";
  s.version = "0.1.0";
  s.threads = 2;
  s.steps = 123456789012;
  s.time_step = 1e-3;
  s.t_end = 0.1;
  s.wall_s = 12.25;
  s.wall_s_per_stage = {{"detect", 1.5}, {"solve", 9.0}, {"build", 0.5}};
  s.bodies = 500;
  s.contacts_mean = 1000.25;
  s.contacts_max = 1500;
  s.pairs_mean = 900;
  s.sweeps_mean = 33.3;
  s.tolerance = 1e-4;
  s.machine_tolerance = 9.81e-4;
  s.residual_p99 = 9.9e-5;
  s.residual_max = 2e-4;
  s.residual_velocity_max = 0.03;
  s.unconverged_steps = 3;
  s.penetration_mean = 1e-6;
  s.penetration_max = 1e-5;
  s.loop_error_max = 1e-11;
  s.loop_velocity_max = 1e-10;
  s.lost_bodies = 1;
  Real value = 1.0;
  visit_energy(s.energy, [&](const char*, Real& field) { field = value++; });
  s.recovery_residual_max = 0.01;
  s.recovery_left_max = 1e-6;
  s.residual_mechanism_max = 1e-5;
  s.condition_error_max = 1e-7;
  s.partition_changes = 2;
  s.units = {{"t", "s"}, {"energy.kinetic", "J"}};
  s.state_hash = "0123456789abcdef";
  s.checks = {{"angle", 0.61, "0.6 +- 0.02", true}, {"lost", 1, "< 1", false}};
  s.figures = {{"Angle", "time", {"angle", "rate"}, true}};
  s.warnings = {"one grain left the domain"};
  s.settings = {{"integrator", "moreau-jean"}, {"contact law", "gap"}};
  s.scene_text = "name: drum\n\tx: \xc3\xa9\n";
  return s;
}

TEST(SummaryFile, RoundTrip) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "summary.json";
  const Summary a = example();
  write_summary(path, a);
  const Summary b = read_summary(path);
  EXPECT_EQ(b, a);
  EXPECT_FALSE(b.checks_pass());
  EXPECT_FALSE(is_study_summary(read_whole_file(path), path));
}

TEST(SummaryFile, ExampleHasNoDefaults) {
  const test::TemporaryDirectory directory;
  write_summary(directory / "example", example());
  write_summary(directory / "default", Summary());
  const auto json = nlohmann::json::parse(read_whole_file(directory / "example"));
  const auto other = nlohmann::json::parse(read_whole_file(directory / "default"));
  for (const auto& [key, value] : json.items()) EXPECT_NE(value, other[key]) << key;
  for (const auto& [key, value] : json["energy"].items()) EXPECT_NE(value, other["energy"][key]) << key;
}

TEST(SummaryFile, HasEveryKeyOfTheContract) {
  const test::TemporaryDirectory directory;
  write_summary(directory / "s", example());
  const auto json = nlohmann::json::parse(read_whole_file(directory / "s"));
  for (const char* key : {"scene",
                          "version",
                          "threads",
                          "steps",
                          "t_end",
                          "wall_s",
                          "wall_s_per_stage",
                          "bodies",
                          "contacts_mean",
                          "contacts_max",
                          "pairs_mean",
                          "sweeps_mean",
                          "residual_p99",
                          "residual_max",
                          "unconverged_steps",
                          "penetration_mean",
                          "penetration_max",
                          "loop_error_max",
                          "energy",
                          "units",
                          "state_hash",
                          "checks"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
  for (const char* key : {"kinetic", "potential", "dissipated_contact", "work_external", "recovery", "work_walls",
                          "balance_error", "balance_error_part", "turned_over"}) {
    EXPECT_TRUE(json["energy"].contains(key)) << key;
  }
  EXPECT_EQ(json["wall_s_per_stage"]["solve"], 9.0);
  for (const char* key : {"name", "value", "bound", "pass"}) EXPECT_TRUE(json["checks"][0].contains(key)) << key;
}

TEST(SummaryFile, NotANumberIsNull) {
  const test::TemporaryDirectory directory;
  Summary s = example();
  s.residual_max = std::nan("");
  s.checks[0].value = std::nan("");
  write_summary(directory / "s", s);
  EXPECT_THAT(read_whole_file(directory / "s"), HasSubstr("\"residual_max\": null"));
  EXPECT_TRUE(std::isnan(read_summary(directory / "s").residual_max));
  EXPECT_TRUE(std::isnan(read_summary(directory / "s").checks[0].value));
}

TEST(SummaryFile, BytesThatAreNoTextDoNotStopIt) {
  const test::TemporaryDirectory directory;
  Summary s = example();
  s.scene_text = "\xff\xfe";
  write_summary(directory / "s", s);
  EXPECT_NO_THROW(read_summary(directory / "s"));
}

TEST(SummaryFile, BadFilesAreSentences) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "s";
  write_summary(path, example());
  const std::string whole = read_whole_file(path);
  for (const std::string& text :
       {whole.substr(0, whole.size() / 2), std::string("[]"), std::string("{}"), std::string(),
        std::string("{\"scene\": 3}"), std::string("{\"scene\": \"a\", \"checks\": {\"a\": 1}}")}) {
    write_whole_file(path, text);
    EXPECT_THROW(read_summary(path), InputError) << text.substr(0, 40);
  }
  EXPECT_THROW(read_summary(directory / "absent"), IoError);
}

TEST(SummaryFile, StudyRoundTrip) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "summary.json";
  StudySummary study;
  study.scene = "tamping.yaml";
  study.title = "Four runs";
  study.version = "0.1.0";
  study.wall_s = 3.5;
  study.runs.push_back({"f15", "f15", {{"frequency", "15"}}, "done", "00ff", 1.5, {{"depth", 0.1, "> 0", true}}});
  study.runs.push_back({"f30", "f30", {{"frequency", "30"}}, "failed", "", 2.0, {}});
  study.checks = {{"order", 1.0, "> 0", true}};
  study.warnings = {"f30 failed"};
  write_study_summary(path, study);
  EXPECT_TRUE(is_study_summary(read_whole_file(path), path));
  EXPECT_THROW(read_summary(path), InputError);
  const StudySummary read = read_study_summary(path);
  write_study_summary(directory / "again.json", read);
  EXPECT_EQ(read_whole_file(path), read_whole_file(directory / "again.json"));
  ASSERT_EQ(read.runs.size(), 2u);
  EXPECT_EQ(read.runs[0].set, study.runs[0].set);
}

}  // namespace
}  // namespace grus::summary_test
