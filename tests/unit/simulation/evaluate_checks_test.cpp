#include "simulation/evaluate_checks.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace grus::testing {
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

TEST(EvaluateChecks, NotANumberInTheWindowFailsEveryReduction) {
  using Reduce = CheckSpec::Reduce;
  Series series = ramp();
  series.values[1][2] = std::numeric_limits<Real>::quiet_NaN();
  for (const Reduce reduce :
       {Reduce::min, Reduce::max, Reduce::mean, Reduce::range, Reduce::max_error, Reduce::rms_error}) {
    Spec spec;
    spec.checks = {of_x(reduce)};
    spec.checks[0].against = "0";
    spec.checks[0].below = 1e9;
    EXPECT_FALSE(evaluate_checks(spec, series, {}).at(0).pass) << static_cast<int>(reduce);
    spec.checks[0].to = 1;
    EXPECT_TRUE(evaluate_checks(spec, series, {}).at(0).pass) << static_cast<int>(reduce);
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
}  // namespace grus::testing
