// A scalar function of time: an expression (muparser) or a table of (t, value) pairs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/types.hpp"

namespace grus {

class TimeFunction {
 public:
  virtual ~TimeFunction() = default;
  virtual Real operator()(Real time) const = 0;
};
// Shared: a Model is copied as a value, its functions are constant. Calls come from one thread at a time.
using TimeFunctionPtr = std::shared_ptr<const TimeFunction>;

}  // namespace grus
