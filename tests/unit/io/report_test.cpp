#include "io/report.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/base64.hpp"
#include "io/report_data.hpp"
#include "io/summary.hpp"
#include "io/whole_file.hpp"
#include "unit/io/example_run.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::report_test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of(const test::TemporaryDirectory& directory, const ReportLimits& limits = {}) {
  write_report(directory.path(), limits);
  return read_whole_file(directory / "report.html");
}

// The data of a page, found as a browser finds it: up to the first end of the script element.
nlohmann::json data_of(const std::string& page) {
  const std::string open = "<script id=\"data\" type=\"application/json\">";
  const std::size_t from = page.find(open) + open.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

// Bytes of base64 text of this length, without its padding.
std::size_t bytes_in(const std::string& text) {
  return text.size() / 4 * 3 - static_cast<std::size_t>(std::count(text.begin(), text.end(), '='));
}

TEST(Base64, KnownTexts) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\xfe\x00", 3)), "//4A");
}

TEST(Report, HasSummarySeriesAndFrames) {
  for (const bool planar : {false, true}) {
    const test::TemporaryDirectory directory;
    test::write_example_run(directory.path(), {.planar = planar, .grains = 50});
    const auto run = data_of(page_of(directory)).at("run");
    EXPECT_EQ(run["summary"]["bodies"], 50);
    EXPECT_EQ(run["series"]["columns"].size(), run["series"]["values"].size());
    EXPECT_EQ(bytes_in(run["series"]["values"][0].get<std::string>()), 400u * 8);
    const auto& scene = run["scene"];
    EXPECT_EQ(scene["planar"], planar);
    EXPECT_EQ(scene["frames"].size(), 12u);
    EXPECT_EQ(scene["bodies"]["count"], 52);
    EXPECT_EQ(bytes_in(scene["frames"][3]["position"].get<std::string>()), 52u * 12);
    EXPECT_EQ(bytes_in(scene["frames"][3]["rotation"].get<std::string>()), 52u * 8);
    EXPECT_TRUE(scene["notes"].empty());
  }
}

TEST(Report, NeedsNothingOutsideItself) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(), {.grains = 20});
  const std::string page = page_of(directory);
  EXPECT_FALSE(
      std::regex_search(page, std::regex("(src|href)\\s*=\\s*[\"']?(https?:|//|[a-z./]+\\.(js|css|png|svg))")));
  for (const char* reach : {"http://", "https://", "@import", "url(", "fetch(", "XMLHttpRequest", "import("}) {
    EXPECT_THAT(page, Not(HasSubstr(reach)));
  }
  EXPECT_THAT(page, Not(HasSubstr("{{"))) << "every place of the template is filled";
}

TEST(Report, TextOfTheUserCannotBecomeMarkup) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(),
                          {.grains = 5, .title = "</script><script>alert('x')</script><!-- {{data}}"});
  const std::string page = page_of(directory);
  EXPECT_THAT(page, Not(HasSubstr("alert('x')</script>")));
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_EQ(data_of(page)["run"]["summary"]["title"], "</script><script>alert('x')</script><!-- {{data}}");
  // the page's own script never makes markup of text
  EXPECT_THAT(page, Not(HasSubstr("innerHTML")));
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
  const auto& scene = run["scene"];
  EXPECT_EQ(scene["bodies"]["dynamic"], 100);
  EXPECT_EQ(scene["bodies"]["count"], 102);
  EXPECT_EQ(scene["frames"].size(), 7u);
  EXPECT_EQ(scene["frames"][0]["step"], 0);
  EXPECT_EQ(scene["frames"][6]["step"], 39000);
  EXPECT_EQ(bytes_in(scene["frames"][6]["contacts"]["impulse"].get<std::string>()), 10u * 4);
  EXPECT_EQ(scene["notes"].size(), 3u);
  EXPECT_LE(bytes_in(run["series"]["values"][1].get<std::string>()), 500u * 8);
  EXPECT_EQ(run["series"]["notes"].size(), 1u);
  limits.frame_bytes = 1;
  EXPECT_EQ(data_of(page_of(directory, limits))["run"]["scene"]["frames"].size(), 3u) << "first, middle, last";
}

TEST(Report, MissingOrDamagedPartsAreNamedOnThePage) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(), {.grains = 5});
  write_whole_file(directory / "series.csv", "t,x\n1,oops\n");
  std::filesystem::remove_all(directory / "frames");
  const auto run = data_of(page_of(directory)).at("run");
  EXPECT_THAT(run["series"]["fault"].get<std::string>(), HasSubstr("oops"));
  EXPECT_THAT(run["scene"]["fault"].get<std::string>(), HasSubstr("frames/scene.json"));
  std::filesystem::remove(directory / "summary.json");
  EXPECT_THROW(write_report(directory.path()), IoError);
}

TEST(Report, ARunWithoutGrainsOrRowsHasAPage) {
  const test::TemporaryDirectory directory;
  test::write_example_run(directory.path(), {.grains = 1, .frames = 1, .rows = 1});
  EXPECT_EQ(data_of(page_of(directory))["run"]["scene"]["frames"].size(), 1u);
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
  EXPECT_THAT(runs[2]["fault"].get<std::string>(), HasSubstr("lost/summary.json"));
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
