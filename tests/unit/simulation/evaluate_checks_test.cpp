#include "simulation/evaluate_checks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace grus::testing::evaluate_checks_test {
namespace {

Series ramp() {
  Series series;
  series.columns = {"t", "x"};
  series.values = {{0, 1, 2, 3}, {1, 3, 5, 10}};
  return series;
}

SummaryCheck evaluate(const CheckSpec& check) {
  Spec spec;
  spec.checks = {check};
  return evaluate_checks(spec, ramp(), {{"penetration_max", 1e-3}}).at(0);
}

CheckSpec of_x(CheckSpec::Reduce reduce) {
  CheckSpec check;
  check.name = "x";
  check.of = "x";
  check.reduce = reduce;
  check.above = -1e9;
  return check;
}

TEST(EvaluateChecks, ReducesAColumn) {
  using Reduce = CheckSpec::Reduce;
  EXPECT_EQ(evaluate(of_x(Reduce::last)).value, 10);
  EXPECT_EQ(evaluate(of_x(Reduce::first)).value, 1);
  EXPECT_EQ(evaluate(of_x(Reduce::min)).value, 1);
  EXPECT_EQ(evaluate(of_x(Reduce::max)).value, 10);
  EXPECT_EQ(evaluate(of_x(Reduce::range)).value, 9);
  EXPECT_EQ(evaluate(of_x(Reduce::mean)).value, 4.75);
  EXPECT_EQ(evaluate(of_x(Reduce::rise)).value, 9);
}

Real value_of(const Series& series, CheckSpec::Reduce reduce, const std::string& against = "", Real from = -1e300) {
  Spec spec;
  spec.checks = {of_x(reduce)};
  spec.checks[0].against = against;
  spec.checks[0].from = from;
  return evaluate_checks(spec, series, {}).at(0).value;
}

TEST(EvaluateChecks, RiseIsAboveAnEarlierValueOnly) {
  Series series;
  series.columns = {"t", "x"};
  series.values = {{0, 1, 2, 3, 4, 5}, {9, 4, 5, 3, 4.5, 1}};
  EXPECT_EQ(value_of(series, CheckSpec::Reduce::rise), 1.5);
  EXPECT_EQ(value_of(series, CheckSpec::Reduce::rise, "", 4), 0);
}

// A sine that comes down by `drop` per period in one step, as the sleeve of the woodpecker does.
Series staircase(Real period, Real drop, int rows_per_period) {
  Series series;
  series.columns = {"t", "swing", "x"};
  series.values.resize(3);
  for (int k = 0; k < 5 * rows_per_period + 7; ++k) {
    const Real turns = (k + 0.3) / rows_per_period;
    series.values[0].push_back(turns * period);
    series.values[1].push_back(2 + std::sin(2 * std::numbers::pi * turns));
    series.values[2].push_back(-drop * std::floor(turns + 0.5));
  }
  return series;
}

TEST(EvaluateChecks, PeriodOfASineIsThatBetweenUpwardCrossings) {
  const Real period = 0.13;
  Series series = staircase(period, 0.0, 100);
  series.values[2] = series.values[1];
  // Rows sit alike about every crossing: the error of linear interpolation is the same at each and drops out.
  EXPECT_NEAR(value_of(series, CheckSpec::Reduce::period), period, 1e-12);
  // Uneven rows: the crossings, one to five periods after the start, move as the rows next to them do.
  const auto moved = [](Real t) { return t + 1e-3 * std::sin(40 * t); };
  for (Real& t : series.values[0]) t = moved(t);
  EXPECT_NEAR(value_of(series, CheckSpec::Reduce::period), (moved(5 * period) - moved(period)) / 4, 1e-6);
  // Downward crossings do not count, one upward crossing is no period.
  EXPECT_TRUE(std::isnan(value_of(series, CheckSpec::Reduce::period, "", 4.5 * period)));
}

TEST(EvaluateChecks, ChangePerPeriodOfAStaircaseIsItsStep) {
  const Series series = staircase(0.13, 0.0145, 100);
  EXPECT_NEAR(value_of(series, CheckSpec::Reduce::change_per_period, "swing"), -0.0145, 1e-12);
  EXPECT_NEAR(value_of(series, CheckSpec::Reduce::change_per_period, "3*swing - 1"), -0.0145, 1e-12);
  EXPECT_TRUE(std::isnan(value_of(series, CheckSpec::Reduce::change_per_period, "t")));
}

TEST(EvaluateChecks, ComparesWithAnExpressionInAWindow) {
  CheckSpec check = of_x(CheckSpec::Reduce::max_error);
  check.against = "1 + 2*t";
  EXPECT_EQ(evaluate(check).value, 3);
  check.to = 2;
  EXPECT_EQ(evaluate(check).value, 0);
}

TEST(EvaluateChecks, BoundsDecide) {
  CheckSpec check = of_x(CheckSpec::Reduce::last);
  check.above = 9;
  check.below = 11;
  EXPECT_TRUE(evaluate(check).pass);
  check.below = 10;
  EXPECT_FALSE(evaluate(check).pass);
  check.above = check.below = std::nullopt;
  check.near = 10.4;
  check.tolerance = 0.5;
  EXPECT_TRUE(evaluate(check).pass);
}

TEST(EvaluateChecks, RowsThatAreUndefinedAreSkipped) {
  using Reduce = CheckSpec::Reduce;
  Series series = ramp();
  series.values[1][0] = series.values[1][3] = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_EQ(value_of(series, Reduce::first), 3);
  EXPECT_EQ(value_of(series, Reduce::last), 5);
  EXPECT_EQ(value_of(series, Reduce::min), 3);
  EXPECT_EQ(value_of(series, Reduce::max), 5);
  EXPECT_EQ(value_of(series, Reduce::mean), 4);
  EXPECT_EQ(value_of(series, Reduce::rise), 2);
  EXPECT_EQ(value_of(series, Reduce::max_error, "2*t"), 1);
  EXPECT_EQ(value_of(series, Reduce::max_error, "2*x"), 5);
}

TEST(EvaluateChecks, NothingButUndefinedRowsAndBrokenFormulasFail) {
  using Reduce = CheckSpec::Reduce;
  Series series = ramp();
  for (const Reduce reduce : {Reduce::max_error, Reduce::rms_error}) {
    Spec spec;
    spec.checks = {of_x(reduce)};
    spec.checks[0].against = "sqrt(1 - t)";
    spec.checks[0].below = 1e9;
    EXPECT_FALSE(evaluate_checks(spec, series, {}).at(0).pass) << static_cast<int>(reduce);
    spec.checks[0].to = 1;
    EXPECT_TRUE(evaluate_checks(spec, series, {}).at(0).pass) << static_cast<int>(reduce);
  }
  series.values[1].assign(4, std::numeric_limits<Real>::quiet_NaN());
  for (const Reduce reduce : {Reduce::first, Reduce::last, Reduce::min, Reduce::max, Reduce::mean, Reduce::rise}) {
    Spec spec;
    spec.checks = {of_x(reduce)};
    EXPECT_FALSE(evaluate_checks(spec, series, {}).at(0).pass) << static_cast<int>(reduce);
  }
}

TEST(EvaluateChecks, ReadsTotalsAndFailsOnNothing) {
  CheckSpec check = of_x(CheckSpec::Reduce::last);
  check.of = "penetration_max";
  EXPECT_EQ(evaluate(check).value, 1e-3);
  check.of = "x";
  check.from = 100;  // an empty window
  EXPECT_FALSE(evaluate(check).pass);
}

}  // namespace
}  // namespace grus::testing::evaluate_checks_test
