// What people measure on a stone.
//
//   length L       largest distance of two points
//   width I        largest extent across L
//   thickness S    extent across both
//   elongation     I/L,  flatness  S/I  (Zingg 1935), both at most 1
//   sieve size     edge of the smallest square hole that the stone passes lengthwise: L goes first, and the stone may
//                  turn about L. This is what a sieve of square mesh measures; the width alone is up to a third too
//                  large for flat stones, which pass across the diagonal.
//   sphericity     surface of the ball of equal volume over the stone's (Wadell 1935)
#pragma once

#include "model/convex_hull.hpp"

namespace grus {

struct StoneMeasures {
  Real length = 0.0, width = 0.0, thickness = 0.0;  // m
  Mat3 axes = Mat3::Identity();                     // their directions, in columns
  Real sieve_size = 0.0;                            // m
  Real sphericity = 0.0;

  Real elongation() const { return width / length; }
  Real flatness() const { return thickness / width; }
};

StoneMeasures measure_stone(const ConvexHull& stone);

}  // namespace grus
