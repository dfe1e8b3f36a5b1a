// Scene files: YAML in SI units -> Spec. The keys, types, units, ranges and defaults are in docs/scene-reference.md,
// generated from the same tables that drive the reader (schema.hpp).
//
//   file(s) -> document (tree with marks) -> compose (include, --set) -> read (schema) -> Spec
//
// Every fault is collected; InputError carries them all, each with file:line:column, what was found, what was
// expected and, for a slip of the finger, the nearest valid name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/spec.hpp"

namespace grus {

// overrides: "name=value" as given to --set, applied in order after all includes. `name` is one of the scene's
// parameters, or else the path of a setting ("time.step"). Faults in them are marked --set:N:column, N from 1.
Spec load_scene(const std::string& path, const std::vector<std::string>& overrides = {});

// The same from text; `file_name` is only for the marks. A text cannot include or name files.
Spec parse_scene(std::string_view text, const std::string& file_name, const std::vector<std::string>& overrides = {});

// The analysis section alone of a composed scene (Spec::text, as summary.json keeps it), which may name files that are
// gone by now.
std::optional<AnalysisSpec> parse_analysis(std::string_view text, const std::string& file_name);

// The settings of one run of a study, spelled as overrides.
std::vector<std::string> run_overrides(const RunSpec& run);

// docs/scene-reference.md.
std::string scene_reference_markdown();

}  // namespace grus
