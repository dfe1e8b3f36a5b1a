// Solid fraction: the part of a cell's volume (planar: area) that lies inside dynamic bodies.
//
//   phi = points in dynamic bodies / (points - points in other bodies)
//
// over the cell's sample points. What fixed, kinematic and linked bodies cover (walls, sleeper, tines) is no void: it
// is taken out of the cell. Where bodies overlap, a point counts once, and for the body that is not dynamic.
//
// Error of the sampling, with s the spacing of points, V the free volume of the cell and A the surface of bodies in it:
//   strict    a sub-cell is told by the point in its middle, so volume is told wrong only within sqrt(3)/2 s of a
//             surface: |error of phi| <= sqrt(3) s A / V to leading order (planar: sqrt(2) s length / area); it is
//             first order in s, and attained in order by faces along the axes;
//   expected  a surface that lies at random cuts m = 3/2 A/s^2 bonds between neighbouring points (planar 4/pi
//   length/s),
//             and each cut bond errs by a uniform part of a sub-cell, variance 1/12: sigma = sqrt(m/12) s^3 / V.
// m is counted, not guessed: bonds along x and y within a layer of points (in space times 3/2 for the third direction).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/sample_grid.hpp"
#include "collision/placed_shape.hpp"
#include "core/parallel.hpp"
#include "io/frames.hpp"

namespace grus {

// A scene with the geometry that its colliders share, made once for all frames. Refers to the scene, which outlives it.
struct SceneShapes {
  // Throws InputError for a polyhedron without volume.
  explicit SceneShapes(const FrameScene& frame_scene);
  ShapeGeometry geometry() const;

  const FrameScene& scene;
  std::vector<Polyhedron> polyhedra;
};

// The shapes of one frame in the world. Refers to the SceneShapes, which outlive it.
struct PlacedBodies {
  std::vector<PlacedShape> shapes;  // of active dynamic bodies, then of all others
  std::size_t dynamic_shapes = 0;   // how many of them are of dynamic bodies
  bool planar = false;
};
PlacedBodies place_bodies(const SceneShapes& shapes, const Frame& frame);

// Bounds of the dynamic bodies; nothing when there are none.
std::optional<Bounds> dynamic_bounds(const PlacedBodies& bodies);

// Mean over dynamic bodies of the largest side of their bounds, m.
Real mean_body_size(const PlacedBodies& bodies);

struct CellCount {
  std::int64_t solid = 0;  // points in dynamic bodies
  std::int64_t free = 0;   // points outside all other bodies
  std::int64_t cuts = 0;   // bonds along x and y between a point in a dynamic body and one outside

  CellCount& operator+=(const CellCount& other) {
    solid += other.solid, free += other.free, cuts += other.cuts;
    return *this;
  }
  // NaN where other bodies fill the cell.
  Real fraction() const;
  // sigma of the head of this file.
  Real error(bool planar) const;
};

// Counts per cell, x fastest. Whole numbers: the same for any number of threads.
std::vector<CellCount> count_solid(const PlacedBodies& bodies, const SampleGrid& grid, const Parallel& parallel);

}  // namespace grus
