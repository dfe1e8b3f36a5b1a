// A scalar function of time: an expression (muparser) or a table of (t, value) pairs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/types.hpp"

namespace grus {

class TimeFunction {
 public:
  virtual ~TimeFunction() = default;
  virtual Real operator()(Real time) const = 0;
};
// Shared: a Model is copied as a value, its functions are constant. Calls come from one thread at a time.
using TimeFunctionPtr = std::shared_ptr<const TimeFunction>;

struct TimeFunctionSpec;

// An expression of t and the parameters, or a table: linear between its points or, when smooth, the monotone
// cubic of Fritsch and Carlson (1980, SIAM J. Numer. Anal. 17, 238-246), constant outside. Null and a fault when
// it is wrong.
TimeFunctionPtr make_time_function(const TimeFunctionSpec& spec, const std::map<std::string, Real>& parameters,
                                   std::vector<Fault>& faults);

}  // namespace grus
