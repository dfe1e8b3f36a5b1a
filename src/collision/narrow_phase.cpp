#include "collision/narrow_phase.hpp"

#include <algorithm>
#include <array>

#include "collision/narrow/pair_functions.hpp"

namespace grus {

namespace {

using PairTable = std::array<std::array<PairFunction*, shape_kind_count>, shape_kind_count>;

// Upper triangle; the mirror of a pair is the same function with its arguments and normals exchanged.
// Columns in the order of ShapeKind. A new convex shape takes convex_convex until it has something better.
constexpr PairFunction* none = nullptr;
constexpr PairFunction* convex = convex_convex;
constexpr PairFunction* rounded = rounded_polygon_pair;
constexpr PairFunction* mesh = convex_triangle;
constexpr PairFunction* stone_plane = polyhedron_plane;
constexpr PairFunction* stone_tube = polyhedron_tube;
constexpr PairFunction* stone_stone = polyhedron_polyhedron;

// clang-format off
constexpr PairTable spatial_table{{
//               sphere         capsule          cylinder         box         plane           disk  polygon  tube           ring  polyhedron   triangle
/* sphere     */ {sphere_sphere, sphere_capsule,  sphere_cylinder, sphere_box, sphere_plane,   none, none,    sphere_tube,   none, convex,      mesh},
/* capsule    */ {none,          capsule_capsule, convex,          convex,     capsule_plane,  none, none,    capsule_tube,  none, convex,      mesh},
/* cylinder   */ {none,          none,            convex,          convex,     cylinder_plane, none, none,    cylinder_tube, none, convex,      mesh},
/* box        */ {none,          none,            none,            box_box,    box_plane,      none, none,    box_tube,      none, convex,      mesh},
/* plane      */ {none,          none,            none,            none,       none,           none, none,    none,          none, none,        none},
/* disk       */ {none,          none,            none,            none,       none,           none, none,    none,          none, none,        none},
/* polygon    */ {none,          none,            none,            none,       none,           none, none,    none,          none, none,        none},
/* tube       */ {none,          none,            none,            none,       none,           none, none,    none,          none, none,        none},
/* ring       */ {none,          none,            none,            none,       none,           none, none,    none,          none, none,        none},
/* polyhedron */ {none,          none,            none,            none,       stone_plane,    none, none,    stone_tube,    none, stone_stone, mesh},
/* triangle   */ {none,          none,            none,            none,       none,           none, none,    none,          none, none,        none},
}};

constexpr PairFunction* r_plane = rounded_polygon_plane;
constexpr PairFunction* r_ring = rounded_polygon_ring;
constexpr PairTable planar_table{{
//               sphere  capsule  cylinder  box      plane       disk       polygon  tube  ring       polyhedron  triangle
/* sphere     */ {none,   none,    none,     none,    none,       none,      none,    none, none,      none,       none},
/* capsule    */ {none,   rounded, none,     rounded, r_plane,    rounded,   rounded, none, r_ring,    none,       none},
/* cylinder   */ {none,   none,    none,     none,    none,       none,      none,    none, none,      none,       none},
/* box        */ {none,   none,    none,     rounded, r_plane,    rounded,   rounded, none, r_ring,    none,       none},
/* plane      */ {none,   none,    none,     none,    none,       none,      none,    none, none,      none,       none},
/* disk       */ {none,   none,    none,     none,    disk_plane, disk_disk, rounded, none, disk_ring, none,       none},
/* polygon    */ {none,   none,    none,     none,    r_plane,    none,      rounded, none, r_ring,    none,       none},
/* tube       */ {none,   none,    none,     none,    none,       none,      none,    none, none,      none,       none},
/* ring       */ {none,   none,    none,     none,    none,       none,      none,    none, none,      none,       none},
/* polyhedron */ {none,   none,    none,     none,    none,       none,      none,    none, none,      none,       none},
/* triangle   */ {none,   none,    none,     none,    none,       none,      none,    none, none,      none,       none},
}};
// clang-format on

PairFunction* lookup(ShapeKind a, ShapeKind b, bool planar) {
  return (planar ? planar_table : spatial_table)[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
}

}  // namespace

bool has_pair(ShapeKind a, ShapeKind b, bool planar) { return lookup(a, b, planar) || lookup(b, a, planar); }

void collide(const PlacedShape& a, const PlacedShape& b, bool planar, Real max_gap, Manifold& out, PairMemory* memory) {
  out.clear();
  const ShapeKind kind_a = a.collider->kind, kind_b = b.collider->kind;
  if (memory && kind_a == ShapeKind::polyhedron && kind_b == ShapeKind::polyhedron) {
    polyhedron_pair(a, b, max_gap, *memory, out);
  } else if (PairFunction* const direct = lookup(kind_a, kind_b, planar)) {
    direct(a, b, max_gap, out);
  } else if (PairFunction* const mirrored = lookup(kind_b, kind_a, planar)) {
    mirrored(b, a, max_gap, out);
    for (ManifoldPoint& point : out) point.normal = -point.normal;
  }
  if (out.count > 1)
    std::sort(out.begin(), out.end(), [](const auto& x, const auto& y) { return x.feature < y.feature; });
}

}  // namespace grus
