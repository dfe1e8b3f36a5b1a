// The public door to the analysis: which settings, which runs.
#include "grus/analyze.hpp"

#include <filesystem>

#include "analysis/analysis_files.hpp"
#include "io/report.hpp"
#include "io/run_folder.hpp"
#include "io/scene/scene.hpp"
#include "io/summary.hpp"

namespace grus {

namespace {

std::string summary_path(const std::string& directory) { return directory + "/summary.json"; }

AnalysisSpec analysis_settings(const AnalyzeOptions& options, const std::string& directory) {
  std::optional<AnalysisSpec> spec;
  const std::string summary = summary_path(directory);
  if (!options.scene.empty()) {
    spec = load_scene(options.scene).analysis;
  } else if (std::filesystem::exists(summary)) {
    spec = parse_analysis(read_summary(summary).scene_text, summary);
  }
  if (!spec) spec.emplace();
  if (!options.times.empty()) spec->times = options.times;
  if (options.cell) spec->cell = options.cell;
  if (options.strength) spec->strength = options.strength;
  return *spec;
}

std::vector<std::string> analyze_one(const AnalyzeOptions& options, const std::string& directory,
                                     const Parallel& parallel) {
  const RunAnalysis analysis = analyze_run(directory, analysis_settings(options, directory), parallel);
  claim_beside(directory, {"analysis.json", "analysis/map.csv", "analysis/cells.csv"});
  write_analysis(directory, analysis);
  if (std::filesystem::exists(summary_path(directory)) && can_write_report()) {
    claim_beside(directory, {"report.html"});
    write_report(directory);
  }
  return analysis_words(analysis);
}

}  // namespace

std::vector<std::string> analyze(const AnalyzeOptions& options) {
  const Parallel parallel(options.threads);
  const std::string summary = summary_path(options.directory);
  if (!std::filesystem::exists(summary) || !is_study_summary(summary))
    return analyze_one(options, options.directory, parallel);
  std::vector<std::string> lines;
  for (const StudyRun& run : read_study_summary(summary).runs) {
    for (const std::string& line : analyze_one(options, options.directory + "/" + run.directory, parallel))
      lines.push_back(run.name + ": " + line);
  }
  return lines;
}

}  // namespace grus
