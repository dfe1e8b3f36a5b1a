// Faults and warnings of a scene and of each run of a study, by reading and compiling without running.
#include <algorithm>

#include "core/error.hpp"
#include "grus/scene.hpp"
#include "io/scene/scene.hpp"
#include "multibody/make_scene.hpp"
#include "simulation/load_run.hpp"
#include "simulation/provide_beds.hpp"

namespace grus {

namespace {

// The runs of a study say the same of what they share.
void add_once(std::vector<std::string>& lines, const std::string& line) {
  if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
}

}  // namespace

SceneCheck check_scene(const std::string& path, const std::vector<std::string>& overrides) {
  SceneCheck found;
  std::set<std::uint64_t> checked_beds;
  const auto collect = [&](const auto& work) {
    try {
      work();
    } catch (const InputError& error) {
      for (const Fault& fault : error.faults()) add_once(found.faults, to_string(fault));
    }
  };
  collect([&] {
    const auto check = [&](Spec spec) {
      for (const std::string& warning : check_beds(spec, checked_beds)) add_once(found.warnings, warning);
      for (const std::string& warning : make_scene(spec).warnings) add_once(found.warnings, warning);
    };
    const Spec spec = load_scene(path, overrides);
    if (spec.runs.empty()) {
      check(spec);
      return;
    }
    for (const RunSpec& run : spec.runs) {
      collect([&] { check(load_scene(path, overrides_of_run(run, overrides))); });
    }
  });
  return found;
}

std::string scene_reference() { return scene_reference_markdown(); }

}  // namespace grus
