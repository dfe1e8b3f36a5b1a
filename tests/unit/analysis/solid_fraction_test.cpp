#include "analysis/solid_fraction.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "unit/analysis/frame_builder.hpp"

namespace grus::solid_fraction_test {
namespace {

using std::numbers::pi;
using test::FrameBuilder;

const Parallel one_thread(1);

// Of the strict bound sqrt(3) s A/V: the errors of a curved surface cancel, also where it lies the same in every cell.
constexpr Real curved = 0.1;

std::vector<CellCount> counts_of(const FrameBuilder& built, const SampleGrid& grid,
                                 const Parallel& parallel = one_thread) {
  const SceneShapes shapes(built.scene);
  return count_solid(place_bodies(shapes, built.frame), grid, parallel);
}

Real fraction_of(const FrameBuilder& built, const SampleGrid& grid, CellCount* counted = nullptr) {
  CellCount sum;
  for (const CellCount& cell : counts_of(built, grid)) sum += cell;
  if (counted) *counted = sum;
  return sum.fraction();
}

// Balls at random places in a unit box: every one within the strict bound, their spread as large as sigma says.
TEST(SolidFraction, SphereInABoxIsWithinItsErrorBounds) {
  constexpr Real radius = 0.31;
  constexpr int trials = 60;
  for (const Index samples : {10, 40}) {
    const Real spacing = 1.0 / samples, area = 4.0 * pi * radius * radius, exact = 4.0 / 3.0 * pi * std::pow(radius, 3);
    const Real strict = std::sqrt(3.0) * spacing * area;
    const SampleGrid grid = cell_grid(Vec3::Zero(), Vec3::Ones(), 1.0, samples, false);
    Random random(7);
    Real squares = 0.0, sigma = 0.0;
    for (int i = 0; i < trials; ++i) {
      FrameBuilder built;
      built.add(true, test::ball(radius),
                Vec3(random.uniform(0.35, 0.65), random.uniform(0.35, 0.65), random.uniform(0.35, 0.65)));
      CellCount count;
      const Real error = fraction_of(built, grid, &count) - exact;
      EXPECT_LT(std::abs(error), strict);
      squares += error * error;
      sigma = count.error(false);
    }
    const Real rms = std::sqrt(squares / trials);
    // A sphere's errors cancel better than those of faces that lie at random, so sigma is an upper estimate.
    EXPECT_LT(rms, 1.3 * sigma) << samples;
    EXPECT_GT(rms, 0.1 * sigma) << samples;
    EXPECT_NEAR(sigma, std::sqrt(1.5 * area / (spacing * spacing) / 12.0) * std::pow(spacing, 3), 0.1 * sigma);
  }
}

// Faces along the axes are the worst case of a lattice: each pair of faces is off by up to one spacing.
TEST(SolidFraction, LatticeOfBoxes) {
  const Vec3 half(0.15, 0.11, 0.08);
  FrameBuilder built;
  for (int x = 0; x < 3; ++x)
    for (int y = 0; y < 3; ++y)
      for (int z = 0; z < 3; ++z) built.add(true, test::cuboid(half), Vec3(0.5 + x, 0.5 + y, 0.5 + z));
  const SampleGrid grid = cell_grid(Vec3::Zero(), Vec3::Constant(3.0), 1.0, 20, false);
  const std::vector<CellCount> cells = counts_of(built, grid);
  ASSERT_EQ(cells.size(), 27u);
  const Real exact = 8.0 * half.prod(), spacing = 0.05;
  const Real bound = (2.0 * half.array() + spacing).prod() - exact;
  for (const CellCount& cell : cells) {
    EXPECT_EQ(cell.free, 8000);
    EXPECT_LT(std::abs(cell.fraction() - exact), bound);
  }
  // Sides that are whole numbers of spacings are sampled exactly.
  FrameBuilder whole;
  whole.add(true, test::cuboid({0.25, 0.2, 0.15}), Vec3::Constant(0.5));
  EXPECT_DOUBLE_EQ(fraction_of(whole, cell_grid(Vec3::Zero(), Vec3::Ones(), 1.0, 20, false)), 0.06);
}

TEST(SolidFraction, SimpleCubicLatticeOfTouchingSpheresIsPiOverSix) {
  FrameBuilder built;
  for (int x = 0; x < 4; ++x)
    for (int y = 0; y < 4; ++y)
      for (int z = 0; z < 4; ++z) built.add(true, test::ball(0.5), Vec3(x + 0.5, y + 0.5, z + 0.5));
  for (const Real cell : {1.0, 2.0}) {
    const SampleGrid grid = cell_grid(Vec3::Zero(), Vec3::Constant(4.0), cell, 40, false);
    for (const CellCount& count : counts_of(built, grid))
      EXPECT_NEAR(count.fraction(), pi / 6.0, curved * std::sqrt(3.0) * grid.spacing(0) * pi);
  }
}

TEST(SolidFraction, WhatOtherBodiesCoverIsNoVoid) {
  FrameBuilder built;
  built.add(true, test::cuboid({0.5, 0.5, 0.1}), Vec3(0.5, 0.5, 0.6));
  built.add(false, test::cuboid({0.25, 0.5, 0.5}), Vec3(0.25, 0.5, 0.5));  // left half, wins where they overlap
  built.add(false, test::plane_wall(), Vec3(0.0, 0.0, 0.2));               // solid below
  const SampleGrid grid = cell_grid(Vec3::Zero(), Vec3::Ones(), 1.0, 20, false);
  CellCount count;
  EXPECT_NEAR(fraction_of(built, grid, &count), 0.2 / 0.8, 1e-12);
  EXPECT_EQ(count.free, 20 * 10 * 16);
  // A cell that is all wall has no fraction.
  const SampleGrid below = cell_grid(Vec3(0.0, 0.0, -1.0), Vec3::Zero() + Vec3(1.0, 1.0, 0.0), 1.0, 4, false);
  EXPECT_TRUE(std::isnan(fraction_of(built, below)));
}

// An octahedron of half-axis a at scale 2: volume 4/3 (2 a)^3.
TEST(SolidFraction, Polyhedron) {
  constexpr Real a = 0.2;
  FrameBuilder built;
  FramePolyhedron octahedron;
  for (int axis = 0; axis < 3; ++axis)
    for (const Real side : {-a, a}) octahedron.vertices.push_back(side * Vec3::Unit(axis));
  built.scene.polyhedra.push_back(octahedron);
  Collider stone;
  stone.kind = ShapeKind::polyhedron;
  stone.geometry = 0;
  stone.scale = 2.0;
  built.add(true, stone, Vec3::Constant(0.5), Quat(0.9, 0.1, -0.3, 0.2).normalized());
  CellCount count;
  const Real exact = 4.0 / 3.0 * std::pow(2.0 * a, 3);
  const Real found = fraction_of(built, cell_grid(Vec3::Zero(), Vec3::Ones(), 1.0, 40, false), &count);
  EXPECT_NEAR(found, exact, 4.0 * count.error(false));
  built.scene.polyhedra[0].vertices.resize(3);
  EXPECT_THROW(SceneShapes{built.scene}, InputError);
}

TEST(SolidFraction, UnreleasedAndGhostShapesAreNotThere) {
  FrameBuilder built;
  Collider ghost = test::cuboid(Vec3::Constant(0.3));
  ghost.collides = false;
  built.add(true, test::cuboid(Vec3::Constant(0.25)), Vec3::Constant(0.5));
  built.add(true, test::cuboid(Vec3::Constant(0.5)), Vec3::Constant(0.5));
  built.add(false, ghost, Vec3::Constant(0.5));
  built.frame.active_count = 1;
  EXPECT_DOUBLE_EQ(fraction_of(built, cell_grid(Vec3::Zero(), Vec3::Ones(), 1.0, 20, false)), 0.125);
}

TEST(SolidFraction, PlanarDisksOnALattice) {
  FrameBuilder built;
  built.scene.planar = true;
  for (int x = 0; x < 5; ++x)
    for (int y = 0; y < 4; ++y) built.add(true, test::planar_disk(0.5), Vec3(x + 0.5, y + 0.5, 0.0));
  const SampleGrid grid = cell_grid(Vec3::Zero(), Vec3(5.0, 4.0, 0.0), 1.0, 50, true);
  EXPECT_EQ(grid.cell_total(), 20);
  for (const CellCount& count : counts_of(built, grid)) {
    EXPECT_EQ(count.free, 2500);
    EXPECT_NEAR(count.fraction(), pi / 4.0, curved * std::sqrt(2.0) * grid.spacing(0) * pi);
  }
}

TEST(SolidFraction, SameForAnyNumberOfThreadsAndCellsAddUp) {
  FrameBuilder built;
  Random random(3);
  for (int i = 0; i < 200; ++i)
    built.add(true, test::ball(0.05 + 0.05 * random.uniform()),
              Vec3(random.uniform(), random.uniform(), random.uniform()));
  built.add(false, test::plane_wall(), Vec3(0.0, 0.0, 0.1));
  const SampleGrid grid = cell_grid(Vec3::Zero(), Vec3::Ones(), 0.13, 7, false);
  const std::vector<CellCount> cells = counts_of(built, grid);
  for (const int threads : {2, 3, 5}) {
    const std::vector<CellCount> others = counts_of(built, grid, Parallel(threads));
    ASSERT_EQ(others.size(), cells.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      EXPECT_EQ(cells[i].solid, others[i].solid);
      EXPECT_EQ(cells[i].free, others[i].free);
      EXPECT_EQ(cells[i].cuts, others[i].cuts);
    }
  }
  // The same points as one region: the same counts.
  CellCount sum;
  for (const CellCount& cell : cells) sum += cell;
  const CellCount whole = counts_of(built, region_grid(grid.min, grid.max, grid.spacing(0), false))[0];
  EXPECT_EQ(sum.solid, whole.solid);
  EXPECT_EQ(sum.free, whole.free);
  EXPECT_EQ(sum.cuts, whole.cuts);
}

TEST(SampleGrid, CellsFitTheBoxAWholeNumberOfTimes) {
  const SampleGrid grid = cell_grid(Vec3(-1.0, 0.0, 0.0), Vec3(1.0, 0.96, 0.04), 0.1, 4, false);
  EXPECT_EQ(grid.count, (std::array<Index, 3>{20, 10, 1}));
  EXPECT_DOUBLE_EQ(grid.cell_size(1), 0.096);
  EXPECT_DOUBLE_EQ(grid.cell_centre(0, 0), -0.95);
  EXPECT_DOUBLE_EQ(grid.coordinate(0, 0), -0.9875);
  // A grid asked for by mistake says how large it is without being made.
  EXPECT_GT(cell_grid(Vec3::Zero(), Vec3::Constant(1e9), 1e-9, 100, false).points_asked(), 1e26);
}

}  // namespace
}  // namespace grus::solid_fraction_test
