// Small hard contact problems: 1 to 5 contacts on 1 to 3 bodies, friction 0 to 10, masses and speeds over many orders
// of magnitude, contacts that repeat each other. Built from bodies, contact frames and free velocities without any
// shift, so that a solution exists.
#pragma once

#include "unit/solvers/local_problems.hpp"

namespace grus::testing {

inline ContactProblem small_problem(std::uint64_t seed) {
  Random random(seed * 7919 + 13);
  const auto power = [&](Real decades) { return std::pow(10.0, random.uniform(-decades, decades)); };
  ContactProblem problem;
  problem.dimension = random.below(2) == 0 ? 2 : 3;
  const auto flat = [&](Vec3 x) {
    if (problem.dimension == 2) x[2] = 0.0;
    return x;
  };
  // Masses of one problem differ by up to 1e8, problems by up to 1e16.
  const Real mass = power(8.0), speed = power(8.0), size = power(2.0);
  const bool unequal = random.below(2) == 0, rough = random.below(2) == 0;
  const auto bodies = 1 + random.below(3);
  for (std::uint64_t b = 0; b < bodies; ++b) {
    const Real inverse = (unequal ? power(4.0) : random.uniform(0.5, 2.0)) / mass;
    add_block(problem, inverse, random_inertia(random, random.uniform(0.5, 2.0) * inverse / (size * size)),
              speed * flat(normal_vector(random)), speed / size * normal_vector(random));
  }
  const Index contacts = 1 + static_cast<Index>(random.below(5));
  for (Index c = 0; c < contacts; ++c) {
    const Real friction = random.below(8) == 0 ? 0.0 : random.uniform() * (rough ? 10.0 : 1.0);
    const Index last = problem.contact_count - 1;
    if (last >= 0 && random.below(4) == 0) {
      // the same contact once more, or another point of the same face
      const Vec3 aside = random.below(2) == 0 ? Vec3(Vec3::Zero()) : Vec3(size * flat(normal_vector(random)));
      const Vec3 n = problem.normal[last], arm_a = problem.arm_a[last] + aside, arm_b = problem.arm_b[last] + aside;
      add_contact(problem, problem.block_a[last], problem.block_b[last], n, arm_a, arm_b, friction);
      continue;
    }
    const auto b = static_cast<Index>(random.below(bodies));
    const bool world = bodies == 1 || random.below(3) == 0;
    const Index a = world ? no_index : static_cast<Index>((static_cast<std::uint64_t>(b) + 1) % bodies);
    const Vec3 n = flat(normal_vector(random)).normalized();
    add_contact(problem, a, b, n, size * flat(normal_vector(random)), size * flat(normal_vector(random)), friction);
  }
  return problem;
}

}  // namespace grus::testing
