// Foretells from the errors of an iteration how many more iterations it needs: the least errors so far are taken to
// fall on as they did since about half of the work was done (between a quarter and a half). A function of the errors
// alone, so that what is decided by it is the same on every machine.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/types.hpp"

namespace grus {

class Forecast {
 public:
  // `error` before the first iteration.
  Forecast(Real tolerance, Real error) : tolerance_(tolerance), older_{0, error}, newer_{0, error}, least_(error) {}

  // Iterations still to come after those `done`: 0 while nothing can be told, infinite when nothing is gained.
  Real remaining(Index done, Real error) {
    least_ = std::min(error, least_);
    if (done >= std::max<Index>(1, 2 * newer_.done)) {
      older_ = newer_;
      newer_ = {done, least_};
    }
    if (done < first_look) return 0.0;
    const Real gain = std::log(older_.error / least_);
    if (!(gain > 0.0)) return done < last_look ? 0.0 : std::numeric_limits<Real>::infinity();
    return std::log(least_ / tolerance_) * static_cast<Real>(done - older_.done) / gain;
  }

 private:
  // Iterations of which nothing is foretold, and after which a half without any gain is the end of it.
  static constexpr Index first_look = 50, last_look = 100;

  struct Point {
    Index done;
    Real error;
  };
  Real tolerance_;
  Point older_, newer_;
  Real least_;
};

}  // namespace grus
