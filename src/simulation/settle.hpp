// A scene with `settle` run until its stones are at rest: what `grus bed` does.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/parallel.hpp"
#include "grus/run.hpp"
#include "model/spec.hpp"
#include "simulation/bed_statistics.hpp"

namespace grus {

struct SettleCallbacks {
  std::function<void(const Progress&)> progress;
  std::function<void(const std::string&)> message;
  std::function<bool()> stop;
};

struct SettledBed {
  Bed bed;
  BedStatistics statistics;
};

// Nothing when it was stopped. Throws InputError for a scene that makes no bed, NumericalError when the stones are not
// at rest by the limit, when one is lost, or when they overlap too much.
std::optional<SettledBed> settle_bed(const Spec& spec, const Parallel& parallel, const SettleCallbacks& callbacks);

}  // namespace grus
