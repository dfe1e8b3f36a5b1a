// Closing loops from a rough guess: Levenberg-Marquardt on all conditions, with nudges out of dead ends.
//
// In coordinates y without units (turns as arcs of the radius `size`) a step is the least one that closes the
// linearised loops,  y = -J^T (J J^T + mu)^-1 h,  mu raised until the error falls. It moves positions as little as it
// can, and redundant conditions do no harm. A chain drawn straight is a saddle where steps vanish: then the guess is
// nudged by fixed pseudo-random amounts, small ones first. Cuts hold axes by right angles, which half a turn leaves
// right: 1 - a.b of the axes that must point the same way joins h, so that bodies are fastened the right way round.
#pragma once

#include <cstdint>
#include <span>

#include "multibody/loops.hpp"

namespace grus {

// Relative to the size: closed, for a start that close_loops can take to rounding.
inline constexpr Real closed_well_enough = 1e-10;

struct FoundClosure {
  Real error = 0.0;          // largest of all conditions, m (angles times the size)
  Index flipped = no_index;  // a loop that closes with its axes against each other instead of along each other
  bool is_good(const Mechanism& mechanism) const {
    return error <= closed_well_enough * mechanism.size && flipped == no_index;
  }
};

// Moves the positions of velocities that are `movable` (one number per velocity) to the best q found.
FoundClosure find_closure(const Mechanism& mechanism, std::span<const std::uint8_t> movable, std::span<Real> q);

// Adds pseudo-random amounts up to `amplitude` (rad, or times the size) to movable positions.
void nudge_positions(const Mechanism& mechanism, std::span<const std::uint8_t> movable, Real amplitude,
                     std::uint64_t seed, std::span<Real> q);

}  // namespace grus
