#include "model/time_function.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "model/expression.hpp"
#include "model/inputs.hpp"
#include "model/spec.hpp"

namespace grus {

namespace {

class ExpressionFunction final : public TimeFunction {
 public:
  explicit ExpressionFunction(Expression expression) : expression_(std::move(expression)) {}
  Real operator()(Real time, const Inputs& inputs) const override { return expression_.at(time, inputs); }

 private:
  Expression expression_;
};

// Cubic Hermite pieces; the linear table is the case whose slopes are those of the chords.
class TableFunction final : public TimeFunction {
 public:
  TableFunction(std::vector<std::pair<Real, Real>> points, bool smooth) : points_(std::move(points)) {
    if (smooth) slopes_ = monotone_slopes(points_);
  }

  Real operator()(Real time, const Inputs&) const override {
    if (time <= points_.front().first) return points_.front().second;
    if (time >= points_.back().first) return points_.back().second;
    const auto after = std::upper_bound(points_.begin(), points_.end(), time,
                                        [](Real t, const auto& point) { return t < point.first; });
    const std::size_t k = static_cast<std::size_t>(after - points_.begin()) - 1;
    const auto& [t0, f0] = points_[k];
    const auto& [t1, f1] = points_[k + 1];
    const Real width = t1 - t0;
    const Real s = (time - t0) / width;
    if (slopes_.empty()) return f0 + s * (f1 - f0);
    const Real r = 1.0 - s;
    return f0 + s * s * (3.0 - 2.0 * s) * (f1 - f0) + width * s * r * (r * slopes_[k] - s * slopes_[k + 1]);
  }

 private:
  // Fritsch-Carlson: mean of the neighbouring chords, zero at a local extremum, then limited so that
  // (slope_k/chord, slope_k+1/chord) lies in the circle of radius 3, where the piece is monotone.
  static std::vector<Real> monotone_slopes(const std::vector<std::pair<Real, Real>>& p) {
    const std::size_t n = p.size();
    std::vector<Real> slope(n, 0.0);
    if (n < 2) return slope;
    std::vector<Real> chord(n - 1);
    for (std::size_t k = 0; k + 1 < n; ++k) chord[k] = (p[k + 1].second - p[k].second) / (p[k + 1].first - p[k].first);
    slope[0] = chord[0];
    slope[n - 1] = chord[n - 2];
    for (std::size_t k = 1; k + 1 < n; ++k) {
      if (chord[k - 1] * chord[k] > 0.0) slope[k] = 0.5 * (chord[k - 1] + chord[k]);
    }
    for (std::size_t k = 0; k + 1 < n; ++k) {
      if (chord[k] == 0.0) {
        slope[k] = slope[k + 1] = 0.0;
        continue;
      }
      const Real length = std::hypot(slope[k], slope[k + 1]) / std::abs(chord[k]);
      if (length <= 3.0) continue;
      slope[k] *= 3.0 / length;
      slope[k + 1] *= 3.0 / length;
    }
    return slope;
  }

  std::vector<std::pair<Real, Real>> points_;
  std::vector<Real> slopes_;  // empty: linear
};

bool check_table(const TimeFunctionSpec& spec, std::vector<Fault>& faults) {
  for (std::size_t k = 0; k < spec.table.size(); ++k) {
    const auto& [time, value] = spec.table[k];
    if (!std::isfinite(time) || !std::isfinite(value)) {
      faults.push_back({spec.mark, fmt::format("point {} of the table is not finite", k + 1)});
      return false;
    }
    if (k > 0 && time <= spec.table[k - 1].first) {
      faults.push_back(
          {spec.mark, fmt::format("times of the table must rise: {} follows {}", time, spec.table[k - 1].first)});
      return false;
    }
  }
  return true;
}

}  // namespace

Real TimeFunction::operator()(Real time) const { return (*this)(time, Inputs{}); }

TimeFunctionPtr make_time_function(const TimeFunctionSpec& spec, const std::map<std::string, Real>& parameters,
                                   const InputNames& inputs, std::vector<Fault>& faults) {
  if (!spec.table.empty()) {
    if (!spec.expression.empty()) {
      faults.push_back({spec.mark, "a function of time is an expression or a table, found both"});
      return nullptr;
    }
    if (!check_table(spec, faults)) return nullptr;
    return std::make_shared<TableFunction>(spec.table, spec.smooth);
  }
  if (spec.expression.empty()) {
    faults.push_back({spec.mark, "a function of time needs an expression or a table with at least one point"});
    return nullptr;
  }
  // One that uses no input can be evaluated where there are none.
  std::vector<std::string> variables{"t"};
  if (expression_error(spec.expression, variables, parameters))
    variables.insert(variables.end(), inputs.name.begin(), inputs.name.end());
  auto expression = read_expression(spec.expression, variables, parameters, spec.mark, faults);
  if (!expression) return nullptr;
  const Real start = expression->at(0.0, constant_inputs(inputs.start));
  if (!std::isfinite(start)) {
    faults.push_back({spec.mark, fmt::format("'{}' is {} at t = 0, expected a finite number", spec.expression, start)});
    return nullptr;
  }
  return std::make_shared<ExpressionFunction>(std::move(*expression));
}

}  // namespace grus
