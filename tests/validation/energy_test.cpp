// Energy never grows where theory says so (docs/theory.md). With fixed walls, no recovery and theta >= 1/2 the
// change of T + V over one step is
//   dE = u+.r - 1/2 |dv|_M^2 + (1 - theta) h f.dv   <=   u+.r + 1/2 (1 - theta)^2 h^2 f.M^-1 f,
// and u+.r <= 0 for e = 0 with any friction. Without gravity, and for theta = 1, dE <= 0 to the solver's tolerance.

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "support/rig.hpp"

namespace grus::testing::energy_test {
namespace {

// Grains of three kinds thrown about in a box of six planes.
Spec crowd(std::uint64_t seed, Real friction, Real restitution, Real theta, Real gravity, bool spheres_only) {
  Random random(seed);
  Spec spec = bare_spec(1e-3, friction, restitution);
  spec.solver.tolerance = 1e-12;
  spec.solver.max_iterations = 20000;
  spec.integrator.theta = theta;
  spec.integrator.bias = BiasKind::midpoint;
  spec.gravity = Vec3(0, 0, -gravity);
  for (int axis = 0; axis < 3; ++axis) {
    for (const Real side : {-1.0, 1.0}) {
      const Vec3 normal = -side * Vec3::Unit(axis);
      add_plane(spec, -0.35 * normal, normal);
    }
  }
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 3; ++k) {
        const auto any = [&](Real size) {
          return Vec3(random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size));
        };
        const Vec3 place = 0.22 * Vec3(i - 1, j - 1, k - 1);
        const int kind = spheres_only ? 0 : (i + j + k) % 3;
        const ShapeSpec shape = kind == 0   ? sphere_shape(random.uniform(0.06, 0.1))
                                : kind == 1 ? box_shape(Vec3(0.08, 0.1, 0.14))
                                            : capsule_shape(0.05, 0.08);
        BodySpec& body = add_body(spec, shape, place, any(2.0), any(10.0));
        body.rotation = Quat(1.0, random.uniform(), random.uniform(), random.uniform()).normalized();
      }
    }
  }
  return spec;
}

// Largest growth of energy in one step beyond `allowed`, relative to the start.
Real worst_growth(const Spec& spec, Real allowed_part, int steps = 300) {
  Rig rig(spec);
  Real h2fMf = 0.0;
  for (const Real mass : rig.scene.model.mass) h2fMf += mass * spec.gravity.squaredNorm();
  h2fMf *= spec.integrator.step * spec.integrator.step;
  const Real scale = rig.kinetic();
  Real worst = 0.0, before = rig.energy();
  Index contacts = 0;
  for (int k = 0; k < steps; ++k) {
    rig.step();
    const Real after = rig.energy();
    worst = std::max(worst, (after - before - allowed_part * h2fMf) / scale);
    before = after;
    contacts += rig.report.contacts;
  }
  EXPECT_GT(contacts, 100);
  return worst;
}

// Solver tolerance on the impulses, times the impulses of a step, relative to the energy of the crowd.
constexpr Real solver_noise = 1e-10;

TEST(Energy, NeverGrowsInelasticWithAnyFriction) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const Real theta : {0.5, 0.75, 1.0}) {
      const Real friction = 0.4 * static_cast<Real>(seed - 1);
      const Spec weightless = crowd(seed, friction, 0.0, theta, 0.0, false);
      EXPECT_LT(worst_growth(weightless, 0.0), solver_noise) << "seed " << seed << " theta " << theta;
      const Spec heavy = crowd(seed, friction, 0.0, theta, 9.81, false);
      EXPECT_LT(worst_growth(heavy, 0.5 * (1 - theta) * (1 - theta)), solver_noise)
          << "seed " << seed << " theta " << theta;
    }
  }
}

// r.(u+ + e u-) = 0 over all contacts gives dE = (1 - e)/2 r.u-, and r.u- <= h^2 f.M^-1 f/(4 (1 + e)).
TEST(Energy, NeverGrowsFrictionlessWithOneRestitution) {
  for (const Real e : {0.0, 0.3, 0.9, 1.0}) {
    const Spec weightless = crowd(5, 0.0, e, 0.5, 0.0, false);
    EXPECT_LT(worst_growth(weightless, 0.0), solver_noise) << "e " << e;
    const Spec heavy = crowd(6, 0.0, e, 0.5, 9.81, false);
    EXPECT_LT(worst_growth(heavy, (1 - e) / (1 + e) / 8.0), solver_noise) << "e " << e;
  }
}

TEST(Energy, IsKeptByElasticFrictionlessCrowd) {
  Rig rig(crowd(8, 0.0, 1.0, 0.5, 0.0, false));
  const Real before = rig.kinetic();
  rig.run(0.3);
  EXPECT_NEAR(rig.kinetic() / before, 1.0, 1e-8);
}

TEST(Energy, NeverGrowsInSingleImpactsOfSpheres) {
  Random random(9);
  for (int k = 0; k < 500; ++k) {
    Spec spec = bare_spec(1e-3, random.uniform(0, 2), random.uniform());
    const Vec3 direction = Vec3(random.normal(), random.normal(), random.normal()).normalized();
    const auto any = [&](Real size) {
      return Vec3(size * random.normal(), size * random.normal(), size * random.normal());
    };
    add_body(spec, sphere_shape(0.1), Vec3::Zero(), any(1), any(10));
    if (k % 2 == 0)
      add_body(spec, sphere_shape(0.3), 0.4 * direction, any(1), any(10));
    else
      add_plane(spec, -0.1 * direction, direction);
    Rig rig(spec);
    const Real before = rig.kinetic();
    rig.step();
    EXPECT_LE(rig.kinetic(), before * (1 + 1e-12));
  }
}

// kinetic + potential + dissipated - work of walls is constant at theta = 1/2, with friction, restitution and a
// shaken floor: the ledger closes.
TEST(Energy, LedgerCloses) {
  Spec spec = crowd(12, 0.5, 0.4, 0.5, 9.81, false);
  BodySpec& floor = spec.bodies[4];
  ASSERT_EQ(floor.shapes[0].kind, ShapeKind::plane);
  floor.role = BodyRole::kinematic;
  MotionSpec motion;
  motion.displacement[2] = TimeFunctionSpec{};
  motion.displacement[2]->expression = "0.01*sin(2*pi*20*t)";
  floor.motion = motion;
  Rig rig(spec);
  const auto balance = [&] {
    return rig.energy() + rig.state.energy.dissipated_contact - rig.state.energy.work_external();
  };
  const Real before = balance();
  rig.run(0.5);
  EXPECT_GT(std::abs(rig.state.energy.work_external()), 1e-3);
  EXPECT_NEAR(balance(), before, 1e-9 * std::abs(before));
}

// Recovery lifts, never accelerates: an overlapping pair is pushed apart at the bounded speed and stays at rest; the
// potential energy it gains is in the ledger.
TEST(Energy, RecoveryIsBoundedAndReported) {
  Spec spec = bare_spec(1e-3, 0.5, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  spec.contact.recovery_speed = 0.02;
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  add_body(spec, sphere_shape(0.1), Vec3(0, 0, 0.095));
  Rig rig(spec);
  const Real start = rig.energy();
  Real height = rig.state.position[0].z();
  for (int k = 0; k < 1000; ++k) {
    rig.step();
    const Real moved = rig.state.position[0].z() - height;
    ASSERT_LE(moved, 0.02 * 1e-3 * (1 + 1e-9));
    ASSERT_LT(rig.state.velocity[0].norm(), 1e-9);
    height = rig.state.position[0].z();
  }
  EXPECT_NEAR(height, 0.1, 0.1 * 2e-4);
  EXPECT_GT(rig.state.energy.recovery, 0.0);
  EXPECT_NEAR(rig.energy() - start, rig.state.energy.recovery, 1e-9);
}

}  // namespace
}  // namespace grus::testing::energy_test
