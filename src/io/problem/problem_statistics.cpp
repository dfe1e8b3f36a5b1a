#include "io/problem/problem_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace grus {
namespace {

// Entry (a, b) of block (i, j), zero when the block is not stored.
Real block_entry(const LocalProblem& p, Index i, Index j, int a, int b) {
  const auto begin = p.column.begin() + p.block_begin[static_cast<std::size_t>(i)];
  const auto end = p.column.begin() + p.block_begin[static_cast<std::size_t>(i) + 1];
  const auto found = std::lower_bound(begin, end, j);
  if (found == end || *found != j) return 0.0;
  const auto d = static_cast<std::size_t>(p.dimension);
  return p.entry[(static_cast<std::size_t>(found - p.column.begin()) * d + static_cast<std::size_t>(a)) * d +
                 static_cast<std::size_t>(b)];
}

Real symmetry_defect(const LocalProblem& p) {
  Real largest = 0.0, defect = 0.0;
  for (Index i = 0; i < p.block_count(); ++i) {
    for (Index k = p.block_begin[static_cast<std::size_t>(i)]; k < p.block_begin[static_cast<std::size_t>(i) + 1];
         ++k) {
      for (int a = 0; a < p.dimension; ++a) {
        for (int b = 0; b < p.dimension; ++b) {
          const Index j = p.column[static_cast<std::size_t>(k)];
          const Real x = p.entry[static_cast<std::size_t>((k * p.dimension + a) * p.dimension + b)];
          largest = std::max(largest, std::abs(x));
          defect = std::max(defect, std::abs(x - block_entry(p, j, i, b, a)));
        }
      }
    }
  }
  return largest > 0.0 ? defect / largest : 0.0;
}

}  // namespace

ProblemStatistics describe_problem(const ProblemFile& file, const std::string& path) {
  const LocalProblem& p = file.problem;
  ProblemStatistics s;
  s.file = path;
  s.form = file.form;
  s.title = file.title;
  s.dimension = p.dimension;
  s.contacts = p.contact_count;
  s.rows = p.row_count;
  s.blocks = static_cast<std::int64_t>(p.column.size());
  for (std::size_t i = 0; i + 1 < p.block_begin.size(); ++i)
    s.most_blocks_in_row = std::max<std::int64_t>(s.most_blocks_in_row, p.block_begin[i + 1] - p.block_begin[i]);
  if (!p.friction.empty()) {
    const auto [low, high] = std::minmax_element(p.friction.begin(), p.friction.end());
    s.friction_min = *low;
    s.friction_max = *high;
  }
  s.symmetry_defect = symmetry_defect(p);
  s.has_guess = !file.guess.empty();
  s.has_solution = !file.solution.empty();
  s.notes = file.notes;
  return s;
}

}  // namespace grus
