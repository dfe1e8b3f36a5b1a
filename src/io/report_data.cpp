#include "io/report_data.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "io/file_fault.hpp"
#include "io/foreign_file.hpp"
#include "io/foreign_json.hpp"
#include "io/json_text.hpp"
#include "io/packed.hpp"
#include "io/reader_limits.hpp"
#include "io/report_clip.hpp"
#include "io/summary.hpp"

namespace grus {
namespace {

using Json = nlohmann::ordered_json;

// A plot of fewer points would no longer be the curve.
constexpr std::size_t least_rows = 400;

// A figure of one column over another needs values of the same rows, which thinning by extremes does not keep: every
// k-th row instead. One element per figure: time, x and the columns of y; null for figures over time.
Json curves_json(const Series& series, const std::vector<SummaryFigure>& figures, std::size_t rows) {
  const std::size_t stride = (series.rows() + rows - 1) / rows;
  const auto packed_column = [&](const std::string& name) -> Json {
    const auto column = series.find(name);
    if (!column) return nullptr;
    std::vector<Real> kept;
    for (std::size_t i = 0; i < series.rows(); i += stride) kept.push_back(series.values[*column][i]);
    return packed_reals(kept);
  };
  Json curves = Json::array();
  for (const SummaryFigure& figure : figures) {
    if (figure.x == "t") {
      curves.push_back(nullptr);
      continue;
    }
    Json y = Json::array();
    for (const std::string& column : figure.y) y.push_back(packed_column(column));
    curves.push_back({{"time", packed_column("t")}, {"x", packed_column(figure.x)}, {"y", y}});
  }
  return curves;
}

Json series_json(const ForeignFolder& folder, const std::vector<SummaryFigure>& figures, const ReportLimits& limits) {
  const Series series = parse_series(folder.read("series.csv", most_series_bytes), folder.path_of("series.csv"));
  const std::size_t columns = std::max<std::size_t>(1, series.columns.size());
  const std::size_t rows = std::min(limits.series_rows, std::max(least_rows, limits.series_values / columns));
  const Series thin = thin_series(series, rows);
  Json values = Json::array();
  for (const std::vector<Real>& column : thin.values) values.push_back(packed_reals(column));
  Json notes = Json::array();
  if (thin.rows() < series.rows()) {
    notes.push_back(fmt::format("The plots show the extremes of {} rows in {} points.", series.rows(), thin.rows()));
  }
  Json json = {{"columns", series.columns}, {"values", values}, {"notes", notes}};
  if (thin.rows() < series.rows()) json["curves"] = curves_json(series, figures, rows);
  return json;
}

// A part that may be absent or damaged: its fault becomes a note.
template <class Make>
Json part_or_fault(const Make& make) {
  try {
    return make();
  } catch (const std::runtime_error& e) {
    return {{"fault", e.what()}};
  }
}

constexpr const char* summary_name = "summary.json";

std::string summary_text(const ForeignFolder& folder) { return folder.read(summary_name, most_json_bytes); }

constexpr const char* analysis_name = "analysis.json";

// As it lies, packed: analysis.json is written for the page too.
Json packed_analysis(const ForeignFolder& folder, const ReportLimits& limits) {
  const std::string path = folder.path_of(analysis_name);
  const std::int64_t size = folder.open(analysis_name).size;
  if (static_cast<std::uint64_t>(size) > limits.analysis_bytes)
    throw file_fault(path,
                     fmt::format("holds {} bytes, a page takes {}: take a larger cell", size, limits.analysis_bytes));
  const std::string text = folder.read(analysis_name, limits.analysis_bytes);
  return {{"packed", packed_bytes(json_text(parse_foreign_json(text, path), -1))}};
}

// Without the clip, which gets the room that the rest leaves.
Json run_json(const ForeignFolder& folder, const ReportLimits& limits) {
  const std::string text = summary_text(folder), path = folder.path_of(summary_name);
  const Summary summary = parse_summary(text, path);  // its faults are sentences
  return {{"summary", parse_foreign_json(text, path)},
          {"series", part_or_fault([&] { return series_json(folder, summary.figures, limits); })}};
}

Json study_json(const ForeignFolder& folder, const ReportLimits& limits) {
  const std::string text = summary_text(folder), path = folder.path_of(summary_name);
  const StudySummary study = parse_study_summary(text, path);
  ReportLimits each = limits;
  each.series_values /= std::max<std::size_t>(1, study.runs.size());
  Json runs = Json::array();
  for (const StudyRun& run : study.runs) {
    Json json = part_or_fault([&] { return run_json(folder.folder(run.directory), each); });
    json["name"] = run.name;
    json["directory"] = run.directory;
    runs.push_back(json);
  }
  return {{"summary", parse_foreign_json(text, path)}, {"runs", runs}};
}

bool has_something(const ForeignFolder& folder, const char* name) {
  try {
    return folder.has(name);
  } catch (const std::runtime_error&) {
    return true;  // what is wrong with it is said where it is read
  }
}

Json whole_run_json(const ForeignFolder& folder, const ReportLimits& limits, std::size_t page_size) {
  Json run = run_json(folder, limits);
  if (has_something(folder, analysis_name))
    run["analysis"] = part_or_fault([&] { return packed_analysis(folder, limits); });
  const std::size_t taken = page_size + json_text(run, -1).size();
  const std::size_t room = limits.page_bytes - std::min(limits.page_bytes, taken);
  run["clip"] = part_or_fault([&] { return report_clip(folder, limits, room); });
  return run;
}

}  // namespace

Series thin_series(const Series& series, std::size_t rows) {
  const std::size_t count = series.rows();
  if (count <= rows || rows < 3) return series;
  const std::size_t stretches = (rows - 1) / 2;
  Series thin;
  thin.columns = series.columns;
  for (std::size_t c = 0; c < series.values.size(); ++c) {
    const std::vector<Real>& from = series.values[c];
    std::vector<Real> to;
    for (std::size_t s = 0; s < stretches; ++s) {
      const auto begin = from.begin() + static_cast<std::ptrdiff_t>(s * (count - 1) / stretches);
      const auto end = from.begin() + static_cast<std::ptrdiff_t>((s + 1) * (count - 1) / stretches);
      const auto [low, high] = std::minmax_element(begin, end);
      const bool rising = c == 0 || low < high;
      to.push_back(rising ? *low : *high);
      to.push_back(rising ? *high : *low);
    }
    to.push_back(from.back());
    thin.values.push_back(std::move(to));
  }
  return thin;
}

std::string report_data_text(const std::string& directory, const ReportLimits& limits, std::size_t page_size) {
  const ForeignFolder folder(directory);
  const bool study = is_study_summary(summary_text(folder), folder.path_of(summary_name));
  const Json json =
      study ? Json{{"study", study_json(folder, limits)}} : Json{{"run", whole_run_json(folder, limits, page_size)}};
  return json_text(json, -1);
}

}  // namespace grus
