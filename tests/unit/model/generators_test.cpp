#include "model/generators.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>

#include "core/random.hpp"
#include "model/placement.hpp"

namespace grus::generators_test {
namespace {

using Kind = GeneratorSpec::Kind;
using testing::HasSubstr;
constexpr Real pi = std::numbers::pi;

GeneratorScene space(std::uint64_t seed = 1) { return {false, Vec3(0, 0, -9.81), seed, {{1.0, pi / 6}}, 1.0}; }
GeneratorScene plane(std::uint64_t seed = 1) { return {true, Vec3(0, -9.81, 0), seed, {{1.0, pi / 4}}, 1.0}; }

GeneratorSpec make(Kind kind, Real diameter) {
  GeneratorSpec spec;
  spec.mark = {"scene.yaml", 5, 3};
  spec.kind = kind;
  spec.name = "grains";
  spec.size.diameter = diameter;
  spec.box_max = Vec3(1, 1, 1);
  return spec;
}

GeneratorSpec flat(GeneratorSpec spec) {
  spec.box_min.z() = spec.box_max.z() = 0.0;
  return spec;
}

void uniform_sizes(GeneratorSpec& spec, Real low, Real high) {
  spec.size.kind = SizeSpec::Kind::uniform;
  spec.size.min = low;
  spec.size.max = high;
}

GeneratedGrains run(const GeneratorSpec& spec, const GeneratorScene& scene) {
  for (const Fault& fault : generator_faults(spec, scene)) ADD_FAILURE() << fault.message;
  return generate(spec, scene);
}

// Smallest gap between two grains, by comparing all.
Real smallest_gap(const std::vector<GrainPlacement>& grains) {
  Real gap = 1e300;
  for (std::size_t i = 0; i < grains.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      gap = std::min(
          gap, (grains[i].position - grains[j].position).norm() - 0.5 * (grains[i].diameter + grains[j].diameter));
    }
  }
  return gap;
}

std::string first_fault(const GeneratorSpec& spec, const GeneratorScene& scene) {
  const auto faults = generator_faults(spec, scene);
  if (faults.empty()) return "no fault";
  EXPECT_EQ(faults[0].where.line, 5);
  return faults[0].message;
}

constexpr Real rounding = 1e-12;  // m, in a box of 1 m

TEST(Fill, PlacesWhatWasAskedWithoutOverlapInsideTheBox) {
  for (const bool planar : {false, true}) {
    GeneratorSpec spec = make(Kind::fill, 0.0);
    uniform_sizes(spec, 0.01, 0.1);  // one to ten
    if (planar) spec = flat(spec);
    spec.count = planar ? 150 : 600;
    spec.clearance = 0.002;
    const auto result = run(spec, planar ? plane() : space());
    ASSERT_EQ(static_cast<Index>(result.grains.size()), *spec.count);
    EXPECT_TRUE(result.warnings.empty());
    EXPECT_GE(smallest_gap(result.grains), spec.clearance - rounding);
    for (const GrainPlacement& grain : result.grains) {
      const Real r = 0.5 * grain.diameter;
      for (int axis = 0; axis < (planar ? 2 : 3); ++axis) {
        EXPECT_GE(grain.position[axis] - r, spec.box_min[axis] - rounding);
        EXPECT_LE(grain.position[axis] + r, spec.box_max[axis] + rounding);
      }
      EXPECT_TRUE(!planar || grain.position.z() == 0.0);
    }
    EXPECT_TRUE(std::is_sorted(result.grains.begin(), result.grains.end(),
                               [](const auto& a, const auto& b) { return a.diameter > b.diameter; }));
  }
}

TEST(Fill, ReachesItsSolidFraction) {
  for (const bool planar : {false, true}) {
    GeneratorSpec spec = make(Kind::fill, 0.08);
    if (planar) spec = flat(spec);
    const Real asked = planar ? 0.4 : 0.25;
    spec.solid_fraction = asked;
    const GeneratorScene scene = planar ? plane() : space();
    const auto result = run(spec, scene);
    Real solid = 0.0;
    for (const GrainPlacement& grain : result.grains)
      solid += scene.templates[0].fullness * std::pow(grain.diameter, planar ? 2 : 3);
    EXPECT_GE(solid, asked);
    EXPECT_LE(solid, asked + scene.templates[0].fullness * std::pow(0.08, planar ? 2 : 3));
    EXPECT_TRUE(result.warnings.empty());
  }
}

TEST(Fill, SaysWhenItFindsFewerPlaces) {
  GeneratorSpec spec = flat(make(Kind::fill, 0.1));
  spec.count = 5000;
  const auto result = run(spec, plane());
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_THAT(result.warnings[0], HasSubstr("of 5000 grains"));
  EXPECT_GE(smallest_gap(result.grains), -rounding);
  // random sequential addition of disks saturates at 0.547; the walls take a little, giving up early too
  const Real solid = static_cast<Real>(result.grains.size()) * pi / 4 * 0.01;
  EXPECT_GT(solid, 0.44);
  EXPECT_LT(solid, 0.56);
}

TEST(Fill, GoesOnWithSmallerGrainsWhenTheLargeFindNoPlace) {
  GeneratorSpec spec = flat(make(Kind::fill, 0.0));
  spec.size.kind = SizeSpec::Kind::discrete;
  spec.size.points = {{0.4, 1.0}, {0.02, 1.0}};
  spec.count = 200;
  const auto result = run(spec, plane());
  const auto small = std::count_if(result.grains.begin(), result.grains.end(),
                                   [](const GrainPlacement& grain) { return grain.diameter == 0.02; });
  EXPECT_GT(small, 70);
  EXPECT_EQ(result.warnings.size(), 1u);
}

TEST(Fill, KeepsToTheCylinder) {
  GeneratorSpec spec = make(Kind::fill, 0.06);
  spec.box_min = Vec3(-1, 2, 0);
  spec.box_max = Vec3(0, 4, 0.8);
  spec.cylinder_axis = Vec3(0, 1, 0);
  spec.count = 300;
  const auto result = run(spec, space());
  EXPECT_EQ(result.grains.size(), 300u);
  for (const GrainPlacement& grain : result.grains) {
    const Real from_axis = std::hypot(grain.position.x() + 0.5, grain.position.z() - 0.4);
    EXPECT_LE(from_axis, 0.4 - 0.03 + rounding);
  }
  spec.count.reset();
  spec.solid_fraction = 0.1;
  const Real volume = pi * 0.16 * 2.0, grain = pi / 6 * std::pow(0.06, 3);
  EXPECT_NEAR(static_cast<Real>(run(spec, space()).grains.size()), 0.1 * volume / grain, 1.0);
}

TEST(Fill, PlacesAreUniform) {
  GeneratorSpec spec = make(Kind::fill, 1e-4);  // so small that exclusion does not matter
  spec.count = 20000;
  const auto result = run(spec, space());
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<Real> x;
    for (const GrainPlacement& grain : result.grains) x.push_back(grain.position[axis]);
    std::sort(x.begin(), x.end());
    Real worst = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      worst = std::max(worst, std::abs(x[i] - static_cast<Real>(i) / static_cast<Real>(x.size())));
    EXPECT_LT(worst, 2.0 / std::sqrt(20000.0));
  }
}

TEST(Fill, SameSeedSameGrainsOtherSeedOrNameOthers) {
  GeneratorSpec spec = make(Kind::fill, 0.05);
  spec.count = 50;
  spec.random_rotation = true;
  spec.velocity_spread = 1.0;
  const auto a = run(spec, space(1)).grains, b = run(spec, space(1)).grains, c = run(spec, space(2)).grains;
  spec.name = "others";
  const auto d = run(spec, space(1)).grains;
  for (std::size_t i = 0; i < 50; ++i) {
    EXPECT_EQ(a[i].position, b[i].position);
    EXPECT_EQ(a[i].rotation.coeffs(), b[i].rotation.coeffs());
    EXPECT_EQ(a[i].velocity, b[i].velocity);
    EXPECT_NE(a[i].position, c[i].position);
    EXPECT_NE(a[i].position, d[i].position);
  }
}

TEST(Fill, StreamsAreIndependent) {
  GeneratorSpec spec = make(Kind::fill, 0.05);
  spec.count = 50;
  const auto still = run(spec, space()).grains;
  spec.random_rotation = true;
  spec.velocity_spread = 1.0;
  const auto moving = run(spec, space()).grains;
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(still[i].position, moving[i].position);
}

TEST(Fill, RotationsAreUniform) {
  GeneratorSpec spec = make(Kind::fill, 1e-4);
  spec.count = 20000;
  spec.random_rotation = true;
  Vec3 mean = Vec3::Zero(), squares = Vec3::Zero();
  for (const GrainPlacement& grain : run(spec, space()).grains) {
    EXPECT_NEAR(grain.rotation.norm(), 1.0, 1e-14);
    const Vec3 z = grain.rotation * Vec3(0, 0, 1);
    mean += z / 20000;
    squares += z.cwiseProduct(z) / 20000;
  }
  constexpr Real noise = 0.015;  // four standard deviations of a mean of 20000
  EXPECT_LT(mean.cwiseAbs().maxCoeff(), noise);
  EXPECT_LT((squares - Vec3::Constant(1.0 / 3.0)).cwiseAbs().maxCoeff(), noise);
}

TEST(Fill, VelocitiesSpreadUniformlyInThePlane) {
  GeneratorSpec spec = flat(make(Kind::fill, 1e-3));
  spec.count = 2000;
  spec.velocity = Vec3(1, 2, 0);
  spec.velocity_spread = 0.5;
  Real largest = 0.0;
  for (const GrainPlacement& grain : run(spec, plane()).grains) {
    EXPECT_EQ(grain.velocity.z(), 0.0);
    largest = std::max(largest, (grain.velocity - spec.velocity).cwiseAbs().maxCoeff());
  }
  EXPECT_LE(largest, 0.5);
  EXPECT_GT(largest, 0.49);
}

class LatticeKinds : public testing::TestWithParam<std::tuple<GeneratorSpec::Lattice, bool>> {};

TEST_P(LatticeKinds, NeighboursTouchAndNoneOverlap) {
  const auto& [kind, planar] = GetParam();
  GeneratorSpec spec = make(Kind::lattice, 0.1);
  spec.box_min = planar ? Vec3(1, 2, 0) : Vec3(1, 2, 3);
  spec.box_max = Vec3::Zero();
  spec.lattice = kind;
  spec.cells = {5, 4, planar ? 0 : 6};
  const auto result = run(spec, planar ? plane() : space());
  ASSERT_EQ(result.grains.size(), planar ? 20u : 120u);
  EXPECT_NEAR(smallest_gap(result.grains), 0.0, 1e-14);
  // grains touch the planes through the corner
  EXPECT_NEAR(result.grains[0].position.x(), 1.05, 1e-15);
  // neighbours of an inner grain: 4 and 6 in the plane, 6 and 12 in space
  const bool cubic = kind == GeneratorSpec::Lattice::cubic;
  int most = 0;
  for (const GrainPlacement& a : result.grains) {
    int touching = 0;
    for (const GrainPlacement& b : result.grains)
      touching += &a != &b && (a.position - b.position).norm() < 0.1 + 1e-12;
    most = std::max(most, touching);
  }
  EXPECT_EQ(most, planar ? (cubic ? 4 : 6) : (cubic ? 6 : 12));
}

TEST_P(LatticeKinds, JitterNeverOverlaps) {
  const auto& [kind, planar] = GetParam();
  GeneratorSpec spec = make(Kind::lattice, 0.1);
  uniform_sizes(spec, 0.04, 0.1);
  if (planar) spec = flat(spec);
  spec.lattice = kind;
  spec.cells = {8, 8, planar ? 1 : 6};
  spec.spacing = 0.13;
  spec.clearance = 0.01;
  spec.jitter = 1.0;
  const auto result = run(spec, planar ? plane() : space());
  EXPECT_GE(smallest_gap(result.grains), 0.01 - rounding);
  EXPECT_LT(smallest_gap(result.grains), 0.05);  // and it does displace
}

INSTANTIATE_TEST_SUITE_P(All, LatticeKinds,
                         testing::Combine(testing::Values(GeneratorSpec::Lattice::cubic,
                                                          GeneratorSpec::Lattice::hexagonal),
                                          testing::Bool()));

TEST(Lattice, CountCutsIt) {
  GeneratorSpec spec = make(Kind::lattice, 0.1);
  spec.cells = {5, 5, 5};
  spec.count = 7;
  EXPECT_EQ(run(spec, space()).grains.size(), 7u);
}

GeneratorSpec drizzle() {
  GeneratorSpec spec = make(Kind::rain, 0.0);
  uniform_sizes(spec, 0.05, 0.1);
  spec.box_min = Vec3(0, 0, 2);
  spec.box_max = Vec3(1, 1, 2.2);
  spec.count = 200;
  spec.rate = 100;
  spec.start = 0.5;
  return spec;
}

TEST(Rain, ReleasesExactlyItsCountAtItsRate) {
  const GeneratorSpec spec = drizzle();
  const auto result = run(spec, space());
  ASSERT_TRUE(result.faults.empty());
  ASSERT_EQ(result.grains.size(), 200u);
  EXPECT_EQ(result.grains.front().release_time, 0.5);
  for (std::size_t i = 0; i < 200; ++i) {
    // a grain comes with its batch, never later than its turn and not more than a batch before it
    const Real turn = spec.start + static_cast<Real>(i) / spec.rate;
    EXPECT_LE(result.grains[i].release_time, turn + 1e-12);
    EXPECT_GE(result.grains[i].release_time, turn - 0.3);
  }
}

// The whole fall in the air: at every release no earlier grain is in the way.
TEST(Rain, NoGrainIsReleasedIntoAnother) {
  for (const bool planar : {false, true}) {
    GeneratorSpec spec = drizzle();
    if (planar) {
      spec = flat(spec);
      spec.box_min.y() = 2.0;
      spec.box_max.y() = 2.2;
      spec.rate = 30;
    }
    spec.velocity = planar ? Vec3(0.3, -0.5, 0) : Vec3(0.3, 0, -0.5);
    spec.velocity_spread = 0.2;
    const GeneratorScene scene = planar ? plane() : space();
    const auto grains = run(spec, scene).grains;
    ASSERT_EQ(grains.size(), 200u);
    Real gap = 1e300;
    for (std::size_t i = 0; i < grains.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Real t = grains[i].release_time - grains[j].release_time;
        const Vec3 fallen = grains[j].position + t * grains[j].velocity + 0.5 * t * t * scene.gravity;
        gap = std::min(gap, (fallen - grains[i].position).norm() - 0.5 * (grains[i].diameter + grains[j].diameter));
      }
    }
    EXPECT_GE(gap, -rounding);
  }
}

TEST(Rain, TooDenseIsAFaultThatSaysWhatIsPossible) {
  GeneratorSpec spec = drizzle();
  spec.count = 50000;
  spec.rate = 1e5;
  const auto result = generate(spec, space());
  ASSERT_EQ(result.faults.size(), 1u);
  EXPECT_TRUE(result.grains.empty());
  EXPECT_EQ(result.faults[0].where.line, 5);
  const std::string& message = result.faults[0].message;
  ASSERT_THAT(message, HasSubstr("greatest possible is about "));
  // and the rate it names is possible, or nearly so
  const Real possible = std::stod(message.substr(message.find("about ") + 6));
  spec.count = 2000;
  spec.rate = 0.8 * possible;
  EXPECT_TRUE(generate(spec, space()).faults.empty());
}

TEST(Rain, AFlatSourceIsEnough) {
  GeneratorSpec spec = drizzle();
  spec.box_max.z() = spec.box_min.z();
  const auto grains = run(spec, space()).grains;
  ASSERT_EQ(grains.size(), 200u);
  for (const GrainPlacement& grain : grains) EXPECT_LE(std::abs(grain.position.z() - 2.0), 0.05);
}

TEST(Generators, Faults) {
  const auto with = [](Kind kind, auto change) {
    GeneratorSpec spec = kind == Kind::rain ? drizzle() : make(kind, 0.1);
    spec.cells = {2, 2, 2};
    if (kind == Kind::fill) spec.count = 10;
    change(spec);
    return spec;
  };
  using Spec = GeneratorSpec;
  const Real nan = std::nan("");
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec& s) { s.count.reset(); }), space()),
              HasSubstr("count or solid_fraction"));
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec& s) { s.count = 0; }), space()), HasSubstr("count is 0"));
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec& s) { s.count = 5'000'001; }), space()), HasSubstr("to 5000000"));
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec& s) { s.solid_fraction = 1.2; }), space()),
              HasSubstr("between 0 and 1"));
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec& s) { s.size.diameter = 1.5; }), space()), HasSubstr("do not fit"));
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec& s) { s.size.diameter = 0.0; }), space()),
              HasSubstr("diameter is 0"));
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec& s) { s.box_max.x() = -1; }), space()),
              HasSubstr("inside out along x"));
  EXPECT_THAT(first_fault(with(Kind::fill, [&](Spec& s) { s.box_max.x() = nan; }), space()), HasSubstr("not finite"));
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec& s) { s.clearance = -1; }), space()), HasSubstr("clearance is -1"));
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec& s) { s.velocity_spread = -1; }), space()),
              HasSubstr("velocity_spread"));
  EXPECT_THAT(first_fault(with(Kind::fill, [&](Spec& s) { s.velocity.x() = nan; }), space()),
              HasSubstr("velocity is not"));
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec& s) { s.cylinder_axis = Vec3(1, 1, 0); }), space()),
              HasSubstr("x, y or z"));
  EXPECT_THAT(first_fault(with(Kind::fill, [](Spec&) {}), plane()), HasSubstr("leaves the xy plane"));
  EXPECT_THAT(first_fault(flat(with(Kind::fill, [](Spec& s) { s.cylinder_axis = Vec3(1, 0, 0); })), plane()),
              HasSubstr("must be z"));
  EXPECT_THAT(first_fault(flat(with(Kind::fill, [](Spec& s) { s.velocity = Vec3(0, 0, 1); })), plane()),
              HasSubstr("velocity leaves"));
  EXPECT_THAT(first_fault(with(Kind::lattice, [](Spec& s) { s.cells[1] = 0; }), space()), HasSubstr("0 cells along y"));
  EXPECT_THAT(first_fault(with(Kind::lattice,
                               [](Spec& s) {
                                 s.cells = {1000, 1000, 1000};
                               }),
                          space()),
              HasSubstr("1000000000 cells"));
  EXPECT_THAT(first_fault(with(Kind::lattice, [](Spec& s) { s.spacing = 0.05; }), space()), HasSubstr("overlap"));
  EXPECT_THAT(first_fault(with(Kind::lattice, [](Spec& s) { s.spacing = -1; }), space()), HasSubstr("spacing is -1"));
  EXPECT_THAT(first_fault(with(Kind::lattice, [](Spec& s) { s.jitter = 2; }), space()), HasSubstr("jitter is 2"));
  EXPECT_THAT(first_fault(flat(with(Kind::lattice, [](Spec&) {})), plane()), HasSubstr("cells along z"));
  EXPECT_THAT(first_fault(with(Kind::rain, [](Spec& s) { s.count.reset(); }), space()), HasSubstr("rain needs count"));
  EXPECT_THAT(first_fault(with(Kind::rain, [](Spec& s) { s.rate = 0; }), space()), HasSubstr("rate is 0"));
  EXPECT_THAT(first_fault(with(Kind::rain, [](Spec& s) { s.start = -1; }), space()), HasSubstr("start is -1"));
  EXPECT_THAT(first_fault(with(Kind::rain, [](Spec& s) { s.box_max.x() = 0.01; }), space()),
              HasSubstr("do not fit into the source"));
  GeneratorScene weightless = space();
  weightless.gravity.setZero();
  EXPECT_THAT(first_fault(with(Kind::rain, [](Spec&) {}), weightless), HasSubstr("never leave"));
}

TEST(Placement, GridsAgreeWithComparingAll) {
  Random random(5);
  for (const bool planar : {false, true}) {
    SphereGrids grids(0.4, 0.01, planar, 100);
    std::vector<std::pair<Vec3, Real>> spheres;
    int free_count = 0;
    for (int i = 0; i < 3000; ++i) {
      const Real r = 0.001 + 0.199 * std::pow(random.uniform(), 3);
      const Vec3 c(random.uniform(-1, 1), random.uniform(-1, 1), planar ? 0.0 : random.uniform(-1, 1));
      const bool expected = std::all_of(spheres.begin(), spheres.end(), [&](const auto& s) {
        return (s.first - c).squaredNorm() >= std::pow(s.second + r + 0.01, 2);
      });
      EXPECT_EQ(grids.is_free(c, r), expected);
      if (!expected) continue;
      ++free_count;
      grids.add(c, r);
      spheres.emplace_back(c, r);
    }
    EXPECT_GT(free_count, 30);
  }
}

}  // namespace
}  // namespace grus::generators_test
