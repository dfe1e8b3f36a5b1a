#include "io/problem/mechanical_form.hpp"

#include <cmath>

#include <Eigen/LU>

#include "solvers/delassus.hpp"

namespace grus {
namespace {

// M of one rigid block into the velocities from `begin` on; false when it does not exist.
bool add_mass(const ContactProblem& problem, Index block, Index begin, MatrixEntries& mass) {
  const Real inverse_mass = problem.inverse_mass[static_cast<std::size_t>(block)];
  const SymMat3 j = block_inverse_inertia(problem, block);
  if (!(inverse_mass > 0.0)) return false;
  const int translations = problem.dimension;
  for (int k = 0; k < translations; ++k) mass.add(begin + k, begin + k, 1.0 / inverse_mass);
  if (problem.dimension == 2) {
    if (!(j.zz > 0.0)) return false;
    mass.add(begin + 2, begin + 2, 1.0 / j.zz);
    return true;
  }
  Mat3 inverse;
  inverse << j.xx, j.xy, j.xz, j.xy, j.yy, j.yz, j.xz, j.yz, j.zz;
  Mat3 inertia = inverse.inverse();
  inertia = (0.5 * (inertia + inertia.transpose())).eval();
  if (!inertia.allFinite()) return false;
  for (int a = 0; a < 3; ++a) {
    for (int b = 0; b < 3; ++b) mass.add(begin + 3 + a, begin + 3 + b, inertia(a, b));
  }
  return true;
}

}  // namespace

std::optional<GlobalForm> global_form_of(const ContactProblem& problem, const LocalProblem& local,
                                         const AssembleScratch& scratch) {
  const Index size = problem.block_size();
  GlobalForm form;
  // First velocity of each block that is touched, in the order of the sides.
  std::vector<Index> begin(static_cast<std::size_t>(problem.block_count), no_index);
  std::vector<Real> free_velocity;
  for (const AssembleScratch::Side& side : scratch.side) {
    if (side.block == no_index) continue;
    if (problem.is_dense(side.block)) return std::nullopt;
    Index& first = begin[static_cast<std::size_t>(side.block)];
    if (first != no_index) continue;
    first = static_cast<Index>(free_velocity.size());
    if (!add_mass(problem, side.block, first, form.mass)) return std::nullopt;
    const Real* v = problem.free_velocity.data() + problem.velocity_begin(side.block);
    free_velocity.insert(free_velocity.end(), v, v + size);
  }
  form.mass.rows = form.mass.columns = form.directions.rows = static_cast<Index>(free_velocity.size());
  form.directions.columns = file_unknowns(local);
  // w = q - H^T v_free
  form.shift = to_file_places(local, local.q);
  for (Index block = 0; block < local.block_count(); ++block) {
    const bool is_contact = block < local.contact_count;
    const Index rows = is_contact ? local.dimension : 1;
    const Index unknown = is_contact ? block * local.dimension : local.contact_count * (local.dimension - 1) + block;
    for (Index s = 0; s < 2; ++s) {
      const AssembleScratch::Side& side = scratch.side[static_cast<std::size_t>(2 * block + s)];
      if (side.block == no_index) continue;
      const Index first = begin[static_cast<std::size_t>(side.block)];
      for (Index a = 0; a < rows; ++a) {
        for (Index k = 0; k < size; ++k) {
          const Real x = scratch.h[side.begin + static_cast<std::size_t>(a * size + k)];
          form.directions.add(first + k, unknown + a, x);
          form.shift[static_cast<std::size_t>(unknown + a)] -= x * free_velocity[static_cast<std::size_t>(first + k)];
        }
      }
    }
  }
  // f = M v_free
  form.force.assign(free_velocity.size(), 0.0);
  for (std::size_t k = 0; k < form.mass.count(); ++k)
    form.force[static_cast<std::size_t>(form.mass.row[k])] +=
        form.mass.value[k] * free_velocity[static_cast<std::size_t>(form.mass.column[k])];
  return form;
}

}  // namespace grus
