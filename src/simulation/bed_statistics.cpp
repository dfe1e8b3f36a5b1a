#include "simulation/bed_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include <fmt/format.h>

#include "model/stone_shape.hpp"

namespace grus {

namespace {

MeanAndDeviation mean_and_deviation(const std::vector<Real>& values) {
  MeanAndDeviation result;
  if (values.empty()) return result;
  const auto n = static_cast<Real>(values.size());
  for (const Real x : values) result.mean += x / n;
  Real square = 0.0;
  for (const Real x : values) square += (x - result.mean) * (x - result.mean) / n;
  result.deviation = std::sqrt(square);
  return result;
}

struct Extent {
  Vec3 low = Vec3::Constant(std::numeric_limits<Real>::infinity());
  Vec3 high = Vec3::Constant(-std::numeric_limits<Real>::infinity());
};

Extent extent_of(const Polyhedron& polyhedron, const BedStone& stone) {
  Extent extent;
  for (const Vec3& v : polyhedron.vertices) {
    const Vec3 p = stone.position + stone.rotation * (stone.scale * v);
    extent.low = extent.low.cwiseMin(p);
    extent.high = extent.high.cwiseMax(p);
  }
  return extent;
}

// The part of a convex body on the inner side of a plane: its inner corners, and where edges cross the plane.
std::vector<Vec3> clipped(const Polyhedron& body, const Vec3& center, int axis, Real bound, Real side) {
  std::vector<Vec3> points;
  const auto depth = [&](Index v) {
    return side * (bound - (body.vertices[static_cast<std::size_t>(v)][axis] + center[axis]));
  };
  for (Index v = 0; v < body.vertex_count(); ++v) {
    if (depth(v) >= 0.0) points.emplace_back(body.vertices[static_cast<std::size_t>(v)] + center);
  }
  for (const PolyhedronEdge& edge : body.edges) {
    const Real a = depth(edge.from), b = depth(edge.to);
    if ((a > 0.0) == (b > 0.0) || a == b) continue;
    const Vec3& from = body.vertices[static_cast<std::size_t>(edge.from)];
    const Vec3& to = body.vertices[static_cast<std::size_t>(edge.to)];
    points.emplace_back(center + from + a / (a - b) * (to - from));
  }
  return points;
}

// Openings of the sieves for railway ballast (EN 13450) and their neighbours in the series of EN 933-2; other sizes of
// stones are told in tenths of their range.
std::vector<Real> openings_for(Real smallest, Real largest) {
  constexpr Real series[] = {1e-3, 2e-3, 4e-3, 8e-3, 16e-3, 22.4e-3, 31.5e-3, 40e-3, 50e-3, 63e-3, 80e-3, 125e-3};
  std::vector<Real> openings;
  for (const Real opening : series) {
    if (opening > 0.7 * smallest && opening < 1.4 * largest) openings.push_back(opening);
  }
  if (openings.size() >= 3) return openings;
  openings.clear();
  for (int k = 0; k <= 10; ++k) openings.push_back(smallest + 0.1 * k * (largest - smallest));
  return openings;
}

void add_sieve_curve(const Bed& bed, const std::vector<Real>& unit_size, BedStatistics& statistics) {
  std::vector<std::pair<Real, Real>> stones;  // size, volume
  Real total = 0.0;
  for (const BedStone& stone : bed.stones) {
    const auto shape = static_cast<std::size_t>(stone.shape);
    const Real volume = std::pow(stone.scale, 3) * bed.shapes[shape]->integrals.volume;
    stones.emplace_back(stone.scale * unit_size[shape], volume);
    total += volume;
  }
  std::sort(stones.begin(), stones.end());
  for (const Real opening : openings_for(stones.front().first, stones.back().first)) {
    Real passing = 0.0;
    for (const auto& [size, volume] : stones) {
      if (size <= opening * (1.0 + 1e-9)) passing += volume;
    }
    statistics.sieve.emplace_back(opening, passing / total);
  }
}

// A box in the bed, away from walls and surface. The surface is rough: its height is that which nine tenths of the
// stones do not reach above.
void set_core(const std::vector<Extent>& extents, const Vec3& up, Real core, BedStatistics& statistics) {
  Extent all;
  std::vector<Real> tops;
  int axis = 0;
  up.cwiseAbs().maxCoeff(&axis);
  const bool upwards = up[axis] > 0.0;
  for (const Extent& extent : extents) {
    all.low = all.low.cwiseMin(extent.low);
    all.high = all.high.cwiseMax(extent.high);
    tops.push_back(upwards ? extent.high[axis] : -extent.low[axis]);
  }
  const auto rank = static_cast<std::ptrdiff_t>(0.9 * static_cast<Real>(tops.size() - 1));
  std::nth_element(tops.begin(), tops.begin() + rank, tops.end());
  (upwards ? all.high : all.low)[axis] =
      upwards ? tops[static_cast<std::size_t>(rank)] : -tops[static_cast<std::size_t>(rank)];
  for (int k = 0; k < 3; ++k) {
    // a small bed keeps its middle third
    const Real margin = std::min(core, (all.high[k] - all.low[k]) / 3.0);
    statistics.core_min[k] = all.low[k] + margin;
    statistics.core_max[k] = all.high[k] - margin;
  }
}

}  // namespace

Real volume_in_box(const Polyhedron& polyhedron, const BedStone& stone, const Vec3& low, const Vec3& high) {
  const Extent extent = extent_of(polyhedron, stone);
  for (int axis = 0; axis < 3; ++axis) {
    if (extent.low[axis] >= high[axis] || extent.high[axis] <= low[axis]) return 0.0;
  }
  Polyhedron body = polyhedron;
  for (Vec3& v : body.vertices) v = stone.rotation * (stone.scale * v);
  Vec3 center = stone.position;
  for (int axis = 0; axis < 3; ++axis) {
    for (const Real side : {-1.0, 1.0}) {
      const Real bound = side < 0.0 ? low[axis] : high[axis];
      if (side < 0.0 ? extent.low[axis] >= bound : extent.high[axis] <= bound) continue;
      auto result = convex_hull(clipped(body, center, axis, bound, side));
      auto* hull = std::get_if<ConvexHull>(&result);
      if (!hull) return 0.0;  // a sliver at the face
      body = std::move(hull->polyhedron);
      center = hull->center;
    }
  }
  return polyhedron_integrals(body).volume;
}

std::vector<BedObstacle> bed_obstacles(const Model& model, const State& state) {
  std::vector<BedObstacle> obstacles;
  for (const Collider& c : model.colliders) {
    if (!model.is_kinematic(c.body) || !c.collides) continue;
    Polyhedron shape;
    if (c.kind == ShapeKind::polyhedron) {
      shape = model.polyhedra[static_cast<std::size_t>(c.geometry)];
    } else if (c.kind == ShapeKind::box) {
      std::vector<Vec3> corners;
      for (int i = 0; i < 8; ++i)
        corners.emplace_back(c.half.cwiseProduct(Vec3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1)));
      auto hull = convex_hull(corners);
      if (!std::holds_alternative<ConvexHull>(hull)) continue;
      shape = std::move(std::get<ConvexHull>(hull).polyhedron);
    } else {
      continue;
    }
    const Motion& motion = model.motion[static_cast<std::size_t>(c.body - model.kinematic_begin())];
    const Pose X_WB = motion.at(state.time, constant_inputs(state.input_end));
    obstacles.push_back({std::move(shape),
                         {0, c.scale, X_WB.position + X_WB.rotation * c.p_BC, (X_WB.rotation * c.R_BC).normalized()}});
  }
  return obstacles;
}

BedStatistics bed_statistics(const Bed& bed, const Vec3& up, Real core, const std::vector<BedObstacle>& obstacles) {
  BedStatistics s;
  s.stones = static_cast<Index>(bed.stones.size());
  if (bed.stones.empty()) return s;
  std::vector<StoneMeasures> measures;
  std::vector<Real> unit_size;
  for (const auto& shape : bed.shapes) {
    measures.push_back(measure_stone(*shape));
    unit_size.push_back(measures.back().sieve_size);
  }
  std::vector<Real> elongation, flatness, sphericity, vertices;
  std::vector<Extent> extents;
  for (const BedStone& stone : bed.stones) {
    const auto shape = static_cast<std::size_t>(stone.shape);
    s.mean_size += stone.scale * unit_size[shape] / s.stones;
    elongation.push_back(measures[shape].elongation());
    flatness.push_back(measures[shape].flatness());
    sphericity.push_back(measures[shape].sphericity);
    vertices.push_back(bed.shapes[shape]->polyhedron.vertex_count());
    extents.push_back(extent_of(bed.shapes[shape]->polyhedron, stone));
  }
  s.elongation = mean_and_deviation(elongation);
  s.flatness = mean_and_deviation(flatness);
  s.sphericity = mean_and_deviation(sphericity);
  s.vertices = mean_and_deviation(vertices);
  add_sieve_curve(bed, unit_size, s);
  constexpr Real default_core = 1.5;
  set_core(extents, up, core > 0.0 ? core : default_core * s.mean_size, s);
  Real solid = 0.0;
  for (const BedStone& stone : bed.stones)
    solid +=
        volume_in_box(bed.shapes[static_cast<std::size_t>(stone.shape)]->polyhedron, stone, s.core_min, s.core_max);
  Real room = (s.core_max - s.core_min).prod();
  for (const BedObstacle& obstacle : obstacles)
    room -= volume_in_box(obstacle.shape, obstacle.place, s.core_min, s.core_max);
  s.solid_fraction = room > 0.0 ? solid / room : 0.0;
  return s;
}

void add_contact_statistics(const std::vector<ContactPoint>& contacts, const State& state, const Model& model,
                            BedStatistics& statistics) {
  std::set<std::pair<Index, Index>> touching;
  Real sum = 0.0, most = 0.0;
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactPoint& point = contacts[c];
    const Real depth = std::max(0.0, -point.gap);
    sum += depth;
    most = std::max(most, depth);
    const bool stones = model.is_dynamic(point.body_a) && model.is_dynamic(point.body_b);
    if (stones && state.impulse[c].squaredNorm() > 0.0) touching.insert(std::minmax(point.body_a, point.body_b));
  }
  const Real size = statistics.mean_size;
  statistics.coordination =
      2.0 * static_cast<Real>(touching.size()) / static_cast<Real>(std::max<Index>(1, statistics.stones));
  statistics.penetration_mean = contacts.empty() ? 0.0 : sum / static_cast<Real>(contacts.size()) / size;
  statistics.penetration_max = most / size;
}

std::map<std::string, std::vector<double>> BedStatistics::named() const {
  std::map<std::string, std::vector<double>> fields = {
      {"mean_size", {mean_size}},
      {"elongation", {elongation.mean, elongation.deviation}},
      {"flatness", {flatness.mean, flatness.deviation}},
      {"sphericity", {sphericity.mean, sphericity.deviation}},
      {"vertices", {vertices.mean, vertices.deviation}},
      {"solid_fraction", {solid_fraction}},
      {"core", {core_min.x(), core_min.y(), core_min.z(), core_max.x(), core_max.y(), core_max.z()}},
      {"coordination", {coordination}},
      {"penetration", {penetration_mean, penetration_max}},
      {"rms_speed", {rms_speed}},
      {"settling_time", {settling_time}}};
  for (const auto& [opening, passing] : sieve) {
    fields["sieve_opening"].push_back(opening);
    fields["sieve_passing"].push_back(passing);
  }
  return fields;
}

std::vector<std::string> BedStatistics::words() const {
  std::string curve;
  for (const auto& [opening, passing] : sieve)
    curve += fmt::format("{}{:.3g} mm {:.1f} %", curve.empty() ? "" : ", ", 1e3 * opening, 100.0 * passing);
  return {fmt::format("{} stones of {:.1f} +- {:.1f} vertices, sieve size {:.4g} m on average.", stones, vertices.mean,
                      vertices.deviation, mean_size),
          fmt::format("Elongation {:.2f} +- {:.2f}, flatness {:.2f} +- {:.2f}, sphericity {:.2f} +- {:.2f}.",
                      elongation.mean, elongation.deviation, flatness.mean, flatness.deviation, sphericity.mean,
                      sphericity.deviation),
          fmt::format("Passing by mass: {}.", curve),
          fmt::format(
              "Solid fraction {:.3f} in the core, {:.2f} neighbours per stone; penetration {:.3f} % of the mean size "
              "on average, {:.2f} % at most.",
              solid_fraction, coordination, 100.0 * penetration_mean, 100.0 * penetration_max),
          fmt::format("At rest after {:.4g} s, RMS speed {:.2g} m/s.", settling_time, rms_speed)};
}

}  // namespace grus
