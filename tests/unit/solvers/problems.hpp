// Contact problems made up for tests and benchmarks of solvers.
#pragma once

#include <cstdint>

#include "core/random.hpp"
#include "solvers/contact_problem.hpp"

namespace grus::testing {

inline Vec3 normal_vector(Random& random) { return Vec3(random.normal(), random.normal(), random.normal()); }

inline void add_block(ContactProblem& problem, Real inverse_mass, const SymMat3& inverse_inertia, const Vec3& v,
                      const Vec3& omega) {
  ++problem.block_count;
  problem.inverse_mass.push_back(inverse_mass);
  problem.inverse_inertia.push_back(inverse_inertia);
  if (problem.dimension == 2) {
    problem.free_velocity.insert(problem.free_velocity.end(), {v[0], v[1], omega[2]});
  } else {
    problem.free_velocity.insert(problem.free_velocity.end(), {v[0], v[1], v[2], omega[0], omega[1], omega[2]});
  }
}

inline void add_contact(ContactProblem& problem, Index a, Index b, const Vec3& normal, const Vec3& arm_a,
                        const Vec3& arm_b, Real friction, const Vec3& shift = Vec3::Zero()) {
  ++problem.contact_count;
  problem.block_a.push_back(a);
  problem.block_b.push_back(b);
  problem.normal.push_back(normal);
  problem.arm_a.push_back(arm_a);
  problem.arm_b.push_back(arm_b);
  problem.shift.push_back(shift);
  problem.friction.push_back(friction);
}

// A solid sphere.
inline void add_sphere(ContactProblem& problem, Real mass, Real radius, const Vec3& v, const Vec3& omega) {
  SymMat3 j;
  j.xx = j.yy = j.zz = 2.5 / (mass * radius * radius);
  add_block(problem, 1.0 / mass, j, v, omega);
}

// Random inverse inertia with eigenvalues of order `size`.
inline SymMat3 random_inertia(Random& random, Real size) {
  Mat3 m;
  for (int i = 0; i < 9; ++i) m(i / 3, i % 3) = 0.5 * random.normal();
  const Mat3 spd = size * (m * m.transpose() + 0.3 * Mat3::Identity());
  SymMat3 j;
  j.xx = spd(0, 0), j.xy = spd(0, 1), j.xz = spd(0, 2), j.yy = spd(1, 1), j.yz = spd(1, 2), j.zz = spd(2, 2);
  return j;
}

struct RandomProblem {
  int dimension = 3;
  Index blocks = 20;
  Index contacts = 20;
  Real friction_max = 0.5;
  std::uint64_t seed = 1;
};

// Random bodies, pairs, normals and arms; about one side in eight is the world. No geometry behind it.
inline ContactProblem random_problem(const RandomProblem& options) {
  Random random(options.seed);
  ContactProblem problem;
  problem.dimension = options.dimension;
  const auto flat = [&](Vec3 x) {
    if (options.dimension == 2) x[2] = 0.0;
    return x;
  };
  for (Index i = 0; i < options.blocks; ++i) {
    const Vec3 v = normal_vector(random), omega = normal_vector(random);
    add_block(problem, random.uniform(0.5, 2.0), random_inertia(random, random.uniform(0.5, 2.0)), flat(v), omega);
  }
  const auto count = static_cast<std::uint64_t>(options.blocks);
  for (Index c = 0; c < options.contacts; ++c) {
    Index a = static_cast<Index>(random.below(count));
    Index b = static_cast<Index>((static_cast<std::uint64_t>(a) + 1 + random.below(count - 1)) % count);
    const std::uint64_t side = random.below(8);
    if (side == 0) a = no_index;
    if (side == 1) b = no_index;
    const Vec3 n = flat(normal_vector(random)).normalized();
    const Vec3 arm_a = flat(normal_vector(random)), arm_b = flat(normal_vector(random));
    add_contact(problem, a, b, n, arm_a, arm_b, random.uniform(0.0, options.friction_max),
                flat(0.1 * normal_vector(random)));
  }
  return problem;
}

// A settled bed: unequal spheres on a body-centred lattice of side x side x layers, each resting on three of the four
// below, one step of gravity as free velocity. Every lattice column ends on the floor (the world). With `rough` the
// arms leave the normal and the inertias are general, as for stones.
struct Bed {
  Index side = 10;
  Index layers = 10;
  Real friction = 0.5;
  bool rough = false;
  std::uint64_t seed = 1;
};

inline ContactProblem bed_problem(const Bed& bed) {
  constexpr Real step = 5e-4, gravity = 9.81, radius = 0.01, density = 2600.0;
  Random random(bed.seed);
  ContactProblem problem;
  const auto index = [&](Index x, Index y, Index z) {
    return ((z * bed.side) + (y + bed.side) % bed.side) * bed.side + (x + bed.side) % bed.side;
  };
  for (Index i = 0; i < bed.side * bed.side * bed.layers; ++i) {
    const Real r = radius * random.uniform(0.8, 1.2), mass = density * 4.19 * r * r * r;
    const Vec3 v(0.0, 0.0, -gravity * step);
    if (bed.rough) {
      add_block(problem, 1.0 / mass, random_inertia(random, 2.5 / (mass * r * r)), v, Vec3::Zero());
    } else {
      add_sphere(problem, mass, r, v, Vec3::Zero());
    }
  }
  for (Index z = 0; z < bed.layers; ++z) {
    for (Index y = 0; y < bed.side; ++y) {
      for (Index x = 0; x < bed.side; ++x) {
        const Index b = index(x, y, z);
        const auto touch = [&](Index a, const Vec3& direction) {
          const Vec3 n = direction.normalized();
          const Real off = bed.rough ? 0.3 * radius : 0.0;
          const Vec3 arm_a = radius * n + off * normal_vector(random),
                     arm_b = -radius * n + off * normal_vector(random);
          add_contact(problem, a, b, n, arm_a, arm_b, bed.friction);
        };
        if (z == 0) {
          touch(no_index, Vec3(0.0, 0.0, 1.0));
          continue;
        }
        const std::uint64_t skipped = random.below(4);
        for (Index k = 0; k < 4; ++k) {
          if (static_cast<std::uint64_t>(k) == skipped) continue;
          const Index dx = k % 2 - z % 2, dy = k / 2 - z % 2;
          const Vec3 below(static_cast<Real>(k % 2) - 0.5, static_cast<Real>(k / 2) - 0.5, -0.8);
          touch(index(x + dx, y + dy, z - 1), -below + 0.1 * normal_vector(random));
        }
      }
    }
  }
  return problem;
}

}  // namespace grus::testing
