// From the mechanical form to the local one: W = H^T A^-1 H assembled block by block.
//
//   W_ij = sum over the blocks that i and j both touch of  H_i^T (A^-1 H_j),   q = H^T v_free + shift
//
// Contacts and rows that no impulse can influence (contact_rho = 0, w = 0 of delassus.hpp) get no block: their impulse
// is zero, and a method that divides by W_ii need not ask. Rows of W are independent of each other: same bits for any
// number of threads.
//
// A body with n contacts makes n^2 blocks. assembled_blocks tells beforehand, so that nobody asks for a matrix that
// cannot be stored.
#pragma once

#include "core/parallel.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/local_problem.hpp"

namespace grus {

struct AssembleScratch {
  // One side of a contact or row on a block that moves: rows of H^T (with the sign of the side) and of Y = H^T A^-1.
  struct Side {
    Index block = no_index;
    std::size_t begin = 0;  // into h and y: rows x velocity_size(block) entries, row by row
  };

  std::vector<Index> item;   // contact, or contact_count + row, of each block of the LocalProblem; ascending
  std::vector<Index> local;  // the inverse: no_index for what has no block   [contact_count + row_count]
  std::vector<Side> side;    // 2 k + (0: a, 1: b) of block k of the LocalProblem
  std::vector<Real> h, y;
  std::vector<Index> side_begin;  // [block_count + dense_count + 1] ranges of `sides`
  std::vector<Index> sides;       // numbers into `side`, ascending within a block
};

// An upper bound on the number of blocks of W.
std::int64_t assembled_blocks(const ContactProblem& problem);
// Beyond it W (72 bytes a block) would take some 20 GB and its indices more than 31 bits.
inline constexpr std::int64_t most_assembled_blocks = std::int64_t{1} << 28;

// Expects assembled_blocks(problem) <= most_assembled_blocks. Leaves in scratch.item what each block stands for.
void assemble_local(const ContactProblem& problem, LocalProblem& local, AssembleScratch& scratch,
                    const Parallel& parallel);

// Impulses of the mechanical form to those of the assembled problem and back; what has no block gets zero.
void gather_impulses(const ContactProblem& problem, const LocalProblem& local, const AssembleScratch& scratch,
                     const ContactSolution& solution, std::vector<Real>& impulse);
void scatter_impulses(const ContactProblem& problem, const LocalProblem& local, const AssembleScratch& scratch,
                      const std::vector<Real>& impulse, ContactSolution& solution);

}  // namespace grus
