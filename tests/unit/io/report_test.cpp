#include "io/report.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/base64.hpp"
#include "io/frames.hpp"
#include "io/report_data.hpp"
#include "io/summary.hpp"
#include "io/whole_file.hpp"
#include "unit/io/example_run.hpp"
#include "unit/io/temporary_directory.hpp"
#include "unit/io/unpacked.hpp"

namespace grus::report_test {
namespace {

using testing::HasSubstr;
using testing::Not;

// Stands for the page that the front end builds, which not every tier has.
constexpr std::string_view plain_page =
    "<html><script id=\"data\" type=\"application/json\">\"GRUS_REPORT_DATA\"</script></html>";

std::string page_of(const test::TemporaryDirectory& directory, const ReportLimits& limits = {}) {
  return report_text(plain_page, directory.path(), limits);
}

// The data of a page, found as a browser finds it: up to the first end of the script element.
nlohmann::json data_of(const std::string& page) {
  const std::string open = "<script id=\"data\" type=\"application/json\">";
  const std::size_t from = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(Base64, KnownTexts) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A");
}

// A frame of a clip against the frame of the run, body by body.
void expect_same_poses(const nlohmann::json& clip, std::size_t frame, const std::vector<std::int32_t>& quanta,
                       const Frame& truth) {
  const auto bodies = clip["bodies"].get<std::size_t>();
  const Real length = clip["length"], speed = clip["speed"], turn = clip["rotation"];
  ASSERT_EQ(bodies, truth.body_count());
  for (std::size_t i = 0; i < bodies; ++i) {
    Real along = 0.0, size = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(quanta[k * bodies + i] * length, truth.position[3 * i + k], 0.51 * length) << "frame " << frame;
      EXPECT_NEAR(quanta[(7 + k) * bodies + i] * speed, truth.velocity[3 * i + k], 0.51 * speed);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      const Real q = quanta[(3 + k) * bodies + i] / turn;
      along += q * Real(truth.rotation[4 * i + k]);
      size += q * q;
    }
    if (size == 0.0) continue;  // balls have no rotation
    EXPECT_NEAR(std::abs(along), 1.0, 2.0 / turn);
  }
}

TEST(Report, HasSummarySeriesAndClip) {
  for (const bool planar : {false, true}) {
    const test::TemporaryDirectory directory;
    test::write_example_run(directory.path(), {.planar = planar, .grains = 50});
    const auto run = data_of(page_of(directory)).at("run");
    EXPECT_EQ(run["summary"]["bodies"], 50);
    EXPECT_EQ(run["series"]["columns"].size(), run["series"]["values"].size());
    EXPECT_EQ(test::unpacked_reals(run["series"]["values"][0]).size(), 400u);
    const auto& clip = run["clip"];
    EXPECT_EQ(nlohmann::json::parse(test::unpacked_bytes(clip["scene"]))["planar"], planar);
    EXPECT_TRUE(clip["notes"].empty());
    ASSERT_EQ(clip["frames"].size(), 12u);
    const FrameReader reader(directory.path());
    std::vector<std::int32_t> before;
    for (std::size_t f = 0; f < 12; ++f) {
      std::vector<std::int32_t> quanta = test::unpacked_integers(clip["frames"][f]["data"]);
      // positions and rotations are differences
      for (std::size_t i = 0; f > 0 && i < 7 * std::size_t{52}; ++i) quanta[i] += before[i];
      expect_same_poses(clip, f, quanta, reader.read(static_cast<std::int64_t>(f)));
      before = quanta;
    }
  }
}

TEST(Report, NeedsNothingOutsideItself) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(), {.grains = 20});
  if (!can_write_report()) {  // tiers without the front end
    EXPECT_THROW(write_report(directory.path()), IoError);
    return;
  }
  write_report(directory.path());
  const std::string page = read_whole_file(directory / "report.html");
  EXPECT_THAT(page, HasSubstr("Content-Security-Policy\" content=\"default-src 'none'; script-src 'unsafe-inline'"))
      << "the browser itself lets nothing out";
  for (const char* reach : {"<script src", "<link rel=\"stylesheet", "@import", "url(http", "import("})
    EXPECT_THAT(page, Not(HasSubstr(reach)));
  EXPECT_THAT(page, Not(HasSubstr("GRUS_REPORT_DATA")));
  EXPECT_EQ(data_of(page)["run"]["summary"]["bodies"], 20);
}

TEST(Report, TextOfTheUserCannotBecomeMarkup) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(),
                          {.grains = 5, .title = "</script><script>alert('x')</script><!-- \"GRUS_REPORT_DATA\""});
  const std::string page = page_of(directory);
  EXPECT_THAT(page, Not(HasSubstr("alert('x')</script>")));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_EQ(data_of(page)["run"]["summary"]["title"], "</script><script>alert('x')</script><!-- \"GRUS_REPORT_DATA\"");
}

TEST(Report, LimitsAreKeptAndSaid) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(), {.grains = 300, .frames = 40, .rows = 5000});
  ReportLimits limits;
  limits.bodies = 100;
  limits.contacts = 10;
  limits.frames = 7;
  limits.series_rows = 500;
  const auto run = data_of(page_of(directory, limits)).at("run");
  const auto& clip = run["clip"];
  EXPECT_EQ(clip["bodies"], 102);
  const auto scene = nlohmann::json::parse(test::unpacked_bytes(clip["scene"]));
  EXPECT_EQ(scene["dynamic_count"], 100);
  EXPECT_EQ(scene["body_names"][1], "grains[3]");
  ASSERT_EQ(clip["frames"].size(), 7u);
  EXPECT_EQ(clip["frames"][0]["step"], 0);
  EXPECT_EQ(clip["frames"][6]["step"], 39000);
  EXPECT_EQ(clip["frames"][6]["contacts"], 10);
  EXPECT_EQ(clip["notes"].size(), 3u);
  EXPECT_LE(test::unpacked_reals(run["series"]["values"][1]).size(), 500u);
  EXPECT_EQ(run["series"]["notes"].size(), 1u);
  limits.series_values = 450 * run["series"]["columns"].size();
  EXPECT_LE(test::unpacked_reals(data_of(page_of(directory, limits))["run"]["series"]["values"][1]).size(), 450u);
}

TEST(Report, FewerFramesKeepAPageWithinItsSize) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(), {.grains = 300, .frames = 60});
  const std::size_t whole = page_of(directory).size();
  ReportLimits limits;
  limits.page_bytes = whole / 2;
  const std::string half = page_of(directory, limits);
  EXPECT_LE(half.size(), whole / 2);
  const auto clip = data_of(half)["run"]["clip"];
  EXPECT_GT(clip["frames"].size(), 15u) << "no more are left out than must be";
  EXPECT_THAT(clip["notes"].dump(), HasSubstr(" of 60 frames are on this page."));
  EXPECT_EQ(clip["frames"].back()["step"], 59000);
  limits.page_bytes = 1;
  EXPECT_EQ(data_of(page_of(directory, limits))["run"]["clip"]["frames"].size(), least_report_frames);
}

TEST(Report, MissingOrDamagedPartsAreNamedOnThePage) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(), {.grains = 5});
  write_whole_file(directory / "series.csv", "t,x\n1,oops\n");
  std::filesystem::remove_all(directory / "frames");
  const auto run = data_of(page_of(directory)).at("run");
  EXPECT_THAT(run["series"]["fault"].get<std::string>(), HasSubstr("oops"));
  EXPECT_THAT(run["clip"]["fault"].get<std::string>(), HasSubstr("/frames"));
  std::filesystem::remove(directory / "summary.json");
  EXPECT_THROW(page_of(directory), IoError);
}

TEST(Report, CurvesOverAnotherColumnKeepTheirRows) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(), {.grains = 1, .frames = 1, .rows = 5000});
  Summary summary = read_summary(directory / "summary.json");
  summary.figures = {{"over time", "t", {"heap.z"}, false}, {"over another", "heap.z", {"stirrer.angle"}, false}};
  write_summary(directory / "summary.json", summary);
  ReportLimits limits;
  const auto series = [&] { return data_of(page_of(directory, limits))["run"]["series"]; };
  EXPECT_FALSE(series().contains("curves")) << "all rows are there";
  limits.series_rows = 1000;
  const auto curves = series()["curves"];
  ASSERT_EQ(curves.size(), 2u);
  EXPECT_TRUE(curves[0].is_null());
  const auto t = test::unpacked_reals(curves[1]["time"]), x = test::unpacked_reals(curves[1]["x"]);
  const Series all = read_series(directory / "series.csv");
  const auto& z = all.values[*all.find("heap.z")];
  ASSERT_EQ(t.size(), 1000u);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_NEAR(x[i], z[5 * i], 1e-6);
}

TEST(Report, AnAnalysisIsOnThePage) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(), {.grains = 1, .frames = 1, .rows = 1});
  EXPECT_FALSE(data_of(page_of(directory))["run"].contains("analysis"));
  write_whole_file(directory / "analysis.json", R"({"frames": [{"time": 1.5}]})");
  const auto analysis = data_of(page_of(directory))["run"]["analysis"];
  EXPECT_EQ(nlohmann::json::parse(test::unpacked_bytes(analysis["packed"]))["frames"][0]["time"], 1.5);
  write_whole_file(directory / "analysis.json", R"({"frames": [)");
  EXPECT_THAT(data_of(page_of(directory))["run"]["analysis"]["fault"].get<std::string>(), HasSubstr("analysis.json"));
}

TEST(Report, ARunWithoutGrainsOrRowsHasAPage) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(), {.grains = 1, .frames = 1, .rows = 1});
  EXPECT_EQ(data_of(page_of(directory))["run"]["clip"]["frames"].size(), 1u);
}

TEST(Report, AStudyListsItsRuns) {
  const test::TemporaryDirectory directory;
  StudySummary study;
  study.scene = "study.yaml";
  for (const char* name : {"slow", "fast"}) {
    std::filesystem::create_directory(directory / name);
    test::write_example_run(directory / name, {.grains = 5});
    study.runs.push_back({name, name, {}, "done", "", 1.0, {}});
  }
  study.runs.push_back({"lost", "lost", {}, "failed", "", 0.0, {}});
  write_study_summary(directory / "summary.json", study);
  const auto runs = data_of(page_of(directory)).at("study").at("runs");
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1]["name"], "fast");
  EXPECT_EQ(runs[1]["series"]["columns"][0], "t");
  EXPECT_THAT(runs[2]["fault"].get<std::string>(), HasSubstr("/lost"));
}

TEST(ThinSeries, KeepsExtremesEndsAndOrder) {
  Series series;
  series.columns = {"t", "x"};
  series.values.resize(2);
  for (int i = 0; i < 10000; ++i) {
    series.values[0].push_back(0.001 * i);
    series.values[1].push_back(i == 5432 ? 100.0 : i == 777 ? -50.0 : 0.0);
  }
  const Series thin = thin_series(series, 301);
  EXPECT_EQ(thin.rows(), 301u);
  EXPECT_TRUE(std::is_sorted(thin.values[0].begin(), thin.values[0].end()));
  EXPECT_EQ(thin.values[0].front(), 0.0);
  EXPECT_EQ(thin.values[0].back(), series.values[0].back());
  EXPECT_EQ(std::count(thin.values[1].begin(), thin.values[1].end(), 100.0), 1);
  EXPECT_EQ(std::count(thin.values[1].begin(), thin.values[1].end(), -50.0), 1);
  EXPECT_EQ(thin_series(series, 10000).rows(), 10000u);
}

}  // namespace
}  // namespace grus::report_test
