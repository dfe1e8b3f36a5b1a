// The public door to the analysis: which settings, which runs.
#include "grus/analyze.hpp"

#include <optional>

#include "analysis/analysis_files.hpp"
#include "io/foreign_file.hpp"
#include "io/reader_limits.hpp"
#include "io/report.hpp"
#include "io/run_folder.hpp"
#include "io/scene/scene.hpp"
#include "io/summary.hpp"

namespace grus {

namespace {

constexpr const char* summary_name = "summary.json";

// The text of the summary; nothing when there is none.
std::optional<std::string> summary_text(const ForeignFolder& folder) {
  if (!folder.has(summary_name)) return std::nullopt;
  return folder.read(summary_name, most_json_bytes);
}

AnalysisSpec analysis_settings(const AnalyzeOptions& options, const ForeignFolder& folder) {
  std::optional<AnalysisSpec> spec;
  if (!options.scene.empty()) {
    spec = load_scene(options.scene).analysis;
  } else if (const auto text = summary_text(folder)) {
    const std::string path = folder.path_of(summary_name);
    spec = parse_analysis(parse_summary(*text, path).scene_text, path);
  }
  if (!spec) spec.emplace();
  if (!options.times.empty()) spec->times = options.times;
  if (options.cell) spec->cell = options.cell;
  if (options.strength) spec->strength = options.strength;
  return *spec;
}

std::vector<std::string> analyze_one(const AnalyzeOptions& options, const ForeignFolder& folder,
                                     const Parallel& parallel) {
  const RunAnalysis analysis = analyze_run(folder, analysis_settings(options, folder), parallel);
  claim_beside(folder.path(), {"analysis.json", "analysis/map.csv", "analysis/cells.csv"});
  write_analysis(folder.path(), analysis);
  if (folder.has(summary_name) && can_write_report()) {
    claim_beside(folder.path(), {"report.html"});
    write_report(folder.path());
  }
  return analysis_words(analysis);
}

}  // namespace

std::vector<std::string> analyze(const AnalyzeOptions& options) {
  const Parallel parallel(options.threads);
  const ForeignFolder folder(options.directory);
  const std::optional<std::string> summary = summary_text(folder);
  const std::string path = folder.path_of(summary_name);
  if (!summary || !is_study_summary(*summary, path)) return analyze_one(options, folder, parallel);
  std::vector<std::string> lines;
  for (const StudyRun& run : parse_study_summary(*summary, path).runs) {
    for (const std::string& line : analyze_one(options, folder.folder(run.directory), parallel))
      lines.push_back(run.name + ": " + line);
  }
  return lines;
}

}  // namespace grus
