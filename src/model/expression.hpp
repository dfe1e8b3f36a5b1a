// Expressions of named variables, written by people: "0.01*sin(2*pi*f*t)", "grain.z - 0.5*9.81*t^2".
//
// Read once, evaluated many times without allocation. Operators + - * / ^ ?: and comparisons; functions sin,
// cos, tan, asin, acos, atan, atan2, sinh, ..., exp, ln, log10, sqrt, cbrt, abs, sign, rint, min, max, sum, avg;
// constants pi and e. Names may hold letters, digits, '_', '.', '[' and ']' (columns are "crank.angle").
// An expression is a formula: assignment and lists are refused. Threads may evaluate one expression, one after the
// other.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "core/types.hpp"

namespace grus {

struct Inputs;

class Expression {
 public:
  // The values of `variables` are given by position at each evaluation, `constants` are fixed now; a constant
  // named as a variable yields to it. A name that no formula can spell ("a b") is not reachable and no error.
  // Result: the expression, or a message that says what is wrong and where.
  static std::variant<Expression, std::string> read(const std::string& text, const std::vector<std::string>& variables,
                                                    const std::map<std::string, Real>& constants = {});

  // values: one per variable, more are ignored. Division by zero and the like give inf or NaN.
  Real operator()(std::span<const Real> values) const;
  // Of an expression whose variables are t and then inputs: at a time, with the inputs of then.
  Real at(Real time, const Inputs& inputs) const;

  // Whether one of the values that the formula names is NaN; then its result is undefined by what it is made of.
  bool reads_nan(std::span<const Real> values) const;

 private:
  struct Engine;
  explicit Expression(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
  std::shared_ptr<Engine> engine_;
};

// An expression of the columns of series.csv, by position in the row; row[0] is t.
class RowExpression {
 public:
  explicit RowExpression(Expression expression) : expression_(std::move(expression)) {}
  Real evaluate(std::span<const Real> row) const { return expression_(row); }
  bool reads_nan(std::span<const Real> row) const { return expression_.reads_nan(row); }

 private:
  Expression expression_;
};

// Whether a variable of this name can be written in a formula.
bool is_formula_name(const std::string& name);

// Reads an expression; a fault at `where` and nothing returned when it is wrong.
std::optional<Expression> read_expression(const std::string& text, const std::vector<std::string>& variables,
                                          const std::map<std::string, Real>& constants, const SourceMark& where,
                                          std::vector<Fault>& faults);

// A number written as an expression of parameters: its value, or a message.
std::variant<Real, std::string> evaluate_constant(const std::string& text,
                                                  const std::map<std::string, Real>& parameters);

// What is wrong with an expression of these variables, if anything.
std::optional<std::string> expression_error(const std::string& text, const std::vector<std::string>& variables,
                                            const std::map<std::string, Real>& constants = {});

}  // namespace grus
