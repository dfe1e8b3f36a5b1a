#include "model/generators.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/hash.hpp"
#include "math/rotation.hpp"
#include "model/placement.hpp"
#include "model/size_distribution.hpp"

namespace grus {

namespace {

using GeneratorKind = GeneratorSpec::Kind;
using std::numbers::pi;

// Independent streams, so that a change of one kind of number leaves the others alone.
Random stream(const GeneratorSpec& spec, const GeneratorScene& scene, std::string_view purpose) {
  Hash hash;
  hash.value(scene.seed);
  hash.bytes(spec.name.data(), spec.name.size());
  hash.bytes(purpose.data(), purpose.size());
  return Random(hash.digest());
}

// Shoemake 1992: uniform on the unit quaternions.
Quat uniform_rotation(Random& random) {
  const Real u = random.uniform();
  const Real a = 2.0 * pi * random.uniform(), b = 2.0 * pi * random.uniform();
  const Real s = std::sqrt(1.0 - u), c = std::sqrt(u);
  return Quat(c * std::cos(b), s * std::sin(a), s * std::cos(a), c * std::sin(b)).normalized();
}

// Rotations and velocities, after the places.
void animate(const GeneratorSpec& spec, const GeneratorScene& scene, std::vector<GrainPlacement>& grains) {
  Random turns = stream(spec, scene, "rotation");
  Random speeds = stream(spec, scene, "velocity");
  for (GrainPlacement& grain : grains) {
    if (spec.random_rotation && scene.planar) {
      grain.angle = turns.uniform(-pi, pi);
      grain.rotation = rotation_about_z(grain.angle);
    } else if (spec.random_rotation) {
      grain.rotation = uniform_rotation(turns);
    }
    grain.velocity = spec.velocity;
    if (spec.velocity_spread == 0.0) continue;
    for (int axis = 0; axis < (scene.planar ? 2 : 3); ++axis)
      grain.velocity[axis] += speeds.uniform(-spec.velocity_spread, spec.velocity_spread);
  }
}

int axis_of(const Vec3& direction) {
  int axis = 0;
  direction.cwiseAbs().maxCoeff(&axis);
  return axis;
}

Region region_of(const GeneratorSpec& spec, const GeneratorScene& scene) {
  return {spec.box_min, spec.box_max, scene.planar, spec.cylinder_axis ? axis_of(*spec.cylinder_axis) : -1};
}

// Sizes and shapes as grains are asked for one after the other.
class GrainSource {
 public:
  GrainSource(const GeneratorSpec& spec, const GeneratorScene& scene)
      : scene_(scene),
        sizes_(spec.size, scene.planar),
        size_stream_(stream(spec, scene, "size")),
        variant_stream_(stream(spec, scene, "variant")) {
    for (const GrainTemplate& shape : scene.templates) widest_ = std::max(widest_, shape.bound_over_size);
  }
  GrainPlacement draw() {
    GrainPlacement grain;
    grain.size = scene_.growth_from * sizes_.sample(size_stream_);
    if (scene_.templates.size() > 1) grain.variant = static_cast<Index>(variant_stream_.below(scene_.templates.size()));
    grain.diameter = shape_of(grain).bound_over_size * grain.size;
    return grain;
  }
  Real measure(const GrainPlacement& grain) const {
    const Real d = grain.diameter;
    return shape_of(grain).fullness * (scene_.planar ? d * d : d * d * d);
  }
  Real largest() const { return scene_.growth_from * widest_ * sizes_.largest(); }  // diameter

 private:
  const GrainTemplate& shape_of(const GrainPlacement& grain) const {
    return scene_.templates[static_cast<std::size_t>(grain.variant)];
  }

  const GeneratorScene& scene_;
  SizeDistribution sizes_;
  Random size_stream_, variant_stream_;
  Real widest_ = 0.0;
};

void sort_by_diameter(std::vector<GrainPlacement>& grains) {
  std::stable_sort(grains.begin(), grains.end(),
                   [](const GrainPlacement& a, const GrainPlacement& b) { return a.diameter > b.diameter; });
}

// Draws per grain before a fill gives up on its size: at the densest useful fills one draw in some thousand fits.
constexpr int fill_tries = 20000;

GeneratedGrains fill(const GeneratorSpec& spec, const GeneratorScene& scene) {
  GeneratedGrains result;
  GrainSource source(spec, scene);
  const Region region = region_of(spec, scene);
  Random place_stream = stream(spec, scene, "place");

  std::vector<GrainPlacement> asked;
  const Real target = spec.solid_fraction ? *spec.solid_fraction * region.measure() : 0.0;
  for (Real solid = 0.0;;) {
    if (spec.count && static_cast<Index>(asked.size()) >= *spec.count) break;
    if (spec.solid_fraction && solid >= target) break;
    if (static_cast<Index>(asked.size()) >= most_grains) {
      result.faults.push_back(
          {spec.mark, fmt::format("fill '{}' asks for more than {} grains", spec.name, most_grains)});
      return result;
    }
    asked.push_back(source.draw());
    solid += source.measure(asked.back());
  }
  sort_by_diameter(asked);

  SphereGrids grids(source.largest(), spec.clearance, scene.planar, asked.size());
  Real solid = 0.0;
  for (std::size_t i = 0; i < asked.size();) {
    GrainPlacement grain = asked[i];
    if (place(region, 0.5 * grain.diameter, fill_tries, grids, place_stream, grain.position)) {
      result.grains.push_back(grain);
      solid += source.measure(grain);
      ++i;
      continue;
    }
    // no place for this one: none for its like, but perhaps for a smaller one
    constexpr Real smaller = 0.95;
    const Real next = smaller * grain.diameter;
    while (i < asked.size() && asked[i].diameter > next) ++i;
  }
  if (result.grains.size() < asked.size())
    result.warnings.push_back(fmt::format("fill '{}': found places for {} of {} grains (solid fraction {:.3f})",
                                          spec.name, result.grains.size(), asked.size(), solid / region.measure()));
  return result;
}

// Site of cell (i, j, k) for spacing 1, from the corner of the lattice; nearest sites are 1 apart.
Vec3 lattice_site(GeneratorSpec::Lattice kind, bool planar, Index i, Index j, Index k) {
  const Vec3 half = planar ? Vec3(0.5, 0.5, 0.0) : Vec3(0.5, 0.5, 0.5);
  if (kind == GeneratorSpec::Lattice::cubic) return half + Vec3(i, j, planar ? 0 : k);
  const Real row = std::sqrt(3.0) / 2.0;
  if (planar) return half + Vec3(i + 0.5 * (j % 2), row * j, 0.0);
  // layers B sit in the hollows of layers A
  const Real layer = std::sqrt(2.0 / 3.0);
  return half + Vec3(i + 0.5 * ((j + k) % 2), row * (j + (k % 2) / 3.0), layer * k);
}

GeneratedGrains lattice(const GeneratorSpec& spec, const GeneratorScene& scene) {
  GeneratedGrains result;
  GrainSource source(spec, scene);
  const Real spacing = spec.spacing > 0.0 ? spec.spacing : source.largest() + spec.clearance;
  Random place_stream = stream(spec, scene, "place");
  const Index layers = scene.planar ? 1 : spec.cells[2];
  for (Index k = 0; k < layers; ++k) {
    for (Index j = 0; j < spec.cells[1]; ++j) {
      for (Index i = 0; i < spec.cells[0]; ++i) {
        if (spec.count && static_cast<Index>(result.grains.size()) >= *spec.count) return result;
        GrainPlacement grain = source.draw();
        grain.position = spec.box_min + spacing * lattice_site(spec.lattice, scene.planar, i, j, k);
        if (spec.jitter > 0.0) {
          // each grain stays in the ball of half a spacing about its site, so none can meet another
          const Real free = std::max(0.0, 0.5 * (spacing - spec.clearance - grain.diameter));
          Vec3 shift;
          do {
            for (int axis = 0; axis < 3; ++axis) shift[axis] = place_stream.uniform(-1.0, 1.0);
            if (scene.planar) shift.z() = 0.0;
          } while (shift.squaredNorm() > 1.0);
          grain.position += spec.jitter * free * shift;
        }
        result.grains.push_back(grain);
      }
    }
  }
  return result;
}

// How grains leave the source of a rain.
struct Outflow {
  Vec3 direction = Vec3::Zero();  // of gravity, or of the velocity without it
  Real acceleration = 0.0;
  Real slowest = 0.0;  // m/s along the direction, at release

  explicit Outflow(const GeneratorSpec& spec, const GeneratorScene& scene) {
    acceleration = scene.gravity.norm();
    const Vec3& along = acceleration > 0.0 ? scene.gravity : spec.velocity;
    if (along.norm() > 0.0) direction = along.normalized();
    slowest = spec.velocity.dot(direction) - spec.velocity_spread * direction.lpNorm<1>();
  }
  bool leaves() const { return acceleration > 0.0 || slowest > 0.0; }
  // root of slowest t + acceleration t^2/2 = distance
  Real time_over(Real distance) const {
    const Real root = std::sqrt(slowest * slowest + 2.0 * acceleration * distance);
    // of the two forms of the root the one that does not cancel
    return slowest >= 0.0 ? 2.0 * distance / (slowest + root) : (root - slowest) / acceleration;
  }
};

// The source may be flat along the outflow: then centres lie in its middle plane.
Region source_of(const GeneratorSpec& spec, const GeneratorScene& scene, const Outflow& outflow, Real largest) {
  Region region = region_of(spec, scene);
  const int axis = axis_of(outflow.direction);
  const Real missing = largest - (region.high[axis] - region.low[axis]);
  if (missing > 0.0) {
    region.low[axis] -= 0.5 * missing;
    region.high[axis] += 0.5 * missing;
  }
  return region;
}

GeneratedGrains rain(const GeneratorSpec& spec, const GeneratorScene& scene) {
  GeneratedGrains result;
  GrainSource grains(spec, scene);
  const Outflow outflow(spec, scene);
  const Region source = source_of(spec, scene, outflow, grains.largest());
  const Vec3 extent = source.high - source.low;
  // every grain of a batch has left the source, whole, before the next is there
  const Real clear_time = outflow.time_over(extent.dot(outflow.direction.cwiseAbs()) + spec.clearance);
  const auto batch = static_cast<Index>(std::max(1.0, std::ceil(spec.rate * clear_time * (1.0 - 1e-12))));
  const Real interval = batch / spec.rate;
  Random place_stream = stream(spec, scene, "place");
  constexpr int tries = 2000;
  for (Index first = 0, number = 0; first < *spec.count; first += batch, ++number) {
    const Index size = std::min(batch, *spec.count - first);
    SphereGrids grids(grains.largest(), spec.clearance, scene.planar, static_cast<std::size_t>(size));
    std::vector<GrainPlacement> asked;
    for (Index i = 0; i < size; ++i) asked.push_back(grains.draw());
    sort_by_diameter(asked);
    for (Index i = 0; i < size; ++i) {
      GrainPlacement grain = asked[static_cast<std::size_t>(i)];
      grain.release_time = spec.start + number * interval;
      if (!place(source, 0.5 * grain.diameter, tries, grids, place_stream, grain.position)) {
        result.faults.push_back(
            {spec.mark, fmt::format("rain '{}': a rate of {} grains/s does not fit through its source, the greatest "
                                    "possible is about {:.3g} grains/s ({} at a time, {:.3g} s apart)",
                                    spec.name, spec.rate, i / clear_time, i, clear_time)});
        result.grains.clear();
        return result;
      }
      result.grains.push_back(grain);
    }
  }
  return result;
}

class FaultMaker {
 public:
  FaultMaker(const GeneratorSpec& spec, std::vector<Fault>& faults) : spec_(spec), faults_(faults) {}
  void operator()(const std::string& message) const {
    faults_.push_back({spec_.mark, fmt::format("generator '{}': {}", spec_.name, message)});
  }
  void not_negative(std::string_view what, Real x) const {
    if (!(std::isfinite(x) && x >= 0.0)) (*this)(fmt::format("{} is {}, expected 0 or more", what, x));
  }
  void positive(std::string_view what, Real x) const {
    if (!(std::isfinite(x) && x > 0.0)) (*this)(fmt::format("{} is {}, expected more than 0", what, x));
  }

 private:
  const GeneratorSpec& spec_;
  std::vector<Fault>& faults_;
};

void check_box(const GeneratorSpec& spec, const GeneratorScene& scene, const FaultMaker& fault) {
  if (!spec.box_min.allFinite() || !spec.box_max.allFinite()) {
    fault("a corner of the box is not finite");
    return;
  }
  if (scene.planar && (spec.box_min.z() != 0.0 || spec.box_max.z() != 0.0))
    fault("the box leaves the xy plane of a planar scene");
  if (spec.kind == GeneratorKind::lattice) return;
  for (int axis = 0; axis < (scene.planar ? 2 : 3); ++axis) {
    if (spec.box_min[axis] > spec.box_max[axis])
      fault(
          fmt::format("the box is inside out along {}: {} to {}", "xyz"[axis], spec.box_min[axis], spec.box_max[axis]));
  }
  if (!spec.cylinder_axis) return;
  const Vec3& axis = *spec.cylinder_axis;
  if (!axis.allFinite() || (axis.array() != 0.0).count() != 1)
    fault("the axis of the cylinder must be x, y or z");
  else if (scene.planar && axis_of(axis) != 2)
    fault("the axis of the cylinder must be z in a planar scene");
}

void check_fill(const GeneratorSpec& spec, const GeneratorScene& scene, Real largest, const FaultMaker& fault) {
  if (!spec.count && !spec.solid_fraction) fault("fill needs count or solid_fraction");
  if (spec.solid_fraction && !(*spec.solid_fraction > 0.0 && *spec.solid_fraction < 1.0))
    fault(fmt::format("solid_fraction is {}, expected a number between 0 and 1", *spec.solid_fraction));
  if (!region_of(spec, scene).holds(largest))
    fault(fmt::format("grains of diameter {:.4g} m do not fit into the box", largest));
}

void check_lattice(const GeneratorSpec& spec, const GeneratorScene& scene, Real largest, const FaultMaker& fault) {
  const int axes = scene.planar ? 2 : 3;
  Real count = 1.0;
  for (int axis = 0; axis < axes; ++axis) {
    const Index cells = spec.cells[static_cast<std::size_t>(axis)];
    if (cells < 1) fault(fmt::format("{} cells along {}, expected 1 or more", cells, "xyz"[axis]));
    count *= cells;
  }
  if (scene.planar && spec.cells[2] > 1) fault("cells along z in a planar scene");
  if (count > most_grains) fault(fmt::format("{:.0f} cells, at most {} grains are possible", count, most_grains));
  fault.not_negative("spacing", spec.spacing);
  if (!(spec.jitter >= 0.0 && spec.jitter <= 1.0)) fault(fmt::format("jitter is {}, expected 0 to 1", spec.jitter));
  constexpr Real rounding = 1e-12;
  if (spec.spacing > 0.0 && spec.spacing < (largest + spec.clearance) * (1.0 - rounding))
    fault(fmt::format("a spacing of {} m makes grains of diameter {:.4g} m with clearance {} m overlap", spec.spacing,
                      largest, spec.clearance));
}

void check_rain(const GeneratorSpec& spec, const GeneratorScene& scene, Real largest, const FaultMaker& fault) {
  if (!spec.count) fault("rain needs count");
  fault.positive("rate", spec.rate);
  fault.not_negative("start", spec.start);
  const Outflow outflow(spec, scene);
  if (!outflow.leaves()) {
    fault("grains of the rain never leave their source: without gravity they need a velocity greater than its spread");
    return;
  }
  if (!source_of(spec, scene, outflow, largest).holds(largest))
    fault(fmt::format("grains of diameter {:.4g} m do not fit into the source", largest));
}

}  // namespace

std::vector<Fault> generator_faults(const GeneratorSpec& spec, const GeneratorScene& scene) {
  std::vector<Fault> faults;
  const FaultMaker fault(spec, faults);
  if (spec.kind == GeneratorKind::bed) {
    if (!spec.bed_position.allFinite()) fault("position is not finite");
    if (!spec.bed && !spec.bed_is_unknown) fault("its bed has not been made or read");
    return faults;
  }
  check_box(spec, scene, fault);
  fault.not_negative("clearance", spec.clearance);
  fault.not_negative("velocity_spread", spec.velocity_spread);
  if (!spec.velocity.allFinite()) fault("velocity is not finite");
  if (scene.planar && spec.velocity.z() != 0.0) fault("velocity leaves the xy plane of a planar scene");
  if (spec.count && (*spec.count < 1 || *spec.count > most_grains))
    fault(fmt::format("count is {}, expected 1 to {}", *spec.count, most_grains));
  if (const auto message = size_error(spec.size)) fault(*message);
  if (!faults.empty()) return faults;
  const Real largest = GrainSource(spec, scene).largest();
  switch (spec.kind) {
    case GeneratorKind::fill:
      check_fill(spec, scene, largest, fault);
      break;
    case GeneratorKind::lattice:
      check_lattice(spec, scene, largest, fault);
      break;
    case GeneratorKind::rain:
      check_rain(spec, scene, largest, fault);
      break;
    case GeneratorKind::bed:
      break;
  }
  return faults;
}

Index asked_count(const GeneratorSpec& spec, bool planar) {
  if (spec.kind == GeneratorKind::bed) return spec.bed ? static_cast<Index>(spec.bed->stones.size()) : 0;
  if (spec.kind != GeneratorKind::lattice) return spec.count.value_or(0);
  const Index cells = spec.cells[0] * spec.cells[1] * (planar ? 1 : spec.cells[2]);
  return std::min(cells, spec.count.value_or(cells));
}

namespace {

// Stones where they lay.
GeneratedGrains from_bed(const GeneratorSpec& spec) {
  GeneratedGrains result;
  if (!spec.bed) return result;
  for (const BedStone& stone : spec.bed->stones) {
    GrainPlacement grain;
    grain.position = spec.bed_position + stone.position;
    grain.size = stone.scale;
    grain.variant = stone.shape;
    grain.rotation = stone.rotation;
    result.grains.push_back(grain);
  }
  return result;
}

}  // namespace

GeneratedGrains generate(const GeneratorSpec& spec, const GeneratorScene& scene) {
  if (spec.kind == GeneratorKind::bed) return from_bed(spec);
  GeneratedGrains result = spec.kind == GeneratorKind::fill      ? fill(spec, scene)
                           : spec.kind == GeneratorKind::lattice ? lattice(spec, scene)
                                                                 : rain(spec, scene);
  animate(spec, scene, result.grains);
  return result;
}

}  // namespace grus
