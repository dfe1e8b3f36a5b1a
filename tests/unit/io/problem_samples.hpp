// Problems for the tests of problem files: made here, or the real ones beside the checkout.
#pragma once

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "io/problem/problem_file.hpp"
#include "support/paths.hpp"

namespace grus::test {

// A chain: contact c knows c - 1, c + 1 and itself; each scalar row knows the first contact and itself. Entries are
// numbers with all their digits, W is symmetric.
inline LocalProblem chain_problem(int dimension, Index contacts, Index rows = 0) {
  Random random(7);
  const auto number = [&] { return random.uniform(-1.0, 1.0); };
  LocalProblem p;
  p.dimension = dimension;
  p.contact_count = contacts;
  p.row_count = rows;
  const auto d = static_cast<std::size_t>(dimension), n = static_cast<std::size_t>(p.block_count());
  const auto known = [&](Index i, Index j) {
    if (i == j) return true;
    if (i < contacts && j < contacts) return std::abs(i - j) == 1;
    return i >= contacts && j >= contacts ? false : std::min(i, j) == 0;
  };
  std::vector<Real> full(n * d * n * d, 0.0);
  const auto at = [&](Index i, std::size_t a, Index j, std::size_t b) -> Real& {
    return full[(static_cast<std::size_t>(i) * d + a) * n * d + static_cast<std::size_t>(j) * d + b];
  };
  const auto size = [&](Index block) { return block < contacts ? d : std::size_t{1}; };
  for (Index i = 0; i < p.block_count(); ++i) {
    for (Index j = 0; j <= i; ++j) {
      for (std::size_t a = 0; known(i, j) && a < size(i); ++a) {
        for (std::size_t b = 0; b < size(j); ++b)
          at(i, a, j, b) = at(j, b, i, a) = number() + (i == j && a == b ? 5.0 : 0.0);
      }
    }
  }
  p.block_begin.push_back(0);
  for (Index i = 0; i < p.block_count(); ++i) {
    for (Index j = 0; j < p.block_count(); ++j) {
      if (!known(i, j)) continue;
      p.column.push_back(j);
      for (std::size_t a = 0; a < d; ++a) {
        for (std::size_t b = 0; b < d; ++b) p.entry.push_back(at(i, a, j, b));
      }
    }
    p.block_begin.push_back(static_cast<Index>(p.column.size()));
    for (std::size_t a = 0; a < d; ++a) p.q.push_back(a < size(i) ? number() : 0.0);
    if (i < contacts) p.friction.push_back(std::abs(number()));
  }
  p.lower.assign(static_cast<std::size_t>(rows), -std::numeric_limits<Real>::infinity());
  p.upper.assign(static_cast<std::size_t>(rows), std::numeric_limits<Real>::infinity());
  return p;
}

inline ProblemFile file_of(LocalProblem problem) {
  ProblemFile file;
  file.problem = std::move(problem);
  return file;
}

// The real problems when they are beside the checkout, else none.
inline std::vector<std::string> shared_problems() {
  std::vector<std::string> paths;
  std::error_code absent;
  for (const auto& entry :
       std::filesystem::directory_iterator(GRUS_SOURCE_DIR "/../shared/data/contact-problems", absent)) {
    const std::string ending = entry.path().extension().string();
    if (ending == ".dat" || ending == ".hdf5") paths.push_back(entry.path().string());
  }
  return paths;
}

}  // namespace grus::test
