// Random sequential addition: spheres (disks in the plane) that do not overlap, in a box or an upright cylinder.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/random.hpp"
#include "math/vector.hpp"

namespace grus {

struct Region {
  Vec3 low = Vec3::Zero();
  Vec3 high = Vec3::Zero();
  bool planar = false;
  int cylinder_axis = -1;  // 0..2: the cylinder inscribed in the box about this axis; -1: the box

  Real measure() const;  // volume, or area in the plane
  bool holds(Real diameter) const;
  Vec3 sample(Real radius, Random& random) const;  // centre of a sphere that lies inside
};

// Spheres kept in grids, one per factor of two in diameter: a query looks at no more than 27 (9) cells per grid of its
// size and above, whatever the range of sizes. Cells are hashed into buckets; cells that share one only cost a
// comparison, for overlap is decided by distance.
class SphereGrids {
 public:
  // `expected` spheres: the number of buckets, which decides cost and not results.
  SphereGrids(Real largest_diameter, Real clearance, bool planar, std::size_t expected);

  bool is_free(const Vec3& center, Real radius) const;
  void add(const Vec3& center, Real radius);

 private:
  struct Level {
    Real cell = 0.0;            // m; largest diameter of the level plus clearance
    Real reach = 0.0;           // m; largest radius of the level plus clearance
    std::vector<Index> bucket;  // first sphere of each, a power of two of them; empty: no sphere yet
  };
  struct Sphere {
    Vec3 center;
    Real radius;
    Index next;
  };
  bool is_cell_free(const Level& level, const std::array<std::int64_t, 3>& cell, const Vec3& center, Real radius) const;

  Real largest_, clearance_;
  bool planar_;
  std::size_t bucket_count_;
  std::vector<Level> levels_;
  std::vector<Sphere> spheres_;
};

// Tries to place a sphere; at most `tries` draws.
bool place(const Region& region, Real radius, int tries, SphereGrids& grids, Random& random, Vec3& center);

}  // namespace grus
