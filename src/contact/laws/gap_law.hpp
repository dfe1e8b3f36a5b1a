// The inelastic gap law of dense beds:
//   0 <= u_N(n+1) + max(g, 0)/(theta h)  complementary to  r_N >= 0.
//
// An open gap may close within the step and no further, so a bed at rest keeps no penetration from impacts.
// With theta = 1 the gap is closed exactly; with theta = 1/2 the closing velocity outlives the gap and the
// contact rebounds almost elastically, so compile() asks for theta = 1. Penetration (g < 0) is not pushed out here:
// that would add kinetic energy. See contact/recovery.hpp.
#pragma once

#include <algorithm>

#include "model/model.hpp"

namespace grus {

struct GapLaw {
  // m/s, added to u_N.
  static Real normal_shift(const PairLaw& /*law*/, Real gap, Real /*start_velocity*/, Real theta_h) {
    return std::max(gap, 0.0) / theta_h;
  }
};

}  // namespace grus
