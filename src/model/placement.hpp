// Random sequential addition: spheres (disks in the plane) that do not overlap, in a box or an upright cylinder.
#pragma once

#include <cstdint>
#include <unordered_map>
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

// Spheres kept in grids, one per factor of two in diameter: a query looks at no more than 27 (9) cells per grid,
// whatever the range of sizes.
class SphereGrids {
 public:
  SphereGrids(Real largest_diameter, Real clearance, bool planar);

  bool is_free(const Vec3& center, Real radius) const;
  void add(const Vec3& center, Real radius);

 private:
  struct Level {
    Real cell = 0.0;   // m; largest diameter of the level plus clearance
    Real reach = 0.0;  // m; largest radius of the level plus clearance
    std::unordered_map<std::uint64_t, Index> head;
  };
  struct Sphere {
    Vec3 center;
    Real radius;
    Index next;
  };
  Real largest_, clearance_;
  bool planar_;
  std::vector<Level> levels_;
  std::vector<Sphere> spheres_;
};

// Tries to place a sphere; at most `tries` draws.
bool place(const Region& region, Real radius, int tries, SphereGrids& grids, Random& random, Vec3& center);

}  // namespace grus
