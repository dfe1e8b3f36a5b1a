// Every fault of a scene and of each run of a study, by reading and compiling without running.
#include "core/error.hpp"
#include "grus/scene.hpp"
#include "io/scene/scene.hpp"
#include "multibody/make_scene.hpp"
#include "simulation/provide_beds.hpp"

namespace grus {

std::vector<std::string> check_scene(const std::string& path, const std::vector<std::string>& overrides) {
  std::vector<std::string> lines;
  const auto collect = [&](const auto& work) {
    try {
      work();
    } catch (const InputError& error) {
      for (const Fault& fault : error.faults()) lines.push_back(to_string(fault));
    }
  };
  collect([&] {
    const auto check = [](Spec spec) {
      check_beds(spec);
      make_scene(spec);
    };
    const Spec spec = load_scene(path, overrides);
    if (spec.runs.empty()) {
      check(spec);
      return;
    }
    for (const RunSpec& run : spec.runs) {
      std::vector<std::string> all = run_overrides(run);
      all.insert(all.end(), overrides.begin(), overrides.end());
      collect([&] { check(load_scene(path, all)); });
    }
  });
  return lines;
}

std::string scene_reference() { return scene_reference_markdown(); }

}  // namespace grus
