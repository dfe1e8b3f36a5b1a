// Settled beds of ballast for benchmarks: 500, 2000, 5000 and 20 000 convex stones of about 25 vertices, sieve 31.5 to
// 50 mm, ten layers deep, in a box.
//
// Made as the bed of examples/tamping is (parts/bed.yaml), on first use, and kept in the folder ballast-beds of the
// working folder. Unlike the beds of scenes they are kept for every version of the program: two versions are measured
// on the same stones. 20 000 stones are the bed of 5000 beside its own copies, 2 x 2 with walls between, so they lie at
// rest as those do and have the same contacts four times over.
#pragma once

#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "io/bed_file.hpp"
#include "simulation/settle.hpp"
#include "support/rig.hpp"

namespace grus::ballast {

inline constexpr Real cell = 0.0405;  // m, of the lattice in which stones grow
inline constexpr Index layers = 10;   // of it: the depth of every bed
inline constexpr Index tiled = 20000, tile = 5000;
inline constexpr Real between = 0.1;  // m, thickness of the walls between tiles
// Of the way beds are made: a kept one of another way is made anew.
inline constexpr std::uint64_t recipe = 2;

// Cells along x and y; layers of them are the stones.
inline std::pair<Index, Index> floor_of(Index stones) {
  switch (stones) {
    case 500:
      return {10, 5};
    case 2000:
      return {20, 10};
    default:
      return {25, 20};
  }
}

inline void add_box(Spec& spec, const Vec3& low, const Vec3& high) {
  testing::add_plane(spec, low, Vec3(0, 0, 1));
  testing::add_plane(spec, low, Vec3(1, 0, 0));
  testing::add_plane(spec, low, Vec3(0, 1, 0));
  testing::add_plane(spec, high, Vec3(-1, 0, 0));
  testing::add_plane(spec, high, Vec3(0, -1, 0));
}

// A step of 0.5 ms, stopping at a residual of 1e-4.
inline Spec bare_ballast(Real friction) {
  Spec spec = testing::bare_spec(5e-4, friction, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  spec.materials[0].density = 2700.0;
  spec.solver.tolerance = 1e-4;
  spec.solver.max_iterations = 10000;
  return spec;
}

// The scene that makes a bed. At a tolerance of 1e-3 and without damping thousands of stones creep on for seconds.
inline Spec maker(Index stones) {
  Spec spec = bare_ballast(0.5);
  spec.contact.recovery_speed = 0.2;
  const auto [nx, ny] = floor_of(stones);
  add_box(spec, Vec3::Zero(), Vec3(nx * cell, ny * cell, 0));
  GeneratorSpec grains;
  grains.kind = GeneratorSpec::Kind::lattice;
  grains.name = "stone";
  grains.material = "m";
  grains.stone.emplace();
  grains.random_rotation = true;
  grains.size.kind = SizeSpec::Kind::sieve;
  grains.size.points = {{0.0315, 0.0}, {0.04, 0.5}, {0.05, 1.0}};
  grains.cells = {nx, ny, layers};
  grains.spacing = cell;
  spec.generators.push_back(grains);
  spec.settle.emplace();
  spec.settle->damping = 10.0;
  spec.settle->growth_from = 0.25;
  spec.settle->growth_time = 0.3;
  return spec;
}

inline std::shared_ptr<const Bed> bed_of(Index stones) {
  const std::string path = "ballast-beds/" + std::to_string(stones) + ".h5";
  if (auto bed = read_kept_bed(path, recipe)) return bed;
  const SettleCallbacks callbacks{{}, [](const std::string& line) { std::cerr << line << "\n"; }, {}};
  std::cerr << "making " << path << "\n";
  std::optional<SettledBed> settled = settle_bed(maker(stones), Parallel(2), callbacks);
  if (!settled) throw std::runtime_error("the bed was not made");
  for (const std::string& line : settled->statistics.words()) std::cerr << line << "\n";
  std::filesystem::create_directories("ballast-beds");
  BedFile file{std::move(settled->bed), "", recipe, "", settled->statistics.named()};
  write_bed(path, file);
  return std::make_shared<const Bed>(std::move(file.bed));
}

inline Real mean_size(const Bed& bed) {
  Real sum = 0.0;
  for (const BedStone& stone : bed.stones) sum += stone.scale;
  return sum / static_cast<Real>(bed.stones.size());
}

// The bed at rest, with the laws of examples/tamping (parts/process.yaml).
inline Spec scene_of(Index stones, const std::shared_ptr<const Bed>& bed) {
  const auto [nx, ny] = floor_of(stones == tiled ? tile : stones);
  Spec spec = bare_ballast(0.7);
  spec.law = ContactLawKind::gap;
  spec.integrator.theta = 1.0;
  spec.contact.recovery_speed = 0.05;
  const int tiles = stones == tiled ? 2 : 1;
  for (int i = 0; i < tiles; ++i) {
    for (int j = 0; j < tiles; ++j) {
      GeneratorSpec grains;
      grains.kind = GeneratorSpec::Kind::bed;
      grains.name = "stone" + std::to_string(2 * i + j);
      grains.material = "m";
      grains.bed = bed;
      grains.bed_position = Vec3(i * (nx * cell + between), j * (ny * cell + between), 0);
      spec.generators.push_back(grains);
    }
  }
  const Real width = tiles * nx * cell + (tiles - 1) * between, depth = tiles * ny * cell + (tiles - 1) * between;
  add_box(spec, Vec3::Zero(), Vec3(width, depth, 0));
  if (tiles == 2) {
    constexpr Real high = 4.0;
    for (const Vec3& size : {Vec3(between, 2.0 * depth, high), Vec3(2.0 * width, between, high)}) {
      BodySpec& wall = testing::add_body(spec, testing::box_shape(size), Vec3(0.5 * width, 0.5 * depth, 0));
      wall.role = BodyRole::fixed;
    }
  }
  return spec;
}

// Steps until the impulses, which a bed does not hold, are found.
inline constexpr int first_steps = 60;

inline std::unique_ptr<testing::Rig> rig_of(Index stones, int threads) {
  const std::shared_ptr<const Bed> bed = bed_of(stones == tiled ? tile : stones);
  auto rig = std::make_unique<testing::Rig>(scene_of(stones, bed), threads);
  for (int k = 0; k < first_steps; ++k) rig->step();
  return rig;
}

}  // namespace grus::ballast
