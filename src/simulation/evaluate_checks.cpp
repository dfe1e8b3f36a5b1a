#include "simulation/evaluate_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "model/expression.hpp"

namespace grus {

namespace {

constexpr Real no_value = std::numeric_limits<Real>::quiet_NaN();

std::vector<std::size_t> rows_in_window(const Series& series, Real from, Real to) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < series.rows(); ++row) {
    const Real t = series.values[0][row];
    if (t >= from && t <= to) rows.push_back(row);
  }
  return rows;
}

// Difference from `against`, an expression of the row, at each row of the window.
std::vector<Real> errors_in_window(const Spec& spec, const CheckSpec& check, const Series& series, std::size_t column,
                                   const std::vector<std::size_t>& rows) {
  std::vector<Fault> faults;
  const auto expression = read_expression(check.against, series.columns, spec.parameters, check.mark, faults);
  if (!expression) throw InputError(std::move(faults));
  std::vector<Real> values(series.columns.size()), errors;
  for (const std::size_t row : rows) {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = series.values[k][row];
    errors.push_back(series.values[column][row] - (*expression)(values));
  }
  return errors;
}

Real reduced(const Spec& spec, const CheckSpec& check, const Series& series, std::size_t column) {
  using Reduce = CheckSpec::Reduce;
  const std::vector<std::size_t> rows = rows_in_window(series, check.from, check.to);
  if (rows.empty()) return no_value;
  const std::vector<Real>& all = series.values[column];
  if (check.reduce == Reduce::first) return all[rows.front()];
  if (check.reduce == Reduce::last) return all[rows.back()];

  if (check.reduce == Reduce::max_error || check.reduce == Reduce::rms_error) {
    Real largest = 0.0, squares = 0.0;
    for (const Real error : errors_in_window(spec, check, series, column, rows)) {
      largest = std::max(largest, std::abs(error));
      squares += error * error;
    }
    if (std::isnan(squares)) return no_value;  // max passes over it
    return check.reduce == Reduce::max_error ? largest : std::sqrt(squares / static_cast<Real>(rows.size()));
  }

  Real sum = 0.0, least = std::numeric_limits<Real>::infinity(), greatest = -least;
  for (const std::size_t row : rows) {
    sum += all[row];
    least = std::min(least, all[row]);
    greatest = std::max(greatest, all[row]);
  }
  // min and max pass over a NaN, and a column of nothing else would meet any bound.
  if (std::isnan(sum)) return no_value;
  switch (check.reduce) {
    case Reduce::min:
      return least;
    case Reduce::max:
      return greatest;
    case Reduce::range:
      return greatest - least;
    default:
      return sum / static_cast<Real>(rows.size());
  }
}

}  // namespace

std::vector<SummaryCheck> evaluate_checks(const Spec& spec, const Series& series,
                                          const std::map<std::string, Real>& totals) {
  std::vector<SummaryCheck> results;
  for (const CheckSpec& check : spec.checks) {
    SummaryCheck result;
    result.name = check.name;
    const auto column = series.find(check.of);
    const auto total = totals.find(check.of);
    result.value = column ? reduced(spec, check, series, *column) : total != totals.end() ? total->second : no_value;
    // A comparison with NaN is false, so a value that is not a number fails every bound.
    result.pass = true;
    const auto bound = [&](bool holds, const std::string& text) {
      result.pass = result.pass && holds;
      result.bound += (result.bound.empty() ? "" : " and ") + text;
    };
    if (check.above) bound(result.value > *check.above, fmt::format("> {:.6g}", *check.above));
    if (check.below) bound(result.value < *check.below, fmt::format("< {:.6g}", *check.below));
    if (check.near)
      bound(std::abs(result.value - *check.near) <= check.tolerance,
            fmt::format("{:.6g} +- {:.2g}", *check.near, check.tolerance));
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace grus
