#include "analysis/solid_fraction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "collision/shape_bounds.hpp"
#include "collision/shape_interior.hpp"
#include "io/file_fault.hpp"
#include "io/shape_names.hpp"
#include "model/convex_hull.hpp"

namespace grus {

namespace {

Pose body_pose(const Frame& frame, Index body) {
  const float* p = &frame.position[3 * static_cast<std::size_t>(body)];
  const float* q = &frame.rotation[4 * static_cast<std::size_t>(body)];
  return {Vec3(p[0], p[1], p[2]), Quat(q[3], q[0], q[1], q[2]).normalized()};
}

// Points of one axis from first to last (not included) within [low, high].
struct PointRange {
  Index first = 0, last = 0;
};

PointRange points_within(const SampleGrid& grid, int axis, Real low, Real high) {
  const Index points = grid.axis_points(axis);
  if (grid.planar && axis == 2) return {0, 1};
  const Real spacing = grid.spacing(axis);
  // Clamped before the cast: a body may be anywhere, and nowhere when its position is not a number.
  const auto clamped = [&](Real x) { return x > 0.0 ? static_cast<Index>(std::min<Real>(x, points)) : 0; };
  return {clamped(std::ceil((low - grid.min[axis]) / spacing - 0.5)),
          clamped(std::floor((high - grid.min[axis]) / spacing - 0.5) + 1.0)};
}

// Shapes times the layers they reach: 1 GB of memory. Grains reach a few layers each.
constexpr std::int64_t most_listed = 250'000'000;

enum PointKind : std::uint8_t { in_void, in_dynamic, in_other };

// A shape and the points of the grid that its bounds hold.
struct SampledShape {
  ShapeInterior interior;
  PointRange range[3];
  PointKind kind;
};

// Layers of points along z (planar: along y) are worked on apart.
class LayerSampler {
 public:
  LayerSampler(const PlacedBodies& bodies, const SampleGrid& grid) : grid_(grid), layer_axis_(grid.planar ? 1 : 2) {
    for (std::size_t i = 0; i < bodies.shapes.size(); ++i) {
      const PlacedShape& shape = bodies.shapes[i];
      Vec3 low = grid.min, high = grid.max;
      if (!is_unbounded(shape.collider->kind)) {
        const Bounds b = bounds(shape, bodies.planar);
        low = b.low, high = b.high;
      }
      SampledShape sampled{ShapeInterior(shape, bodies.planar),
                           {points_within(grid, 0, low.x(), high.x()), points_within(grid, 1, low.y(), high.y()),
                            points_within(grid, 2, low.z(), high.z())},
                           i < bodies.dynamic_shapes ? in_dynamic : in_other};
      if (std::all_of(sampled.range, sampled.range + 3, [](const PointRange& r) { return r.first < r.last; }))
        shapes_.push_back(std::move(sampled));
    }
    list_layers();
  }

  int layer_axis() const { return layer_axis_; }

  // Adds the counts of one layer of points to `cells`: those of the layer of cells it belongs to, x fastest.
  void sample(Index layer, std::vector<std::uint8_t>& points, std::vector<CellCount>& cells) const {
    const Index width = grid_.axis_points(0), rows = grid_.planar ? 1 : grid_.axis_points(1);
    points.assign(static_cast<std::size_t>(width) * rows, in_void);
    const auto begin = static_cast<std::size_t>(layer_begin_[static_cast<std::size_t>(layer)]);
    const auto end = static_cast<std::size_t>(layer_begin_[static_cast<std::size_t>(layer) + 1]);
    for (std::size_t k = begin; k < end; ++k) mark(shapes_[static_cast<std::size_t>(listed_[k])], layer, points);
    count(points, width, rows, cells);
  }

 private:
  // listed_[layer_begin_[l] .. layer_begin_[l + 1]): the shapes that reach layer l.
  void list_layers() {
    const Index layers = grid_.axis_points(layer_axis_);
    layer_begin_.assign(static_cast<std::size_t>(layers) + 1, 0);
    for (const SampledShape& s : shapes_) {
      for (Index l = s.range[layer_axis_].first; l < s.range[layer_axis_].last; ++l)
        ++layer_begin_[static_cast<std::size_t>(l) + 1];
    }
    for (std::size_t l = 1; l < layer_begin_.size(); ++l) layer_begin_[l] += layer_begin_[l - 1];
    if (layer_begin_.back() > most_listed)
      throw file_fault("frames/scene.json", fmt::format("found shapes that overlap so much that {} places are to be "
                                                        "looked at, expected at most {}: take a larger cell",
                                                        layer_begin_.back(), most_listed));
    listed_.resize(static_cast<std::size_t>(layer_begin_.back()));
    std::vector<std::int64_t> next(layer_begin_.begin(), layer_begin_.end() - 1);
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      const PointRange range = shapes_[i].range[layer_axis_];
      for (Index l = range.first; l < range.last; ++l)
        listed_[static_cast<std::size_t>(next[static_cast<std::size_t>(l)]++)] = static_cast<Index>(i);
    }
  }

  void mark(const SampledShape& shape, Index layer, std::vector<std::uint8_t>& points) const {
    const Index width = grid_.axis_points(0);
    const PointRange rows = grid_.planar ? PointRange{0, 1} : shape.range[1];
    for (Index row = rows.first; row < rows.last; ++row) {
      const Real y = grid_.coordinate(1, grid_.planar ? layer : row);
      const Real z = grid_.coordinate(2, grid_.planar ? 0 : layer);
      std::uint8_t* line = &points[static_cast<std::size_t>(row) * width];
      for (Index i = shape.range[0].first; i < shape.range[0].last; ++i) {
        if (line[i] < shape.kind && shape.interior.holds({grid_.coordinate(0, i), y, z})) line[i] = shape.kind;
      }
    }
  }

  void count(const std::vector<std::uint8_t>& points, Index width, Index rows, std::vector<CellCount>& cells) const {
    for (Index row = 0; row < rows; ++row) {
      const std::uint8_t* line = &points[static_cast<std::size_t>(row) * width];
      const std::size_t cell_row = static_cast<std::size_t>(row / grid_.samples[1]) * grid_.count[0];
      for (Index i = 0; i < width; ++i) {
        CellCount& cell = cells[cell_row + i / grid_.samples[0]];
        const bool solid = line[i] == in_dynamic;
        cell.solid += solid;
        cell.free += line[i] != in_other;
        cell.cuts += (i + 1 < width && solid != (line[i + 1] == in_dynamic)) +
                     (row + 1 < rows && solid != (line[i + width] == in_dynamic));
      }
    }
  }

  const SampleGrid& grid_;
  int layer_axis_;
  std::vector<SampledShape> shapes_;
  std::vector<std::int64_t> layer_begin_;  // [layers + 1]
  std::vector<Index> listed_;
};

// What the functions below rely on, and a run writes: bodies in order, shapes of one world, grains with an end.
void check_colliders(const FrameScene& scene) {
  Index before = 0;
  for (std::size_t i = 0; i < scene.colliders.size(); ++i) {
    const Collider& c = scene.colliders[i];
    const bool flat = c.kind == ShapeKind::disk || c.kind == ShapeKind::polygon || c.kind == ShapeKind::ring;
    const bool fits = c.kind == ShapeKind::plane || flat == scene.planar;
    const bool has_end = c.body >= scene.dynamic_count || !is_massless(c.kind);
    if (c.body < before || !fits || !has_end || (c.kind == ShapeKind::polygon && c.vertex_count < 3))
      throw file_fault(
          "frames/scene.json",
          fmt::format("collider {}: found a {} of body {} after body {}, in a {} scene with {} dynamic "
                      "bodies; expected shapes of that scene in the order of the bodies",
                      i, shape_name(c.kind), c.body, before, scene.planar ? "planar" : "spatial", scene.dynamic_count));
    before = c.body;
  }
}

}  // namespace

SceneShapes::SceneShapes(const FrameScene& frame_scene) : scene(frame_scene) {
  check_colliders(scene);
  for (const FramePolyhedron& p : scene.polyhedra) {
    // Frames keep what is drawn; planes and search tables are found anew. The centroid is the origin already.
    auto hull = convex_hull(p.vertices);
    if (const auto* fault = std::get_if<std::string>(&hull))
      throw file_fault("frames/scene.json", fmt::format("polyhedron {}: {}", polyhedra.size(), *fault));
    polyhedra.push_back(std::move(std::get<ConvexHull>(hull).polyhedron));
  }
}

ShapeGeometry SceneShapes::geometry() const {
  ShapeGeometry geometry;
  geometry.polygon_vertices = scene.polygon_vertices.data();
  geometry.polyhedra = polyhedra.data();
  return geometry;
}

PlacedBodies place_bodies(const SceneShapes& shapes, const Frame& frame) {
  const FrameScene& scene = shapes.scene;
  const ShapeGeometry geometry = shapes.geometry();
  PlacedBodies bodies;
  bodies.planar = scene.planar;
  // Colliders are sorted by body, dynamic bodies first.
  for (const Collider& c : scene.colliders) {
    const bool is_dynamic = c.body < scene.dynamic_count;
    if (!c.collides || c.kind == ShapeKind::triangle || (is_dynamic && c.body >= frame.active_count)) continue;
    if (is_dynamic) ++bodies.dynamic_shapes;
    bodies.shapes.push_back(place(c, geometry, body_pose(frame, c.body)));
  }
  return bodies;
}

std::optional<Bounds> dynamic_bounds(const PlacedBodies& bodies) {
  std::optional<Bounds> all;
  for (std::size_t i = 0; i < bodies.dynamic_shapes; ++i) {
    const Bounds b = bounds(bodies.shapes[i], bodies.planar);
    if (!b.low.allFinite() || !b.high.allFinite()) continue;
    if (!all) all = b;
    all->low = all->low.cwiseMin(b.low);
    all->high = all->high.cwiseMax(b.high);
  }
  return all;
}

Real mean_body_size(const PlacedBodies& bodies) {
  Real sum = 0.0;
  Index count = 0;
  for (std::size_t i = 0; i < bodies.dynamic_shapes; ++count) {
    const Index body = bodies.shapes[i].collider->body;
    Bounds all = bounds(bodies.shapes[i], bodies.planar);
    for (; i < bodies.dynamic_shapes && bodies.shapes[i].collider->body == body; ++i) {
      const Bounds b = bounds(bodies.shapes[i], bodies.planar);
      all = {all.low.cwiseMin(b.low), all.high.cwiseMax(b.high)};
    }
    sum += (all.high - all.low).maxCoeff();
  }
  return count > 0 ? sum / count : 0.0;
}

Real CellCount::fraction() const {
  return free > 0 ? static_cast<Real>(solid) / static_cast<Real>(free) : std::numeric_limits<Real>::quiet_NaN();
}

Real CellCount::error(bool planar) const {
  const Real bonds = static_cast<Real>(cuts) * (planar ? 1.0 : 1.5);
  return free > 0 ? std::sqrt(bonds / 12.0) / static_cast<Real>(free) : std::numeric_limits<Real>::quiet_NaN();
}

std::vector<CellCount> count_solid(const PlacedBodies& bodies, const SampleGrid& grid, const Parallel& parallel) {
  const LayerSampler sampler(bodies, grid);
  const int axis = sampler.layer_axis();
  const std::size_t per_layer = static_cast<std::size_t>(grid.cell_total() / grid.count[axis]);
  std::vector<CellCount> cells(static_cast<std::size_t>(grid.cell_total()));
  const Index layers = grid.axis_points(axis);
  // Per layer of points first, then joined: a layer of cells may be shared by two threads.
  constexpr Index batch = 64;
  std::vector<std::vector<CellCount>> partial(batch, std::vector<CellCount>(per_layer));
  for (Index begin = 0; begin < layers; begin += batch) {
    const Index size = std::min(batch, layers - begin);
    parallel.ranges(size, 1, [&](Index first, Index last) {
      std::vector<std::uint8_t> points;
      for (Index k = first; k < last; ++k) {
        std::fill(partial[static_cast<std::size_t>(k)].begin(), partial[static_cast<std::size_t>(k)].end(),
                  CellCount{});
        sampler.sample(begin + k, points, partial[static_cast<std::size_t>(k)]);
      }
    });
    for (Index k = 0; k < size; ++k) {
      CellCount* to = &cells[static_cast<std::size_t>((begin + k) / grid.samples[axis]) * per_layer];
      for (std::size_t c = 0; c < per_layer; ++c) to[c] += partial[static_cast<std::size_t>(k)][c];
    }
  }
  return cells;
}

}  // namespace grus
