// The slope of a bed's free surface, rad: the dynamic angle of repose of a rotating drum, the final slope of a heap.
//
// The bed is cut into vertical columns along one axis, about one and a half mean grain diameters wide; the top of a
// column is the highest grain edge in it. A line is fitted by least squares to the columns of the middle half of the
// bed, where the surface is straight (a drum's is S-shaped at its ends). Positive when the surface rises along the
// axis.
#pragma once

#include <span>

#include "model/state.hpp"

namespace grus {

// NaN with fewer than three columns, or fewer grains than columns. `along` and `up` are axes 0..2.
Real surface_angle(const State& state, std::span<const Index> members, Index active, std::span<const Real> extent,
                   int along, int up);

}  // namespace grus
