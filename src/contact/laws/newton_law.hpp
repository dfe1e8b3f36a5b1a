// Newton's impact law (paper 000, eqs 5, 6 and 32 with its erratum):
//   if g(q_m) <= 0:   0 <= u_N(n+1) + e u_N(n)  complementary to  r_N >= 0.
//
// u_N(n) is taken with its sign, also when the contact is opening: only so does a frictionless scene with one
// coefficient e never gain energy (r.(u+ + e u-) = 0 and r.(u+ - u-) = r.W r give r.u- = -r.W r/(1 + e) <= 0).
#pragma once

#include "model/model.hpp"

namespace grus {

struct NewtonLaw {
  // m/s, added to u_N.
  static Real normal_shift(const PairLaw& law, Real /*gap*/, Real start_velocity, Real /*theta_h*/) {
    return law.restitution * start_velocity;
  }
};

}  // namespace grus
