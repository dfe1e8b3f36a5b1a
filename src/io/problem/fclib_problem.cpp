#include "io/problem/fclib_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "io/file_fault.hpp"
#include "io/problem/fclib_arrays.hpp"
#include "io/problem/global_form.hpp"
#include "io/problem/matrix_entries.hpp"

namespace grus {
namespace {

constexpr std::int64_t nz_by_column = -1, nz_by_row = -2;

class FclibReader {
 public:
  FclibReader(FclibArrays arrays, const std::string& path)
      : arrays_(std::move(arrays)), path_(path), local_(arrays_.group == "/fclib_local"), group_(arrays_.group) {}

  ProblemFile read() {
    const std::int64_t dimension = single(group_ + "/spacedim");
    if (dimension != 2 && dimension != 3)
      fail(group_ + "/spacedim", fmt::format("found {}, expected 2 or 3", dimension));
    dimension_ = static_cast<int>(dimension);
    ProblemFile file;
    file.form = local_ ? "FCLIB, local form" : "FCLIB, global form";
    local_ ? read_local(file.problem) : read_global(file.problem);
    read_bounds(file.problem);
    file.solution = impulses("/solution", file);
    file.guess = impulses("/guesses/1", file);
    file.title = text("/info/title");
    file.description = text("/info/description");
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& name, const std::string& message) const {
    throw file_fault(path_, name + ": " + message);
  }

  const std::vector<std::int64_t>& whole(const std::string& name) const {
    const auto found = arrays_.whole.find(name);
    if (found == arrays_.whole.end()) fail(name, "found nothing, expected whole numbers");
    return found->second;
  }
  std::int64_t single(const std::string& name) const {
    const std::vector<std::int64_t>& values = whole(name);
    if (values.size() != 1) fail(name, fmt::format("found {} numbers, expected one", values.size()));
    return values[0];
  }
  const std::vector<double>& real(const std::string& name) const {
    const auto found = arrays_.real.find(name);
    if (found == arrays_.real.end()) fail(name, "found nothing, expected numbers");
    return found->second;
  }
  // A vector of finite numbers of this length.
  const std::vector<double>& vector(const std::string& name, std::size_t length) const {
    const std::vector<double>& values = real(name);
    if (values.size() != length) fail(name, fmt::format("found {} numbers, expected {}", values.size(), length));
    expect_finite(name, values);
    return values;
  }
  void expect_finite(const std::string& name, const std::vector<double>& values) const {
    const auto bad = std::find_if(values.begin(), values.end(), [](double x) { return !std::isfinite(x); });
    if (bad != values.end())
      fail(name, fmt::format("found {} at {}, expected finite numbers", *bad, bad - values.begin()));
  }
  std::string text(const std::string& name) const {
    const auto found = arrays_.text.find(group_ + name);
    return found == arrays_.text.end() ? std::string() : found->second;
  }
  bool has_matrix(const char* matrix) const { return arrays_.whole.contains(group_ + "/" + matrix + "/m"); }

  Index size_of(const std::string& name) const {
    const std::int64_t size = single(name);
    if (size < 0 || size > static_cast<std::int64_t>(most_blocks))
      fail(name, fmt::format("found {}, expected from 0 to {}", size, most_blocks));
    return static_cast<Index>(size);
  }

  MatrixEntries matrix(const char* matrix_name) const {
    const std::string name = group_ + "/" + matrix_name;
    MatrixEntries entries;
    entries.rows = size_of(name + "/m");
    entries.columns = size_of(name + "/n");
    const std::int64_t nz = single(name + "/nz");
    if (nz < nz_by_row) fail(name + "/nz", fmt::format("found {}, expected -2, -1 or a number of entries", nz));
    nz >= 0 ? read_triplets(name, nz, entries) : read_compressed(name, nz == nz_by_row, entries);
    return entries;
  }

  void expect_length(const std::string& name, std::size_t found, std::size_t expected) const {
    if (found < expected) fail(name, fmt::format("found {} entries, expected {}", found, expected));
  }
  void expect_index(const std::string& name, std::size_t at, std::int64_t found, Index size) const {
    if (found < 0 || found >= size)
      fail(name, fmt::format("found the index {} at {}, expected from 0 to {}", found, at, size - 1));
  }

  void read_triplets(const std::string& name, std::int64_t nz, MatrixEntries& entries) const {
    const std::vector<std::int64_t>*row = &whole(name + "/i"), *column = &whole(name + "/p");
    const std::vector<double>& value = real(name + "/x");
    const auto count = static_cast<std::size_t>(nz);
    expect_length(name + "/i", row->size(), count);
    expect_length(name + "/p", column->size(), count);
    expect_length(name + "/x", value.size(), count);
    expect_finite(name + "/x", value);
    const auto fits = [&](const std::vector<std::int64_t>& list, Index size) {
      return std::all_of(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count),
                         [&](std::int64_t k) { return k < size; });
    };
    if ((!fits(*row, entries.rows) || !fits(*column, entries.columns)) && fits(*row, entries.columns) &&
        fits(*column, entries.rows))
      std::swap(row, column);
    for (std::size_t k = 0; k < count; ++k) {
      expect_index(name + "/i", k, (*row)[k], entries.rows);
      expect_index(name + "/p", k, (*column)[k], entries.columns);
      entries.add(static_cast<Index>((*row)[k]), static_cast<Index>((*column)[k]), value[k]);
    }
  }

  void read_compressed(const std::string& name, bool by_row, MatrixEntries& entries) const {
    const std::vector<std::int64_t>&begin = whole(name + "/p"), &index = whole(name + "/i");
    const std::vector<double>& value = real(name + "/x");
    const Index lines = by_row ? entries.rows : entries.columns, across = by_row ? entries.columns : entries.rows;
    if (begin.size() != static_cast<std::size_t>(lines) + 1)
      fail(name + "/p", fmt::format("found {} entries, expected {}", begin.size(), lines + 1));
    for (std::size_t k = 0; k < begin.size(); ++k) {
      const std::int64_t low = k == 0 ? 0 : begin[k - 1];
      if (begin[k] < low || (k == 0 && begin[k] != 0))
        fail(name + "/p", fmt::format("found {} at {}, expected numbers that rise from 0", begin[k], k));
    }
    expect_length(name + "/i", index.size(), static_cast<std::size_t>(begin.back()));
    expect_length(name + "/x", value.size(), static_cast<std::size_t>(begin.back()));
    expect_finite(name + "/x", value);
    for (Index line = 0; line < lines; ++line) {
      const auto at = static_cast<std::size_t>(line);
      for (auto k = static_cast<std::size_t>(begin[at]); k < static_cast<std::size_t>(begin[at + 1]); ++k) {
        expect_index(name + "/i", k, index[k], across);
        const auto other = static_cast<Index>(index[k]);
        by_row ? entries.add(line, other, value[k]) : entries.add(other, line, value[k]);
      }
    }
  }

  void expect_sizes(const char* name, const MatrixEntries& entries, Index rows, Index columns) const {
    if (entries.rows != rows || entries.columns != columns)
      fail(group_ + "/" + name,
           fmt::format("found {} x {}, expected {} x {}", entries.rows, entries.columns, rows, columns));
  }

  // The number of contacts, by the coefficients of friction.
  Index read_friction(LocalProblem& problem) const {
    const std::string name = group_ + "/vectors/mu";
    const std::vector<double>& mu = real(name);
    if (mu.empty()) fail(name, "found no contact, expected at least one");
    if (mu.size() > most_blocks)
      fail(name, fmt::format("found {} contacts, expected at most {}", mu.size(), most_blocks));
    expect_finite(name, mu);
    const auto bad = std::find_if(mu.begin(), mu.end(), [](double x) { return x < 0.0; });
    if (bad != mu.end()) fail(name, fmt::format("found {} at {}, expected 0 or more", *bad, bad - mu.begin()));
    problem.friction = mu;
    return static_cast<Index>(mu.size());
  }

  void set_matrix(Index contacts, Index rows, const MatrixEntries& entries, LocalProblem& problem) const {
    const std::string fault = set_local_matrix(dimension_, contacts, rows, entries, problem);
    if (!fault.empty()) fail(group_, fault);
  }

  void read_local(LocalProblem& problem) const {
    const Index contacts = read_friction(problem), unknowns = contacts * dimension_;
    MatrixEntries all = matrix("W");
    expect_sizes("W", all, unknowns, unknowns);
    std::vector<double> q = vector("/fclib_local/vectors/q", static_cast<std::size_t>(unknowns));
    Index rows = 0;
    if (has_matrix("R") || has_matrix("V")) {
      const MatrixEntries r = matrix("R"), v = matrix("V");
      rows = r.rows;
      expect_sizes("R", r, rows, rows);
      expect_sizes("V", v, unknowns, rows);
      const std::vector<double>& s = vector("/fclib_local/vectors/s", static_cast<std::size_t>(rows));
      q.insert(q.end(), s.begin(), s.end());
      for (std::size_t k = 0; k < v.count(); ++k) {
        all.add(v.row[k], unknowns + v.column[k], v.value[k]);
        all.add(unknowns + v.column[k], v.row[k], v.value[k]);
      }
      for (std::size_t k = 0; k < r.count(); ++k) all.add(unknowns + r.row[k], unknowns + r.column[k], r.value[k]);
    }
    set_matrix(contacts, rows, all, problem);
    problem.q = to_local_places(problem, q);
  }

  void read_global(LocalProblem& problem) const {
    const Index contacts = read_friction(problem), unknowns = contacts * dimension_;
    GlobalForm form;
    form.mass = matrix("M");
    const Index velocities = form.mass.rows;
    expect_sizes("M", form.mass, velocities, velocities);
    form.directions = matrix("H");
    expect_sizes("H", form.directions, velocities, unknowns);
    form.force = vector("/fclib_global/vectors/f", static_cast<std::size_t>(velocities));
    form.shift = vector("/fclib_global/vectors/w", static_cast<std::size_t>(unknowns));
    Index rows = 0;
    if (has_matrix("G")) {
      const MatrixEntries g = matrix("G");
      rows = g.columns;
      expect_sizes("G", g, velocities, rows);
      const std::vector<double>& b = vector("/fclib_global/vectors/b", static_cast<std::size_t>(rows));
      form.shift.insert(form.shift.end(), b.begin(), b.end());
      for (std::size_t k = 0; k < g.count(); ++k) form.directions.add(g.row[k], unknowns + g.column[k], g.value[k]);
      form.directions.columns += rows;
    }
    MatrixEntries w;
    std::vector<Real> q;
    const std::string fault = reduce_to_local(form, w, q);
    if (!fault.empty()) fail("/fclib_global", fault);
    set_matrix(contacts, rows, w, problem);
    problem.q = to_local_places(problem, q);
  }

  void read_bounds(LocalProblem& problem) const {
    constexpr Real infinite = std::numeric_limits<Real>::infinity();
    const auto rows = static_cast<std::size_t>(problem.row_count);
    problem.lower.assign(rows, -infinite);
    problem.upper.assign(rows, infinite);
    const std::string low = group_ + "/grus/lower", high = group_ + "/grus/upper";
    if (!arrays_.real.contains(low) && !arrays_.real.contains(high)) return;
    const std::vector<double>&lower = real(low), &upper = real(high);
    if (lower.size() != rows) fail(low, fmt::format("found {} numbers, expected {}", lower.size(), rows));
    if (upper.size() != rows) fail(high, fmt::format("found {} numbers, expected {}", upper.size(), rows));
    for (std::size_t k = 0; k < rows; ++k) {
      if (!(lower[k] <= upper[k]) || lower[k] == infinite || upper[k] == -infinite)
        fail(low, fmt::format("found bounds {} and {} of row {}, expected them in order", lower[k], upper[k], k));
    }
    problem.lower = lower;
    problem.upper = upper;
  }

  // A guess or a solution; what does not fit the problem is left out and noted.
  std::vector<Real> impulses(const std::string& set, ProblemFile& file) const {
    const auto found = arrays_.real.find(set + "/r"), multipliers = arrays_.real.find(set + "/l");
    if (found == arrays_.real.end()) return {};
    std::vector<double> r = found->second;
    if (multipliers != arrays_.real.end()) r.insert(r.end(), multipliers->second.begin(), multipliers->second.end());
    const auto expected = static_cast<std::size_t>(file_unknowns(file.problem));
    const bool finite = std::all_of(r.begin(), r.end(), [](double x) { return std::isfinite(x); });
    if (r.size() == expected && finite) return to_local_places(file.problem, r);
    file.notes.push_back(fmt::format("{}: found {} {}numbers, expected {}: left out", set, r.size(),
                                     finite ? "" : "not all finite ", expected));
    return {};
  }

  FclibArrays arrays_;
  const std::string& path_;
  bool local_;
  std::string group_;
  int dimension_ = 3;
};

}  // namespace

bool looks_like_hdf5(std::string_view bytes) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  // Behind a user block of 0, 512, 1024, 2048 ... bytes.
  for (std::size_t at = 0; at + signature.size() <= bytes.size(); at = at == 0 ? 512 : 2 * at) {
    if (bytes.substr(at, signature.size()) == signature) return true;
  }
  return false;
}

ProblemFile parse_fclib(const std::string& bytes, const std::string& path) {
  return fclib_problem(read_fclib_arrays(bytes, path), path);
}

ProblemFile fclib_problem(FclibArrays arrays, const std::string& path) {
  return FclibReader(std::move(arrays), path).read();
}

}  // namespace grus
