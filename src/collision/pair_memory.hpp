// What the last step knew of a pair of polyhedra. It makes the next search short and never changes its result: its
// direction and points give bounds, and bounds only rule out what could not win (narrow/polyhedron_pair.cpp).
#pragma once

#include <array>
#include <cstdint>

#include "math/vector.hpp"

namespace grus {

struct PairMemory {
  using Coordinates = Eigen::Matrix<float, 3, 1, Eigen::DontAlign>;
  enum class State : std::uint8_t { unknown, apart, near };

  Coordinates direction = Coordinates::UnitX();  // from a to b, frame of a
  Coordinates on_a = Coordinates::Zero();        // m, near: a point of a amid the contact, in the frame of a
  Coordinates on_b = Coordinates::Zero();        // m, the same of b
  // near: some vertices of the features in contact, spread over them
  static constexpr int corner_capacity = 4;
  std::array<std::uint16_t, corner_capacity> corners_a{}, corners_b{};
  std::uint8_t corner_count_a = 0, corner_count_b = 0;
  State state = State::unknown;
  Real apart_by = 0.0;  // m, the shapes were no nearer than this when it was last asked; 0: not known
};

}  // namespace grus
