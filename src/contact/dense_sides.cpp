#include "contact/dense_sides.hpp"

#include <algorithm>
#include <array>

#include "core/grow.hpp"
#include "solvers/delassus.hpp"

namespace grus {

void add_dense_blocks(std::span<const ReducedMechanism> mechanisms, ContactProblem& problem) {
  problem.dense_count = static_cast<Index>(mechanisms.size());
  problem.dense_begin.clear();
  if (mechanisms.empty()) return;
  auto end = problem.block_count * problem.block_size();
  problem.dense_begin.push_back(end);
  for (const ReducedMechanism& m : mechanisms) {
    end += static_cast<Index>(m.free_velocity.size());
    problem.dense_begin.push_back(end);
  }
  problem.free_velocity.resize(static_cast<std::size_t>(end));
  for (std::size_t d = 0; d < mechanisms.size(); ++d)
    std::copy_n(mechanisms[d].free_velocity.data(), mechanisms[d].free_velocity.size(),
                problem.free_velocity.begin() + problem.dense_begin[d]);
}

Index append_dense_row(const ReducedMechanism& mechanism, std::span<const Real> row, DenseSideScratch& scratch,
                       ContactProblem& problem) {
  const auto begin = static_cast<Index>(problem.jacobian.size());
  const Eigen::Map<const Eigen::VectorXd> all(row.data(), static_cast<Eigen::Index>(row.size()));
  scratch.reduced.noalias() = mechanism.end.T.transpose() * all;
  scratch.response = scratch.reduced;
  mechanism.factor.solveInPlace(scratch.response);
  const auto size = static_cast<std::size_t>(scratch.reduced.size());
  problem.jacobian.insert(problem.jacobian.end(), scratch.reduced.data(), scratch.reduced.data() + size);
  problem.response.insert(problem.response.end(), scratch.response.data(), scratch.response.data() + size);
  return begin;
}

void build_dense_sides(const Model& model, std::span<const ReducedMechanism> mechanisms,
                       std::span<const ContactPoint> contacts, DenseSideScratch& scratch, ContactProblem& problem) {
  problem.jacobian.clear();
  problem.response.clear();
  if (mechanisms.empty()) {
    problem.dense_a.clear();
    problem.dense_b.clear();
    return;
  }
  assign_with_room(problem.dense_a, contacts.size(), no_index);
  assign_with_room(problem.dense_b, contacts.size(), no_index);

  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const ContactPoint& contact = contacts[c];
    const bool linked_a = model.is_linked(contact.body_a), linked_b = model.is_linked(contact.body_b);
    if (!linked_a && !linked_b) continue;
    const ContactFrame frame = contact_frame(problem, static_cast<Index>(c));
    const std::array<Vec3, 3> axes{frame.n, frame.t1, frame.t2};

    // Adds one direction of one body to the gradient over its mechanism's velocities.
    const auto add = [&](Index mechanism, Index body, const Vec3& direction, Real sign) {
      const Mechanism& m = model.mechanisms[static_cast<std::size_t>(mechanism)];
      add_generalised_force(m, mechanisms[static_cast<std::size_t>(mechanism)].kinematics, body - m.first_body,
                            contact.position, direction, Vec3::Zero(), sign, scratch.row);
    };
    const auto side = [&](Index mechanism, bool a, bool b) {
      const ReducedMechanism& reduced = mechanisms[static_cast<std::size_t>(mechanism)];
      const auto begin = static_cast<Index>(problem.jacobian.size());
      for (int i = 0; i < problem.dimension; ++i) {
        assign_with_room(scratch.row, reduced.velocity_start.size(), 0.0);
        if (a) add(mechanism, contact.body_a, axes[static_cast<std::size_t>(i)], -1.0);
        if (b) add(mechanism, contact.body_b, axes[static_cast<std::size_t>(i)], 1.0);
        append_dense_row(reduced, scratch.row, scratch, problem);
      }
      return begin;
    };
    const Index mechanism_a = linked_a ? model.mechanism_of_body(contact.body_a) : no_index;
    const Index mechanism_b = linked_b ? model.mechanism_of_body(contact.body_b) : no_index;
    if (mechanism_a == mechanism_b) {
      problem.block_a[c] = no_index;
      problem.dense_b[c] = side(mechanism_b, true, true);
      continue;
    }
    if (linked_a) problem.dense_a[c] = side(mechanism_a, true, false);
    if (linked_b) problem.dense_b[c] = side(mechanism_b, false, true);
  }
}

}  // namespace grus
