// Writing FCLIB files; the layout is described in fclib_problem.hpp.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/hdf5_memory.hpp"
#include "io/problem/fclib_problem.hpp"
#include "io/problem/matrix_entries.hpp"
#include "solvers/local_residual.hpp"

namespace grus {
namespace {

constexpr std::int32_t nz_of_columns = -1;

// By column, whatever the order of the entries.
void write_matrix(Hdf5Memory& file, const std::string& name, const MatrixEntries& unsorted) {
  const MatrixEntries entries = sorted_by_column(unsorted);
  std::vector<std::int32_t> begin(static_cast<std::size_t>(entries.columns) + 1, 0);
  for (const Index j : entries.column) ++begin[static_cast<std::size_t>(j) + 1];
  for (std::size_t j = 0; j + 1 < begin.size(); ++j) begin[j + 1] += begin[j];
  const auto single = [&](const char* what, std::int32_t value) { file.write(name + "/" + what, &value, 1, 1); };
  file.make_group(name);
  single("m", entries.rows);
  single("n", entries.columns);
  single("nz", nz_of_columns);
  single("nzmax", begin.back());
  file.write(name + "/p", begin.data(), begin.size(), 1);
  file.write(name + "/i", entries.row.data(), entries.count(), 1);
  file.write(name + "/x", entries.value.data(), entries.count(), 1);
}

// The part of a matrix in [row_begin, row_end) x [column_begin, column_end), in the order it has.
MatrixEntries part_of(const MatrixEntries& all, Index row_begin, Index row_end, Index column_begin, Index column_end) {
  MatrixEntries part;
  part.rows = row_end - row_begin;
  part.columns = column_end - column_begin;
  for (std::size_t k = 0; k < all.count(); ++k) {
    if (all.row[k] >= row_begin && all.row[k] < row_end && all.column[k] >= column_begin && all.column[k] < column_end)
      part.add(all.row[k] - row_begin, all.column[k] - column_begin, all.value[k]);
  }
  return part;
}

void write_range(Hdf5Memory& file, const std::string& name, const std::vector<Real>& values, std::size_t begin,
                 std::size_t end) {
  file.write(name, values.data() + begin, end - begin, 1);
}

// r, u and l; v in the global form, where FCLIB wants it.
void write_impulses(Hdf5Memory& file, const std::string& group, const LocalProblem& problem,
                    const std::vector<Real>& impulse, const GlobalForm* form) {
  const std::vector<Real> r = to_file_places(problem, impulse);
  std::vector<Real> velocity;
  local_velocity(problem, impulse, velocity);
  const std::vector<Real> u = to_file_places(problem, velocity);
  const auto contacts = static_cast<std::size_t>(problem.contact_count * problem.dimension);
  file.make_group(group);
  write_range(file, group + "/r", r, 0, contacts);
  write_range(file, group + "/u", u, 0, contacts);
  if (problem.row_count > 0) write_range(file, group + "/l", r, contacts, r.size());
  if (form != nullptr) {
    const std::vector<Real> v = global_velocity(*form, r);
    write_range(file, group + "/v", v, 0, v.size());
  }
}

bool has_own_bounds(const LocalProblem& problem) {
  const auto finite = [](Real x) { return std::isfinite(x); };
  return std::any_of(problem.lower.begin(), problem.lower.end(), finite) ||
         std::any_of(problem.upper.begin(), problem.upper.end(), finite);
}

// What both forms have: dimension, friction, bounds of the rows, words.
void write_common(Hdf5Memory& file, const std::string& group, const ProblemFile& content) {
  const LocalProblem& problem = content.problem;
  const std::int32_t dimension = problem.dimension;
  file.make_group(group);
  file.make_group(group + "/vectors");
  file.write(group + "/spacedim", &dimension, 1, 1);
  write_range(file, group + "/vectors/mu", problem.friction, 0, problem.friction.size());
  std::string description = content.description;
  if (has_own_bounds(problem)) {
    file.make_group(group + "/grus");
    write_range(file, group + "/grus/lower", problem.lower, 0, problem.lower.size());
    write_range(file, group + "/grus/upper", problem.upper, 0, problem.upper.size());
    const std::string warning = fmt::format("Multipliers l are bounded by {}/grus lower, upper.", group);
    if (description.find(warning) == std::string::npos) description += (description.empty() ? "" : " ") + warning;
  }
  file.make_group(group + "/info");
  file.write_string(group + "/info/title", content.title);
  file.write_string(group + "/info/description", description);
  file.write_string(group + "/info/math_info", "");
}

void write_local(Hdf5Memory& file, const ProblemFile& content) {
  const LocalProblem& problem = content.problem;
  const Index contacts = problem.contact_count * problem.dimension, all_rows = file_unknowns(problem);
  const auto split = static_cast<std::size_t>(contacts);
  const MatrixEntries all = matrix_of(problem);
  const std::vector<Real> q = to_file_places(problem, problem.q);
  write_common(file, "/fclib_local", content);
  write_matrix(file, "/fclib_local/W", part_of(all, 0, contacts, 0, contacts));
  write_range(file, "/fclib_local/vectors/q", q, 0, split);
  if (problem.row_count == 0) return;
  write_matrix(file, "/fclib_local/V", part_of(all, 0, contacts, contacts, all_rows));
  write_matrix(file, "/fclib_local/R", part_of(all, contacts, all_rows, contacts, all_rows));
  write_range(file, "/fclib_local/vectors/s", q, split, q.size());
}

void write_global(Hdf5Memory& file, const ProblemFile& content, const GlobalForm& form) {
  const LocalProblem& problem = content.problem;
  const Index contacts = problem.contact_count * problem.dimension, velocities = form.mass.rows;
  const auto split = static_cast<std::size_t>(contacts);
  write_common(file, "/fclib_global", content);
  write_matrix(file, "/fclib_global/M", form.mass);
  write_matrix(file, "/fclib_global/H", part_of(form.directions, 0, velocities, 0, contacts));
  write_range(file, "/fclib_global/vectors/f", form.force, 0, form.force.size());
  write_range(file, "/fclib_global/vectors/w", form.shift, 0, split);
  if (problem.row_count == 0) return;
  write_matrix(file, "/fclib_global/G", part_of(form.directions, 0, velocities, contacts, form.directions.columns));
  write_range(file, "/fclib_global/vectors/b", form.shift, split, form.shift.size());
}

}  // namespace

std::string fclib_bytes(const ProblemFile& content, const GlobalForm* form, const std::string& path) {
  try {
    Hdf5Memory file;
    form == nullptr ? write_local(file, content) : write_global(file, content, *form);
    if (!content.solution.empty()) write_impulses(file, "/solution", content.problem, content.solution, form);
    if (!content.guess.empty()) {
      const std::int32_t one = 1;
      file.make_group("/guesses");
      file.write("/guesses/number_of_guesses", &one, 1, 1);
      write_impulses(file, "/guesses/1", content.problem, content.guess, form);
    }
    return file.image();
  } catch (const Hdf5Error& error) {
    throw IoError(fmt::format("cannot make {}: {}", path, error.what()));
  }
}

}  // namespace grus
