#include "model/convex_hull.hpp"

#include "model/polyhedron_of_faces.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include <fmt/format.h>

extern "C" {
#include <libqhull_r/libqhull_r.h>
}

namespace grus {

namespace {

using Triangle = std::array<Index, 3>;
using Loop = std::vector<Index>;  // counter-clockwise seen from outside

// Coordinates beyond this are a mistake of units, and their fifth powers would lose digits or overflow.
constexpr Real hull_far = 1e9;     // m
constexpr Real hull_small = 1e-9;  // m
// Thinner than this part of its extent is flat: the hull of points in a plane is one of rounding errors.
constexpr Real thinnest = 1e-6;

const Vec3& at(std::span<const Vec3> points, Index i) { return points[static_cast<std::size_t>(i)]; }

// How far the points reach along a line, off that line and off a plane through it, greedily.
struct Extents {
  Real length = 0.0, width = 0.0, thickness = 0.0;
};

Extents extents_of(std::span<const Vec3> points) {
  const auto farthest = [&](auto measure) {
    Index best = 0;
    Real most = -1.0;
    for (Index i = 0; i < static_cast<Index>(points.size()); ++i) {
      const Real m = measure(at(points, i));
      if (m > most) {
        most = m;
        best = i;
      }
    }
    return std::pair(best, most);
  };
  Extents extents;
  const Vec3 a = at(points, farthest([&](const Vec3& p) { return (p - points[0]).norm(); }).first);
  const auto [end, length] = farthest([&](const Vec3& p) { return (p - a).norm(); });
  extents.length = length;
  if (!(length > 0.0)) return extents;
  const Vec3 along = (at(points, end) - a) / length;
  const auto [side, width] = farthest([&](const Vec3& p) { return (p - a).cross(along).norm(); });
  extents.width = width;
  if (!(width > 0.0)) return extents;
  const Vec3 normal = along.cross(at(points, side) - a).normalized();
  extents.thickness = farthest([&](const Vec3& p) { return std::abs((p - a).dot(normal)); }).second;
  return extents;
}

std::string points_error(std::span<const Vec3> points) {
  if (points.size() < 4) return fmt::format("a polyhedron needs at least 4 points, found {}", points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!points[i].allFinite()) return fmt::format("point {} of the polyhedron is not finite", i + 1);
    if (points[i].lpNorm<Eigen::Infinity>() > hull_far)
      return fmt::format("point {} of the polyhedron is {:.3g} m from the origin, expected at most {:g} m", i + 1,
                         points[i].norm(), hull_far);
  }
  const Extents extents = extents_of(points);
  if (extents.length < hull_small)
    return fmt::format("the polyhedron is {:.3g} m long, expected at least {:g} m", extents.length, hull_small);
  if (extents.width < thinnest * extents.length) return "the points of the polyhedron lie on a line";
  if (extents.thickness < thinnest * extents.length)
    return fmt::format("the points of the polyhedron lie in a plane (thickness {:.3g} m, length {:.3g} m)",
                       extents.thickness, extents.length);
  return {};
}

// One call of qhull; its memory goes with it.
class Qhull {
 public:
  Qhull() : silence_(std::fopen("/dev/null", "w"), &std::fclose) { qh_zero(&qh_, silence_.get()); }
  ~Qhull() {
    qh_freeqhull(&qh_, !qh_ALL);
    int long_left = 0, short_left = 0;
    qh_memfreeshort(&qh_, &long_left, &short_left);
  }
  Qhull(const Qhull&) = delete;
  Qhull& operator=(const Qhull&) = delete;

  // Triangles (Qt) of the hull, or none when qhull gives up.
  std::vector<Triangle> triangles(std::vector<Real>& coordinates) {
    std::string command = "qhull Qt";
    const int code = qh_new_qhull(&qh_, 3, static_cast<int>(coordinates.size() / 3), coordinates.data(), False,
                                  command.data(), nullptr, silence_.get());
    std::vector<Triangle> result;
    if (code != 0) return result;
    for (const facetT* facet = qh_.facet_list; facet && facet->next; facet = facet->next) {
      Triangle triangle{};
      for (std::size_t k = 0; k < 3; ++k)
        triangle[k] = qh_pointid(&qh_, static_cast<vertexT*>(facet->vertices->e[k].p)->point);
      if (facet->toporient) std::swap(triangle[1], triangle[2]);
      result.push_back(triangle);
    }
    return result;
  }

 private:
  qhT qh_{};
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> silence_;
};

Vec3 twice_area(std::span<const Vec3> points, const Triangle& t) {
  return (at(points, t[1]) - at(points, t[0])).cross(at(points, t[2]) - at(points, t[0]));
}

// All triangles turned so that their normals point outwards.
std::vector<Triangle> hull_triangles(std::span<const Vec3> points) {
  std::vector<Real> coordinates;
  coordinates.reserve(3 * points.size());
  for (const Vec3& p : points) coordinates.insert(coordinates.end(), {p.x(), p.y(), p.z()});
  std::vector<Triangle> triangles = Qhull().triangles(coordinates);
  if (triangles.empty()) return triangles;
  const Vec3& apex = at(points, triangles[0][0]);
  Real volume = 0.0;
  for (const Triangle& t : triangles) volume += twice_area(points, t).dot(at(points, t[0]) - apex);
  if (volume < 0.0) {
    for (Triangle& t : triangles) std::swap(t[1], t[2]);
  }
  return triangles;
}

using HalfEdges = std::map<std::pair<Index, Index>, Index>;  // (from, to) -> face or triangle on its left

// Faces of a closed surface: every half edge once, and its opposite too. Empty when it is not one.
template <class Faces>
HalfEdges half_edges(const Faces& faces) {
  HalfEdges edges;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto& face = faces[f];
    for (std::size_t k = 0; k < face.size(); ++k) {
      if (!edges.emplace(std::pair(face[k], face[(k + 1) % face.size()]), static_cast<Index>(f)).second) return {};
    }
  }
  for (const auto& [edge, face] : edges) {
    if (!edges.contains({edge.second, edge.first})) return {};
  }
  return edges;
}

// Triangles of one plane get one number: the largest gives the plane, its neighbours join while their corners are near.
std::vector<Index> group_by_plane(std::span<const Vec3> points, const std::vector<Triangle>& triangles,
                                  const HalfEdges& edges, Real tolerance) {
  std::vector<Index> order(triangles.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<Real> area(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) area[t] = twice_area(points, triangles[t]).norm();
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return area[static_cast<std::size_t>(a)] > area[static_cast<std::size_t>(b)];
  });
  std::vector<Index> group(triangles.size(), no_index);
  Index count = 0;
  for (const Index seed : order) {
    if (group[static_cast<std::size_t>(seed)] != no_index) continue;
    const Triangle& first = triangles[static_cast<std::size_t>(seed)];
    const Vec3 normal = twice_area(points, first).normalized();
    const auto is_near = [&](const Triangle& t) {
      for (const Index v : t) {
        if (std::abs(normal.dot(at(points, v) - at(points, first[0]))) > tolerance) return false;
      }
      // a plate's other side may be as near
      const Vec3 own = twice_area(points, t);
      return own.dot(normal) > 0.0 || own.norm() <= tolerance * tolerance;
    };
    std::vector<Index> front{seed};
    group[static_cast<std::size_t>(seed)] = count;
    while (!front.empty()) {
      const Triangle t = triangles[static_cast<std::size_t>(front.back())];
      front.pop_back();
      for (std::size_t k = 0; k < 3; ++k) {
        const Index across = edges.at({t[(k + 1) % 3], t[k]});
        if (group[static_cast<std::size_t>(across)] != no_index) continue;
        if (!is_near(triangles[static_cast<std::size_t>(across)])) continue;
        group[static_cast<std::size_t>(across)] = count;
        front.push_back(across);
      }
    }
    ++count;
  }
  return group;
}

// The outline of each group; empty when one is not a single ring.
std::vector<Loop> outlines(const std::vector<Triangle>& triangles, const HalfEdges& edges,
                           const std::vector<Index>& group) {
  const auto group_of = [&](Index triangle) { return group[static_cast<std::size_t>(triangle)]; };
  std::vector<std::map<Index, Index>> next(static_cast<std::size_t>(*std::max_element(group.begin(), group.end())) + 1);
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    for (std::size_t k = 0; k < 3; ++k) {
      const Index from = triangles[t][k], to = triangles[t][(k + 1) % 3];
      if (group_of(edges.at({to, from})) == group[t]) continue;
      if (!next[static_cast<std::size_t>(group[t])].emplace(from, to).second) return {};
    }
  }
  std::vector<Loop> loops;
  for (const auto& ring : next) {
    if (ring.empty()) return {};
    Loop loop{ring.begin()->first};
    for (Index v = ring.begin()->second; v != loop.front(); v = ring.at(v)) {
      if (loop.size() > ring.size() || !ring.contains(v)) return {};
      loop.push_back(v);
    }
    if (loop.size() != ring.size()) return {};
    loops.push_back(std::move(loop));
  }
  return loops;
}

// A vertex of two faces only lies on a straight edge: it goes, and with it faces that have become an edge.
void drop_straight_vertices(std::vector<Loop>& loops, std::size_t point_count) {
  while (true) {
    std::vector<Index> faces_at(point_count, 0);
    for (const Loop& loop : loops) {
      for (const Index v : loop) ++faces_at[static_cast<std::size_t>(v)];
    }
    std::size_t dropped = 0;
    for (Loop& loop : loops)
      dropped += std::erase_if(loop, [&](Index v) { return faces_at[static_cast<std::size_t>(v)] < 3; });
    dropped += std::erase_if(loops, [](const Loop& loop) { return loop.size() < 3; });
    if (dropped == 0) return;
  }
}

// Newell 1972: twice the vector area of a polygon, also of one that is not quite flat.
Vec3 newell(std::span<const Vec3> points, const Loop& loop) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 1; k + 1 < loop.size(); ++k) sum += twice_area(points, {loop[0], loop[k], loop[k + 1]});
  return sum;
}

// Loops start at their first vertex and are sorted: the order of faces owes nothing to qhull's lists.
void sort_loops(std::vector<Loop>& loops) {
  for (Loop& loop : loops) std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  std::sort(loops.begin(), loops.end());
}

void set_edges(Polyhedron& hull, const HalfEdges& edges) {
  std::vector<std::vector<Index>> around(hull.vertices.size());
  for (const auto& [edge, face] : edges) {
    const auto [from, to] = edge;
    around[static_cast<std::size_t>(from)].push_back(to);
    if (from < to) hull.edges.push_back({from, to, face, edges.at({to, from})});
  }
  hull.neighbour_begin.assign(1, 0);
  for (const std::vector<Index>& list : around) {
    hull.neighbours.insert(hull.neighbours.end(), list.begin(), list.end());
    hull.neighbour_begin.push_back(static_cast<Index>(hull.neighbours.size()));
  }
}

// Planes and radii, which depend on where the origin is.
void set_measures(Polyhedron& hull) {
  hull.face_normal.clear();
  hull.face_offset.clear();
  hull.bound_radius = 0.0;
  for (const Vec3& v : hull.vertices) hull.bound_radius = std::max(hull.bound_radius, v.norm());
  hull.inner_radius = hull.bound_radius;
  for (std::size_t f = 0; f + 1 < hull.face_begin.size(); ++f) {
    const Loop loop(hull.face_vertices.begin() + hull.face_begin[f],
                    hull.face_vertices.begin() + hull.face_begin[f + 1]);
    const Vec3 normal = newell(hull.vertices, loop).normalized();
    Real offset = -hull.bound_radius;
    for (const Index v : loop) offset = std::max(offset, normal.dot(at(hull.vertices, v)));
    hull.face_normal.push_back(normal);
    hull.face_offset.push_back(offset);
    hull.inner_radius = std::min(hull.inner_radius, offset);
  }
}

bool is_convex(const Polyhedron& hull, Real tolerance) {
  for (std::size_t f = 0; f < hull.face_normal.size(); ++f) {
    if (!hull.face_normal[f].allFinite()) return false;
    for (const Vec3& v : hull.vertices) {
      if (hull.face_normal[f].dot(v) > hull.face_offset[f] + tolerance) return false;
    }
  }
  return hull.inner_radius > 0.0;
}

// The polyhedron in the frame of the points; false when joining faces at this tolerance makes none.
bool assemble_hull(std::span<const Vec3> points, const std::vector<Triangle>& triangles, Real tolerance,
                   Polyhedron& hull) {
  const HalfEdges triangle_edges = half_edges(triangles);
  if (triangle_edges.empty()) return false;
  std::vector<Loop> loops =
      outlines(triangles, triangle_edges, group_by_plane(points, triangles, triangle_edges, tolerance));
  drop_straight_vertices(loops, points.size());
  if (loops.size() < 4) return false;
  std::vector<Index> used;
  for (const Loop& loop : loops) used.insert(used.end(), loop.begin(), loop.end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  for (Loop& loop : loops) {
    for (Index& v : loop) v = static_cast<Index>(std::lower_bound(used.begin(), used.end(), v) - used.begin());
  }
  sort_loops(loops);
  const HalfEdges edges = half_edges(loops);
  // Euler: V - E + F = 2
  if (edges.empty() || used.size() + loops.size() != edges.size() / 2 + 2) return false;
  hull = {};
  for (const Index v : used) hull.vertices.push_back(at(points, v));
  hull.face_begin.assign(1, 0);
  for (const Loop& loop : loops) {
    hull.face_vertices.insert(hull.face_vertices.end(), loop.begin(), loop.end());
    hull.face_begin.push_back(static_cast<Index>(hull.face_vertices.size()));
  }
  set_edges(hull, edges);
  return true;
}

// Corners of the hull that are farther apart than the tolerance, in their order; few, so all pairs are looked at.
std::vector<Vec3> distinct_corners(std::span<const Vec3> points, const std::vector<Triangle>& triangles,
                                   Real tolerance) {
  std::vector<Index> corners;
  for (const Triangle& t : triangles) corners.insert(corners.end(), t.begin(), t.end());
  std::sort(corners.begin(), corners.end());
  corners.erase(std::unique(corners.begin(), corners.end()), corners.end());
  std::vector<Vec3> kept;
  for (const Index c : corners) {
    const Vec3& p = at(points, c);
    if (std::none_of(kept.begin(), kept.end(), [&](const Vec3& q) { return (p - q).norm() <= tolerance; }))
      kept.push_back(p);
  }
  return kept;
}

}  // namespace

PolyhedronIntegrals polyhedron_integrals(const Polyhedron& polyhedron) {
  const auto over_tetrahedra = [&](const Vec3& apex, auto add) {
    for (std::size_t f = 0; f + 1 < polyhedron.face_begin.size(); ++f) {
      const Index* face = polyhedron.face_vertices.data() + polyhedron.face_begin[f];
      const Index corners = polyhedron.face_begin[f + 1] - polyhedron.face_begin[f];
      const Vec3 a = at(polyhedron.vertices, face[0]) - apex;
      for (Index k = 1; k + 1 < corners; ++k) {
        const Vec3 b = at(polyhedron.vertices, face[k]) - apex;
        const Vec3 c = at(polyhedron.vertices, face[k + 1]) - apex;
        add(a.dot(b.cross(c)) / 6.0, a, b, c);
      }
    }
  };
  PolyhedronIntegrals result;
  Vec3 inside = Vec3::Zero();
  for (const Vec3& v : polyhedron.vertices) inside += v;
  inside /= static_cast<Real>(polyhedron.vertices.size());
  Vec3 first = Vec3::Zero();
  over_tetrahedra(inside, [&](Real volume, const Vec3& a, const Vec3& b, const Vec3& c) {
    result.volume += volume;
    first += volume / 4.0 * (a + b + c);
  });
  result.center = inside + first / result.volume;
  Mat3 second = Mat3::Zero();
  over_tetrahedra(result.center, [&](Real volume, const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 s = a + b + c;
    second += volume / 20.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
  });
  result.inertia = second.trace() * Mat3::Identity() - second;
  return result;
}

std::variant<ConvexHull, std::string> convex_hull(std::span<const Vec3> points, Real flatness) {
  if (std::string error = points_error(points); !error.empty()) return error;
  // about the middle and of size 1: qhull's tolerances and ours are then relative to the polyhedron
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points) {
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Vec3 middle = 0.5 * (low + high);
  // a power of two, so that scaling there and back loses nothing
  const Real size = std::exp2(std::ceil(std::log2((high - low).maxCoeff())));
  const Real tolerance = flatness * (high - low).norm() / size;
  std::vector<Vec3> local;
  local.reserve(points.size());
  for (const Vec3& p : points) local.emplace_back((p - middle) / size);

  std::vector<Triangle> triangles = hull_triangles(local);
  const std::string failure = fmt::format("no convex hull was found for {} points", points.size());
  if (triangles.empty()) return failure;
  if (triangles.size() > 2 * static_cast<std::size_t>(most_hull_vertices))
    return fmt::format("the convex hull has about {} vertices, expected at most {}: use a coarser mesh",
                       triangles.size() / 2 + 2, most_hull_vertices);
  local = distinct_corners(local, triangles, tolerance);
  if (local.size() < 4) return failure;
  triangles = hull_triangles(local);
  if (triangles.empty()) return failure;

  ConvexHull hull;
  Polyhedron& polyhedron = hull.polyhedron;
  // where joining faces leaves no proper surface, planes that differ by rounding only are joined
  constexpr Real rounding = 1e-14;
  bool good = false;
  for (const Real wide : {tolerance, rounding}) {
    if (!assemble_hull(local, triangles, wide, polyhedron)) continue;
    const Vec3 center = polyhedron_integrals(polyhedron).center;
    for (Vec3& v : polyhedron.vertices) v -= center;
    set_measures(polyhedron);
    // corners of a joined face are within the tolerance of its plane, and so are their neighbours of the others
    constexpr Real slack = 4.0;
    good = is_convex(polyhedron, slack * std::max(wide, rounding));
    if (!good) continue;
    hull.center = middle + size * center;
    break;
  }
  if (!good) return failure;
  for (Vec3& v : polyhedron.vertices) v *= size;
  set_measures(polyhedron);
  complete(polyhedron);
  hull.integrals = polyhedron_integrals(polyhedron);
  return hull;
}

std::optional<Polyhedron> polyhedron_of_faces(std::vector<Vec3> vertices, std::vector<Index> face_begin,
                                              std::vector<Index> face_vertices) {
  const auto corners = static_cast<Index>(face_vertices.size());
  if (vertices.size() < 4 || vertices.size() > static_cast<std::size_t>(most_hull_vertices)) return std::nullopt;
  if (face_begin.size() < 5 || face_begin.front() != 0 || face_begin.back() != corners) return std::nullopt;
  for (const Vec3& v : vertices) {
    if (!v.allFinite() || v.norm() > hull_far) return std::nullopt;
  }
  for (const Index v : face_vertices) {
    if (v < 0 || v >= static_cast<Index>(vertices.size())) return std::nullopt;
  }
  std::vector<Loop> loops;
  for (std::size_t f = 0; f + 1 < face_begin.size(); ++f) {
    if (face_begin[f + 1] < face_begin[f] + 3 || face_begin[f + 1] > corners) return std::nullopt;
    loops.emplace_back(face_vertices.begin() + face_begin[f], face_vertices.begin() + face_begin[f + 1]);
  }
  const HalfEdges edges = half_edges(loops);
  if (edges.empty() || vertices.size() + loops.size() != edges.size() / 2 + 2) return std::nullopt;
  Polyhedron result;
  result.vertices = std::move(vertices);
  result.face_begin = std::move(face_begin);
  result.face_vertices = std::move(face_vertices);
  set_edges(result, edges);
  set_measures(result);
  constexpr Real slack = 4.0;
  if (!is_convex(result, slack * flat_in_single * result.bound_radius)) return std::nullopt;
  complete(result);
  return result;
}

}  // namespace grus
