// Sides of contacts and rows on mechanisms: H^T of the independent velocities and Y = H^T A^-1 (paper 000, eqs 25-27).
#pragma once

#include <span>
#include <vector>

#include "collision/contact_point.hpp"
#include "multibody/reduction.hpp"
#include "solvers/contact_problem.hpp"

namespace grus {

struct DenseSideScratch {
  std::vector<Real> row;  // gradient over all velocities of a mechanism
  Eigen::VectorXd reduced, response;
};

// Dense blocks of the problem behind the rigid ones: one per mechanism, its free velocity.
void add_dense_blocks(std::span<const ReducedMechanism> mechanisms, ContactProblem& problem);

// Appends T^T row and A^-1 T^T row to jacobian and response; returns where they begin.
Index append_dense_row(const ReducedMechanism& mechanism, std::span<const Real> row, DenseSideScratch& scratch,
                       ContactProblem& problem);

// Fills dense_a, dense_b and their entries; jacobian and response are begun anew. Contacts between two bodies of one
// mechanism become one side, b.
void build_dense_sides(const Model& model, std::span<const ReducedMechanism> mechanisms,
                       std::span<const ContactPoint> contacts, DenseSideScratch& scratch, ContactProblem& problem);

}  // namespace grus
