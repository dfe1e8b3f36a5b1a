// grus bed: a scene with `settle` to a file.
#include <filesystem>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "grus/bed.hpp"
#include "grus/version.hpp"
#include "io/bed_file.hpp"
#include "io/scene/scene.hpp"
#include "simulation/provide_beds.hpp"

namespace grus {

RunOutcome make_bed(const BedOptions& options) {
  Spec spec = load_scene(options.scene, options.overrides);
  RunOutcome outcome;
  outcome.out = !options.out.empty() ? options.out : "out/" + spec.name + ".h5";
  outcome.status = RunStatus::interrupted;
  const SettleCallbacks callbacks{options.progress, options.message, options.stop};
  if (!provide_beds(spec, options.threads, callbacks)) return outcome;
  Timer wall;
  std::optional<SettledBed> settled = settle_bed(spec, Parallel(options.threads), callbacks);
  if (!settled) return outcome;
  const std::filesystem::path folder = std::filesystem::path(outcome.out).parent_path();
  std::error_code failed;
  if (!folder.empty()) std::filesystem::create_directories(folder, failed);
  if (failed) throw IoError(fmt::format("cannot make the folder {}: {}", folder.string(), failed.message()));
  write_bed(outcome.out, {std::move(settled->bed), spec.text, spec.hash, version(), settled->statistics.named()});
  outcome.status = RunStatus::done;
  outcome.words = settled->statistics.words();
  outcome.words.push_back(fmt::format("Made in {:.3g} s of wall time.", wall.seconds()));
  return outcome;
}

}  // namespace grus
