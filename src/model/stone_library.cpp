#include "model/stone_library.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "core/random.hpp"
#include "model/stone_shape.hpp"

namespace grus {

namespace {

// Cutting planes lie at 1 within this part: nearer ones cut large faces, farther ones small ones or none.
constexpr Real cut_spread = 0.16;

Real draw_ratio(const RatioSpec& spec, Random& random) {
  if (std::isinf(spec.deviation)) return random.uniform(spec.min, spec.max);
  if (spec.deviation == 0.0) return spec.mean;
  while (true) {
    const Real x = spec.mean + spec.deviation * random.normal();
    if (x >= spec.min && x <= spec.max) return x;
  }
}

Vec3 draw_direction(Random& random) {
  const Real z = random.uniform(-1.0, 1.0);
  const Real turn = 2.0 * std::numbers::pi * random.uniform();
  const Real r = std::sqrt(1.0 - z * z);
  return Vec3(r * std::cos(turn), r * std::sin(turn), z);
}

// Best of a few candidates (Mitchell 1991): random, but without two planes that are nearly one.
std::vector<Vec3> spread_directions(int count, Random& random) {
  constexpr int candidates = 6;
  std::vector<Vec3> directions;
  while (static_cast<int>(directions.size()) < count) {
    Vec3 best = Vec3::Zero();
    Real least_near = 2.0;
    for (int c = 0; c < candidates; ++c) {
      const Vec3 d = draw_direction(random);
      Real nearest = -1.0;
      for (const Vec3& other : directions) nearest = std::max(nearest, d.dot(other));
      if (nearest < least_near) {
        least_near = nearest;
        best = d;
      }
    }
    directions.push_back(best);
  }
  return directions;
}

// What drawing may still cost, counted so that the answer is the same on every machine: a hull of n points costs about
// n (n + 25). Corners that chance seldom brings about (12, or 100 and more) take a hundred times the work of 20 to 50.
class DrawingBudget {
 public:
  // Some ten seconds of a desktop's core; a library of 1000 stones of 25 vertices takes nearly all of it.
  static constexpr std::int64_t all = 18'000'000;

  // False when nothing is left.
  bool spend(std::size_t points) {
    left_ -= static_cast<std::int64_t>(points * (points + 25));
    return left_ > 0;
  }
  bool is_spent() const { return left_ <= 0; }

 private:
  std::int64_t left_ = all;
};

// Corners of the body that the planes cut out of space; empty when they do not close it.
std::vector<Vec3> cut_corners(const std::vector<Vec3>& normals, Random& random, DrawingBudget& budget) {
  if (!budget.spend(normals.size())) return {};
  std::vector<Vec3> dual;
  for (const Vec3& n : normals) dual.emplace_back(n / random.uniform(1.0 - cut_spread, 1.0 + cut_spread));
  const auto result = convex_hull(dual);
  const auto* hull = std::get_if<ConvexHull>(&result);
  if (!hull) return {};
  std::vector<Vec3> corners;
  for (std::size_t f = 0; f < hull->polyhedron.face_normal.size(); ++f) {
    const Vec3& n = hull->polyhedron.face_normal[f];
    const Real offset = hull->polyhedron.face_offset[f] + n.dot(hull->center);
    // far corners are spikes where planes nearly meet in a line, and negative ones lie at infinity
    constexpr Real farthest = 1.6;
    if (!(offset * farthest > 1.0)) return {};
    corners.emplace_back(n / offset);
  }
  return corners;
}

std::optional<ConvexHull> hull_if_any(const std::vector<Vec3>& points, DrawingBudget& budget) {
  if (!budget.spend(points.size())) return std::nullopt;
  auto result = convex_hull(points);
  if (auto* hull = std::get_if<ConvexHull>(&result)) return std::move(*hull);
  return std::nullopt;
}

// Stretched along its own axes until the ratios are met; the axes turn a little each time.
std::optional<ConvexHull> stretched(std::vector<Vec3> points, Real elongation, Real flatness, DrawingBudget& budget) {
  constexpr int rounds = 60;
  constexpr Real close_enough = 1e-3;
  for (int k = 0; k < rounds; ++k) {
    const std::optional<ConvexHull> hull = hull_if_any(points, budget);
    if (!hull) return std::nullopt;
    const StoneMeasures m = measure_stone(*hull);
    if (std::abs(m.elongation() - elongation) < close_enough && std::abs(m.flatness() - flatness) < close_enough)
      return hull;
    // half of the correction at a time: the axes must keep up
    const Real width = std::sqrt(elongation / m.elongation());
    const Real thickness = width * std::sqrt(flatness / m.flatness());
    points = hull->polyhedron.vertices;
    for (Vec3& p : points) {
      const Vec3 local = m.axes.transpose() * p;
      p = m.axes * Vec3(local.x(), width * local.y(), thickness * local.z());
    }
  }
  return std::nullopt;
}

// At sieve size 1.
std::shared_ptr<const ConvexHull> normalised(const ConvexHull& hull, Real flatness) {
  const Real size = measure_stone(hull).sieve_size;
  std::vector<Vec3> points = hull.polyhedron.vertices;
  for (Vec3& p : points) p /= size;
  auto result = convex_hull(points, flatness);
  auto* scaled = std::get_if<ConvexHull>(&result);
  if (!scaled) return nullptr;
  scaled->center = Vec3::Zero();
  return std::make_shared<const ConvexHull>(std::move(*scaled));
}

std::shared_ptr<const ConvexHull> draw_stone(const StoneSpec& spec, Random& random, DrawingBudget& budget) {
  const Real elongation = draw_ratio(spec.elongation, random);
  const Real flatness = draw_ratio(spec.flatness, random);
  // Euler: planes that meet in threes have 2 F - 4 corners
  const int planes = std::max(4, static_cast<int>(std::lround(0.5 * (spec.vertices + 4))));
  constexpr int most_tries = 2000, patience = 200;
  std::optional<ConvexHull> best;
  Index least_off = 0;
  for (int k = 0; k < most_tries && !budget.is_spent(); ++k) {
    // some planes cut nothing
    std::vector<Vec3> corners = cut_corners(spread_directions(planes + k % 4, random), random, budget);
    if (corners.size() < 4) continue;
    Real mean = 0.0;
    for (const Vec3& p : corners) mean += p.norm();
    mean /= static_cast<Real>(corners.size());
    for (Vec3& p : corners) p *= 1.0 - spec.roundness + spec.roundness * mean / p.norm();
    std::optional<ConvexHull> stone = stretched(std::move(corners), elongation, flatness, budget);
    if (!stone) continue;
    const Index off = std::abs(stone->polyhedron.vertex_count() - spec.vertices);
    if (!best || off < least_off) {
      best = std::move(stone);
      least_off = off;
    }
    // one or two corners more or less are a stone's own
    if (least_off <= std::max<Index>(2, spec.vertices / 8) || k >= patience) break;
  }
  return best ? normalised(*best, flat_in_double) : nullptr;
}

void check_ratio(const char* name, const RatioSpec& r, std::vector<std::string>& errors) {
  // thinner stones are splinters, and nearer to 1 no random body is found
  constexpr Real least = 0.1, most = 0.98;
  const bool is_fixed = r.deviation == 0.0;
  const Real low = is_fixed ? r.mean : r.min, high = is_fixed ? r.mean : r.max;
  if (!(low >= least && high <= most && low <= high)) {
    errors.push_back(fmt::format("{} from {} to {}, expected {} to {}", name, low, high, least, most));
    return;
  }
  if (!(r.deviation >= 0.0)) errors.push_back(fmt::format("deviation {} of {}, expected 0 or more", r.deviation, name));
  if (std::isfinite(r.deviation) && !is_fixed) {
    const auto below = [&](Real x) { return 0.5 * std::erfc((r.mean - x) / (std::sqrt(2.0) * r.deviation)); };
    constexpr Real least_part = 1e-2;  // draws outside are thrown away
    if (below(high) - below(low) < least_part)
      errors.push_back(fmt::format("the range of {} from {} to {} holds almost nothing of the distribution about {}",
                                   name, low, high, r.mean));
  }
}

}  // namespace

constexpr Index most_variants = 10000;  // each keeps its tables: some ten kilobytes

std::vector<std::string> stone_errors(const StoneSpec& spec) {
  std::vector<std::string> errors;
  if (spec.vertices < 6 || spec.vertices > 200)
    errors.push_back(fmt::format("{} vertices, expected 6 to 200", spec.vertices));
  if (spec.variants < 1 || spec.variants > most_variants)
    errors.push_back(fmt::format("{} variants, expected 1 to {}", spec.variants, most_variants));
  if (!(spec.roundness >= 0.0 && spec.roundness <= 1.0))
    errors.push_back(fmt::format("roundness {}, expected 0 to 1", spec.roundness));
  check_ratio("elongation", spec.elongation, errors);
  check_ratio("flatness", spec.flatness, errors);
  return errors;
}

std::variant<StoneLibrary, std::string> random_stones(const StoneSpec& spec, std::uint64_t seed) {
  StoneLibrary library;
  DrawingBudget budget;
  for (Index i = 0; i < spec.variants; ++i) {
    // a stream each, so that the first stones of a larger library are those of a smaller one
    Random random(Random(seed + static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15ULL).word());
    library.push_back(draw_stone(spec, random, budget));
    if (budget.is_spent())
      return fmt::format(
          "drawing {} variants of {} vertices takes too long: {} were found in the time that is given; expected fewer "
          "variants, or vertices from 15 to 60",
          spec.variants, spec.vertices, library.size() - 1);
    if (!library.back())
      return fmt::format("no stone of {} vertices with such elongation and flatness was found", spec.vertices);
  }
  return library;
}

std::variant<StoneLibrary, std::string> digitised_stones(const TriangleMesh& mesh) {
  StoneLibrary library;
  for (const MeshPiece& piece : mesh_pieces(mesh)) {
    auto result = convex_hull(piece_points(mesh, piece), flat_in_single);
    const auto* hull = std::get_if<ConvexHull>(&result);
    const auto unit = hull ? normalised(*hull, flat_in_single) : nullptr;
    if (!unit)
      return fmt::format("stone {} of {}: {}", library.size() + 1, mesh.file,
                         hull ? "its hull cannot be scaled" : std::get<std::string>(result));
    library.push_back(unit);
  }
  return library;
}

}  // namespace grus
