// Places of many grains: fill, lattice, rain.
//
//   fill     random sequential addition: grains, largest first, each dropped at random places of the region until it
//            meets no other (at saturation spheres of one size fill about 0.38 of space, disks 0.547 of the plane)
//   lattice  cubic, or hexagonal (triangular in the plane, close-packed layers ABAB in space)
//   rain     batches, each placed like a fill; the next is released when the last has fallen clear of the source
//
// A grain is known here by its size and by the sphere that holds it: its centre is the centre of mass, its diameter
// twice the bound radius. Deterministic: the numbers come from the seed and the generator's name alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/spec.hpp"

namespace grus {

inline constexpr Index most_grains = 5'000'000;

struct GrainPlacement {
  Vec3 position = Vec3::Zero();
  Real size = 0.0;      // as drawn
  Index variant = 0;    // into GeneratorScene::templates
  Real diameter = 0.0;  // of the sphere that holds it
  Quat rotation = Quat::Identity();
  Real angle = 0.0;  // planar
  Vec3 velocity = Vec3::Zero();
  Real release_time = 0.0;
};

// What placement must know of one shape that grains may have.
struct GrainTemplate {
  Real bound_over_size = 1.0;  // diameter of the sphere that holds it over its size; 1 but for stones
  // Volume (area) over the cube (square) of that diameter: pi/6 for spheres, pi/4 for disks.
  Real fullness = 0.0;
};

struct GeneratorScene {
  bool planar = false;
  Vec3 gravity = Vec3::Zero();
  std::uint64_t seed = 1;
  std::vector<GrainTemplate> templates;  // at least one
  Real growth_from = 1.0;                // grains are placed at this part of their size
};

struct GeneratedGrains {
  std::vector<GrainPlacement> grains;
  std::vector<std::string> warnings;
  std::vector<Fault> faults;
};

// Every fault of the specification that needs no placement.
std::vector<Fault> generator_faults(const GeneratorSpec& spec, const GeneratorScene& scene);

// Grains that it asks for, where that is known before placement; else 0.
Index asked_count(const GeneratorSpec& spec, bool planar);

// `spec` must be without fault; faults that only placement shows (a rain too dense) come back in the result.
GeneratedGrains generate(const GeneratorSpec& spec, const GeneratorScene& scene);

}  // namespace grus
