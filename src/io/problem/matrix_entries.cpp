#include "io/problem/matrix_entries.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace grus {
namespace {

// Where unknown k of a file stands in the problem.
struct FilePlace {
  Index block;
  int within;
};

FilePlace file_place(int dimension, Index contact_count, Index k) {
  const Index of_contacts = contact_count * dimension;
  if (k < of_contacts) return {k / dimension, static_cast<int>(k % dimension)};
  return {contact_count + (k - of_contacts), 0};
}

// Numbers of the entries, grouped by block row: [begin[i], begin[i + 1]) of `order`.
struct EntriesByRow {
  std::vector<std::size_t> begin, order;
};

EntriesByRow group_by_row(int dimension, Index contact_count, Index block_count, const MatrixEntries& entries) {
  EntriesByRow groups;
  groups.begin.assign(static_cast<std::size_t>(block_count) + 1, 0);
  const auto block_of = [&](std::size_t e) {
    return static_cast<std::size_t>(file_place(dimension, contact_count, entries.row[e]).block);
  };
  for (std::size_t e = 0; e < entries.count(); ++e) ++groups.begin[block_of(e) + 1];
  for (std::size_t i = 0; i + 1 < groups.begin.size(); ++i) groups.begin[i + 1] += groups.begin[i];
  std::vector<std::size_t> next(groups.begin.begin(), groups.begin.end() - 1);
  groups.order.resize(entries.count());
  for (std::size_t e = 0; e < entries.count(); ++e) groups.order[next[block_of(e)]++] = e;
  return groups;
}

}  // namespace

std::string set_local_matrix(int dimension, Index contact_count, Index row_count, const MatrixEntries& entries,
                             LocalProblem& problem) {
  problem.dimension = dimension;
  problem.contact_count = contact_count;
  problem.row_count = row_count;
  const Index blocks = problem.block_count();
  const auto square = static_cast<std::size_t>(dimension) * static_cast<std::size_t>(dimension);
  const EntriesByRow groups = group_by_row(dimension, contact_count, blocks, entries);
  problem.block_begin.assign(1, 0);
  problem.column.clear();
  problem.entry.clear();
  std::vector<Index> columns;
  for (Index i = 0; i < blocks; ++i) {
    const auto at = static_cast<std::size_t>(i);
    columns.assign(1, i);
    for (std::size_t k = groups.begin[at]; k < groups.begin[at + 1]; ++k)
      columns.push_back(file_place(dimension, contact_count, entries.column[groups.order[k]]).block);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    const std::size_t first = problem.column.size();
    if (first + columns.size() > most_blocks)
      return fmt::format("found more than {} blocks in the matrix", most_blocks);
    problem.column.insert(problem.column.end(), columns.begin(), columns.end());
    problem.entry.resize(problem.column.size() * square, 0.0);
    problem.block_begin.push_back(static_cast<Index>(problem.column.size()));
    for (std::size_t k = groups.begin[at]; k < groups.begin[at + 1]; ++k) {
      const std::size_t e = groups.order[k];
      const FilePlace column = file_place(dimension, contact_count, entries.column[e]);
      const auto found = std::lower_bound(columns.begin(), columns.end(), column.block) - columns.begin();
      const auto within = file_place(dimension, contact_count, entries.row[e]).within * dimension + column.within;
      problem.entry[(first + static_cast<std::size_t>(found)) * square + static_cast<std::size_t>(within)] +=
          entries.value[e];
    }
  }
  // Entries are finite, sums of them may not be.
  if (!std::all_of(problem.entry.begin(), problem.entry.end(), [](Real x) { return std::isfinite(x); }))
    return "found entries of the matrix that do not add up to finite numbers";
  return {};
}

MatrixEntries matrix_of(const LocalProblem& problem) {
  const auto d = static_cast<std::size_t>(problem.dimension);
  const auto size_of = [&](Index block) { return block < problem.contact_count ? problem.dimension : 1; };
  const auto begin_of = [&](Index block) {
    return block < problem.contact_count ? block * problem.dimension
                                         : problem.contact_count * (problem.dimension - 1) + block;
  };
  MatrixEntries rows;
  rows.rows = rows.columns = file_unknowns(problem);
  for (Index i = 0; i < problem.block_count(); ++i) {
    for (int a = 0; a < size_of(i); ++a) {
      for (Index k = problem.block_begin[static_cast<std::size_t>(i)];
           k < problem.block_begin[static_cast<std::size_t>(i) + 1]; ++k) {
        const Index j = problem.column[static_cast<std::size_t>(k)];
        const Real* row = &problem.entry[static_cast<std::size_t>(k) * d * d + static_cast<std::size_t>(a) * d];
        for (int b = 0; b < size_of(j); ++b) rows.add(begin_of(i) + a, begin_of(j) + b, row[b]);
      }
    }
  }
  // By rows now: they stay ascending within each column.
  return sorted_by_column(rows);
}

MatrixEntries sorted_by_column(const MatrixEntries& entries) {
  std::vector<std::size_t> next(static_cast<std::size_t>(entries.columns) + 1, 0);
  for (const Index j : entries.column) ++next[static_cast<std::size_t>(j) + 1];
  for (std::size_t j = 0; j + 1 < next.size(); ++j) next[j + 1] += next[j];
  MatrixEntries sorted = entries;
  for (std::size_t e = 0; e < entries.count(); ++e) {
    const std::size_t to = next[static_cast<std::size_t>(entries.column[e])]++;
    sorted.row[to] = entries.row[e];
    sorted.column[to] = entries.column[e];
    sorted.value[to] = entries.value[e];
  }
  return sorted;
}

std::vector<Real> to_local_places(const LocalProblem& problem, const std::vector<Real>& of_file) {
  std::vector<Real> placed(static_cast<std::size_t>(problem.unknown_count()), 0.0);
  for (std::size_t k = 0; k < of_file.size(); ++k) {
    const FilePlace place = file_place(problem.dimension, problem.contact_count, static_cast<Index>(k));
    placed[static_cast<std::size_t>(place.block * problem.dimension + place.within)] = of_file[k];
  }
  return placed;
}

std::vector<Real> to_file_places(const LocalProblem& problem, const std::vector<Real>& of_problem) {
  std::vector<Real> flat(static_cast<std::size_t>(file_unknowns(problem)), 0.0);
  for (std::size_t k = 0; k < flat.size(); ++k) {
    const FilePlace place = file_place(problem.dimension, problem.contact_count, static_cast<Index>(k));
    flat[k] = of_problem[static_cast<std::size_t>(place.block * problem.dimension + place.within)];
  }
  return flat;
}

Index file_unknowns(const LocalProblem& problem) {
  return problem.contact_count * problem.dimension + problem.row_count;
}

}  // namespace grus
