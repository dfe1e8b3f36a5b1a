// A scalar function of time, and of the inputs of a scene: an expression (muparser) or a table of (t, value) pairs.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/types.hpp"

namespace grus {

struct Inputs;

class TimeFunction {
 public:
  virtual ~TimeFunction() = default;
  virtual Real operator()(Real time, const Inputs& inputs) const = 0;
  // Of a function that uses no inputs.
  Real operator()(Real time) const;
};
// Shared: a Model is copied as a value, its functions are constant. Calls come from one thread at a time.
using TimeFunctionPtr = std::shared_ptr<const TimeFunction>;

struct TimeFunctionSpec;

// Names of the inputs that expressions may use, and their values at the start.
struct InputNames {
  std::vector<std::string> name;
  std::vector<Real> start;
};

// An expression of t, the parameters and the inputs, or a table: linear between its points or, when smooth, the
// monotone cubic of Fritsch and Carlson (1980, SIAM J. Numer. Anal. 17, 238-246), constant outside. Null and a fault
// when it is wrong.
TimeFunctionPtr make_time_function(const TimeFunctionSpec& spec, const std::map<std::string, Real>& parameters,
                                   const InputNames& inputs, std::vector<Fault>& faults);

}  // namespace grus
