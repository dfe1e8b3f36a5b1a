#include "model/time_function.hpp"

#include <cmath>

#include <gmock/gmock.h>

#include "model/spec.hpp"

namespace grus::time_function_test {
namespace {

TimeFunctionPtr make(const TimeFunctionSpec& spec, const std::map<std::string, Real>& parameters = {}) {
  std::vector<Fault> faults;
  TimeFunctionPtr function = make_time_function(spec, parameters, {}, faults);
  for (const Fault& fault : faults) ADD_FAILURE() << fault.message;
  return function;
}

std::string fault_of(const TimeFunctionSpec& spec) {
  std::vector<Fault> faults;
  EXPECT_EQ(make_time_function(spec, {}, {}, faults), nullptr);
  EXPECT_EQ(faults.size(), 1u);
  if (faults.empty()) return "";
  EXPECT_EQ(faults[0].where.line, spec.mark.line);
  return faults[0].message;
}

TimeFunctionSpec expression(const std::string& text) { return {{"f", 7, 1}, text, {}, false}; }
TimeFunctionSpec table(std::vector<std::pair<Real, Real>> points, bool smooth) {
  return {{"f", 8, 1}, "", std::move(points), smooth};
}

TEST(TimeFunction, Expression) {
  const auto f = make(expression("a*sin(w*t) + 1"), {{"a", 2.0}, {"w", 3.0}});
  for (const Real t : {0.0, 0.1, 7.0}) EXPECT_EQ((*f)(t), 2.0 * std::sin(3.0 * t) + 1.0);
}

TEST(TimeFunction, TwoExpressionsDoNotShareTheirTime) {
  const auto f = make(expression("t")), g = make(expression("2*t"));
  EXPECT_EQ((*f)(1.0) + (*g)(10.0) + (*f)(2.0), 23.0);
}

TEST(TimeFunction, LinearTable) {
  const auto f = make(table({{1, 10}, {2, 20}, {4, 0}}, false));
  EXPECT_EQ((*f)(0.0), 10.0);
  EXPECT_EQ((*f)(1.0), 10.0);
  EXPECT_EQ((*f)(1.5), 15.0);
  EXPECT_EQ((*f)(2.0), 20.0);
  EXPECT_EQ((*f)(3.0), 10.0);
  EXPECT_EQ((*f)(9.0), 0.0);
}

TEST(TimeFunction, OnePointIsAConstant) {
  for (const bool smooth : {false, true}) {
    const auto f = make(table({{1, 5}}, smooth));
    EXPECT_EQ((*f)(0.0), 5.0);
    EXPECT_EQ((*f)(2.0), 5.0);
  }
}

TEST(TimeFunction, SmoothTableMeetsItsPointsAndNeverOvershoots) {
  const std::vector<std::pair<Real, Real>> points{{0, 0}, {1, 0.01}, {1.1, 5}, {2, 5}, {3, 4.9}, {3.5, -2}, {5, -2.1}};
  const auto f = make(table(points, true));
  for (const auto& [t, value] : points) EXPECT_NEAR((*f)(t), value, 1e-14);
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const auto& [t0, f0] = points[k];
    const auto& [t1, f1] = points[k + 1];
    Real last = f0;
    const Real direction = f1 >= f0 ? 1.0 : -1.0;
    for (int i = 1; i <= 200; ++i) {
      const Real value = (*f)(t0 + (t1 - t0) * i / 200.0);
      EXPECT_GE(direction * (value - last), -1e-13) << "piece " << k;  // monotone on every piece
      last = value;
    }
  }
}

TEST(TimeFunction, SmoothTableHasAContinuousSlope) {
  const auto f = make(table({{0, 0}, {1, 1}, {2, 4}, {3, 9}, {4, 16}}, true));
  constexpr Real d = 1e-6;
  for (const Real t : {1.0, 2.0, 3.0}) {
    const Real left = ((*f)(t) - (*f)(t - d)) / d, right = ((*f)(t + d) - (*f)(t)) / d;
    EXPECT_NEAR(left, right, 1e-4);
    EXPECT_NEAR(left, 2.0 * t, 1e-4);  // mean of the chords of t^2
  }
}

TEST(TimeFunction, SmoothTableOfALineIsTheLine) {
  const auto f = make(table({{0, 1}, {1, 3}, {4, 9}}, true));
  for (const Real t : {0.3, 1.7, 3.9}) EXPECT_NEAR((*f)(t), 1.0 + 2.0 * t, 1e-14);
}

TEST(TimeFunction, Faults) {
  using testing::HasSubstr;
  EXPECT_THAT(fault_of(expression("sin(t")), HasSubstr("is not a formula"));
  EXPECT_THAT(fault_of(expression("tt")), HasSubstr("unknown name 'tt'"));
  EXPECT_THAT(fault_of(expression("1/t")), HasSubstr("at t = 0"));
  EXPECT_THAT(fault_of({{"f", 8, 1}, "", {}, false}), HasSubstr("needs an expression or a table"));
  EXPECT_THAT(fault_of({{"f", 8, 1}, "t", {{0, 0}}, false}), HasSubstr("found both"));
  EXPECT_THAT(fault_of(table({{0, 0}, {0, 1}}, false)), HasSubstr("must rise"));
  EXPECT_THAT(fault_of(table({{0, 0}, {1, std::nan("")}}, true)), HasSubstr("point 2 of the table is not finite"));
}

}  // namespace
}  // namespace grus::time_function_test
