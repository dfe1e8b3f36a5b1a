#include "simulation/evaluate_checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

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

// The check's column in its window, without rows where it, or what it is compared with, is undefined (observe.hpp).
struct Window {
  std::vector<Real> t, values;
  std::vector<Real> against;  // the expression of each row, when the check has one
};

Window window_of(const Spec& spec, const CheckSpec& check, const Series& series, std::size_t column) {
  Window window;
  std::optional<Expression> against;
  if (check.needs_against()) {
    std::vector<Fault> faults;
    against = read_expression(check.against, series.columns, spec.parameters, check.mark, faults);
    if (!against) throw InputError(std::move(faults));
  }
  std::vector<Real> of_row(series.columns.size());
  for (const std::size_t row : rows_in_window(series, check.from, check.to)) {
    for (std::size_t k = 0; k < of_row.size(); ++k) of_row[k] = series.values[k][row];
    if (std::isnan(of_row[column]) || (against && against->reads_nan(of_row))) continue;
    window.t.push_back(of_row[0]);
    window.values.push_back(of_row[column]);
    if (against) window.against.push_back((*against)(of_row));
  }
  return window;
}

Real error_of(const Window& window, bool root_mean_square) {
  Real largest = 0.0, squares = 0.0;
  for (std::size_t k = 0; k < window.values.size(); ++k) {
    const Real error = window.values[k] - window.against[k];
    largest = std::max(largest, std::abs(error));
    squares += error * error;
  }
  return root_mean_square ? std::sqrt(squares / static_cast<Real>(window.values.size())) : largest;
}

Real largest_rise(const std::vector<Real>& values) {
  Real lowest = values.front(), rise = 0.0;
  for (const Real value : values) {
    lowest = std::min(lowest, value);
    rise = std::max(rise, value - lowest);
  }
  return rise;
}

// Mean change of `values` from one upward crossing of the middle of the range of `swing` to the next, linear between
// rows; with the times for values it is the period. Not a number with fewer than two crossings.
Real change_per_period(const std::vector<Real>& swing, const std::vector<Real>& values) {
  const auto [least, greatest] = std::minmax_element(swing.begin(), swing.end());
  const Real middle = 0.5 * (*least + *greatest);
  Real first = 0.0, last = 0.0;
  int crossings = 0;
  for (std::size_t k = 0; k + 1 < swing.size(); ++k) {
    if (!(swing[k] < middle && swing[k + 1] >= middle)) continue;
    const Real part = (middle - swing[k]) / (swing[k + 1] - swing[k]);
    last = values[k] + part * (values[k + 1] - values[k]);
    if (crossings++ == 0) first = last;
  }
  return crossings < 2 ? no_value : (last - first) / static_cast<Real>(crossings - 1);
}

bool has_nan(const std::vector<Real>& values) {
  return std::any_of(values.begin(), values.end(), [](Real value) { return std::isnan(value); });
}

Real reduced(const Spec& spec, const CheckSpec& check, const Series& series, std::size_t column) {
  using Reduce = CheckSpec::Reduce;
  const Window window = window_of(spec, check, series, column);
  const std::vector<Real>& values = window.values;
  if (values.empty()) return no_value;
  if (check.reduce == Reduce::first) return values.front();
  if (check.reduce == Reduce::last) return values.back();
  // A formula that breaks down must not pass: an error that is NaN is never the largest.
  if (has_nan(window.against)) return no_value;
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  switch (check.reduce) {
    case Reduce::min:
      return *least;
    case Reduce::max:
      return *greatest;
    case Reduce::range:
      return *greatest - *least;
    case Reduce::rise:
      return largest_rise(values);
    case Reduce::period:
      return change_per_period(values, window.t);
    case Reduce::change_per_period:
      return change_per_period(window.against, values);
    case Reduce::max_error:
    case Reduce::rms_error:
      return error_of(window, check.reduce == Reduce::rms_error);
    default:
      return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<Real>(values.size());
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
