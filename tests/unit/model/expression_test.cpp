#include "model/expression.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <gmock/gmock.h>

namespace grus::expression_test {
namespace {

using testing::HasSubstr;

Real value(const std::string& text, const std::map<std::string, Real>& parameters = {}) {
  const auto result = evaluate_constant(text, parameters);
  if (const auto* message = std::get_if<std::string>(&result)) ADD_FAILURE() << *message;
  return std::holds_alternative<Real>(result) ? std::get<Real>(result) : std::nan("");
}

std::string message(const std::string& text, const std::map<std::string, Real>& parameters = {}) {
  const auto result = evaluate_constant(text, parameters);
  return std::holds_alternative<std::string>(result) ? std::get<std::string>(result) : "no error";
}

TEST(Expression, KnowsConstantsFunctionsAndParameters) {
  EXPECT_EQ(value("1e-3"), 1e-3);
  EXPECT_EQ(value("2*pi"), 2 * std::numbers::pi);
  EXPECT_EQ(value("ln(e)"), 1.0);
  EXPECT_EQ(value("2^3 + min(4, 5)"), 12.0);
  EXPECT_EQ(value("frequency > 30 ? 1 : 2", {{"frequency", 35.0}}), 1.0);
  EXPECT_EQ(value("a == 2", {{"a", 2.0}}), 1.0);
  EXPECT_EQ(value("a <= 2", {{"a", 2.0}}), 1.0);
  EXPECT_EQ(value(".5"), 0.5);
}

TEST(Expression, SaysWhatIsWrong) {
  EXPECT_THAT(message("frequenzy*2", {{"frequency", 1.0}}),
              testing::AllOf(HasSubstr("unknown name 'frequenzy'"), HasSubstr("did you mean 'frequency'?")));
  EXPECT_THAT(message("(1+2"), HasSubstr("is not a formula"));
  EXPECT_THAT(message(""), HasSubstr("empty"));
  EXPECT_THAT(message("   "), HasSubstr("empty"));
  EXPECT_THAT(message("1, 2"), HasSubstr("list of 2 values"));
  EXPECT_THAT(message("a = 3", {{"a", 1.0}}), HasSubstr("'==' compares"));
  EXPECT_THAT(message("1/0"), HasSubstr("finite"));
  EXPECT_THAT(message("sqrt(-1)"), HasSubstr("finite"));
  EXPECT_THAT(message("\"text\""), HasSubstr("quoted"));
  EXPECT_THAT(message("1 + \xc3\xa9"), HasSubstr("plain text"));
  EXPECT_THAT(message(std::string(5000, '1')), HasSubstr("characters"));
  for (const char* text :
       {"+", "sin", "sin(", "1 1", "?", "1 ? 2", ":", "max()", ")", "a.b", "t[0", "&&", "!", "1e", "0x"})
    EXPECT_NE(message(text), "no error") << text;
}

TEST(Expression, ReadsVariablesByPosition) {
  const auto result = Expression::read("crank.angle - grains[0].z + 0*pi", {"t", "crank.angle", "grains[0].z"}, {});
  ASSERT_TRUE(std::holds_alternative<Expression>(result)) << std::get<std::string>(result);
  const std::array<Real, 3> row{1.0, 5.0, 3.0};
  EXPECT_EQ(std::get<Expression>(result)(row), 2.0);
}

TEST(Expression, VariableHidesConstantOfItsName) {
  for (const char* name : {"e", "pi", "k"}) {
    const auto result = Expression::read(std::string(name) + " + k2", {name}, {{"k", 7.0}, {"k2", 1.0}});
    ASSERT_TRUE(std::holds_alternative<Expression>(result)) << std::get<std::string>(result);
    const std::array<Real, 1> values{40.0};
    EXPECT_EQ(std::get<Expression>(result)(values), 41.0) << name;
  }
}

TEST(Expression, UnspeakableNamesAreNotReachable) {
  EXPECT_EQ(expression_error("t", {"t", "a b", "1x", ""}), std::nullopt);
  EXPECT_TRUE(expression_error("tt", {"t"}).has_value());
}

TEST(Expression, RowExpressionSeesTimeFirst) {
  auto result = Expression::read("0.5*g*t^2", {"t", "other"}, {{"g", 10.0}});
  const RowExpression expression(std::get<Expression>(std::move(result)));
  const std::array<Real, 3> row{2.0, 0.0, 0.0};
  EXPECT_EQ(expression.evaluate(row), 20.0);
}

}  // namespace
}  // namespace grus::expression_test
