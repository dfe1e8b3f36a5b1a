#include "simulation/load_run.hpp"

#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "io/scene/scene.hpp"
#include "simulation/provide_beds.hpp"

namespace grus {

std::int64_t steps_to(Real end, Real h) { return static_cast<std::int64_t>(std::ceil(end / h - 1e-6)); }

std::vector<std::string> overrides_of_run(const RunSpec& run, const std::vector<std::string>& overrides) {
  std::vector<std::string> all = run_overrides(run);
  all.insert(all.end(), overrides.begin(), overrides.end());
  return all;
}

const RunSpec& run_called(const Spec& study, const std::string& name) {
  std::vector<std::string> names;
  for (const RunSpec& run : study.runs) {
    if (run.name == name) return run;
    names.push_back(run.name);
  }
  throw InputError({{{study.file, 0, 0},
                     fmt::format("no run of this scene is called '{}'{}", name,
                                 names.empty() ? ": it has no runs" : name_hint(name, names))}});
}

Spec load_run(const std::string& path, const std::string& run, const std::vector<std::string>& overrides, int threads,
              const SettleCallbacks& callbacks) {
  Spec spec = load_scene(path, overrides);
  if (!run.empty()) {
    spec = load_scene(path, overrides_of_run(run_called(spec, run), overrides));
  } else if (!spec.runs.empty()) {
    throw InputError({{{spec.file, 0, 0}, "this scene is a study of several runs, expected the name of one"}});
  }
  if (spec.settle) throw InputError({Fault{spec.settle->mark, "this scene makes a bed: make it with `grus bed`"}});
  if (!provide_beds(spec, threads, callbacks))
    throw InputError({{{spec.file, 0, 0}, "its bed was stopped before it was at rest"}});
  return spec;
}

}  // namespace grus
