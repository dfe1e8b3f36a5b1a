#include "model/expression.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>

#include <fmt/format.h>
#include <muParser.h>

#include "core/nearest_name.hpp"
#include "model/inputs.hpp"

namespace grus {

struct Expression::Engine {
  mu::Parser parser;
  std::vector<Real> values;       // the addresses that the parser reads; never resized after construction
  std::vector<std::size_t> used;  // positions of the variables that the formula names
  // Copies of a simulation share the expressions of its model. Taking and leaving it when nobody waits is 16 ns of the
  // 35 to 140 ns of an evaluation: a microsecond in a step with sixty of them.
  std::mutex in_use;
};

namespace {

constexpr const char* name_characters = "0123456789_.[]abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
// Longer formulas are not written by people; the bound keeps hostile input cheap.
constexpr std::size_t longest_expression = 4000;

}  // namespace

bool is_formula_name(const std::string& text) {
  return !text.empty() && !(text[0] >= '0' && text[0] <= '9') && text[0] != '.' && text[0] != '[' && text[0] != ']' &&
         text.find_first_not_of(name_characters) == std::string::npos;
}

namespace {

// muparser's single '=' writes into a variable: in a formula it is a slip for '=='.
bool assigns(const std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    if (i + 1 < text.size() && text[i + 1] == '=') {
      ++i;
      continue;
    }
    if (i == 0 || std::string_view("<>!").find(text[i - 1]) == std::string_view::npos) return true;
  }
  return false;
}

std::vector<std::string> known_names(const std::vector<std::string>& variables,
                                     const std::map<std::string, Real>& constants) {
  std::vector<std::string> names = variables;
  for (const auto& [name, value] : constants) names.push_back(name);
  names.emplace_back("pi");
  names.emplace_back("e");
  return names;
}

// The name that was not understood: muparser stops at its first character and hands back the rest of the text.
std::string first_name(const std::string& text) {
  return text.substr(0, std::min(text.size(), text.find_first_not_of(name_characters)));
}

std::string describe(const std::string& text, const mu::ParserError& error, const std::vector<std::string>& names) {
  if (error.GetCode() == mu::ecUNASSIGNABLE_TOKEN) {
    const std::string name = first_name(error.GetToken());
    if (is_formula_name(name)) return fmt::format("unknown name '{}' in '{}'{}", name, text, name_hint(name, names));
  }
  return fmt::format("'{}' is not a formula: {}", text, error.GetMsg());
}

}  // namespace

std::variant<Expression, std::string> Expression::read(const std::string& text,
                                                       const std::vector<std::string>& variables,
                                                       const std::map<std::string, Real>& constants) {
  if (text.size() > longest_expression)
    return fmt::format("expression of {} characters, at most {} are read", text.size(), longest_expression);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return std::string("empty expression");
  const auto odd = std::find_if(text.begin(), text.end(),
                                [](char c) { return (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c > '~'; });
  if (odd != text.end()) return fmt::format("character {} of the expression is not plain text", odd - text.begin() + 1);
  if (text.find('"') != std::string::npos) return fmt::format("'{}' holds a quoted text, expected a formula", text);
  if (assigns(text)) return fmt::format("'{}' assigns with '=', expected a formula ('==' compares)", text);

  auto engine = std::make_shared<Engine>();
  engine->values.assign(variables.size(), 1.0);
  try {
    mu::Parser& parser = engine->parser;
    parser.DefineNameChars(name_characters);
    std::map<std::string, Real> fixed = constants;
    fixed.emplace("pi", std::numbers::pi);
    fixed.emplace("e", std::numbers::e);
    for (const std::string& name : variables) fixed.erase(name);
    for (const auto& [name, value] : fixed) {
      if (is_formula_name(name)) parser.DefineConst(name, value);
    }
    for (std::size_t i = 0; i < variables.size(); ++i) {
      if (is_formula_name(variables[i])) parser.DefineVar(variables[i], &engine->values[i]);
    }
    parser.SetExpr(text);
    int results = 0;
    parser.Eval(results);
    if (results != 1) return fmt::format("'{}' is a list of {} values, expected one", text, results);
    parser.Eval();  // the second evaluation takes the compiled path and has its stack
    // of a copy, since a parser that is asked forgets its compiled form
    mu::Parser asked = parser;
    const auto& used = asked.GetUsedVar();
    for (std::size_t i = 0; i < variables.size(); ++i)
      if (used.contains(variables[i])) engine->used.push_back(i);
  } catch (const mu::ParserError& error) {
    return describe(text, error, known_names(variables, constants));
  }
  return Expression(std::move(engine));
}

Real Expression::operator()(std::span<const Real> values) const {
  GRUS_ASSERT(values.size() >= engine_->values.size());
  const std::lock_guard lock(engine_->in_use);
  std::copy_n(values.begin(), engine_->values.size(), engine_->values.begin());
  return engine_->parser.Eval();
}

Real Expression::at(Real time, const Inputs& inputs) const {
  GRUS_ASSERT(1 + inputs.size() >= engine_->values.size());
  const std::lock_guard lock(engine_->in_use);
  engine_->values[0] = time;
  for (std::size_t i = 1; i < engine_->values.size(); ++i) engine_->values[i] = inputs.at(i - 1, time);
  return engine_->parser.Eval();
}

bool Expression::reads_nan(std::span<const Real> values) const {
  return std::any_of(engine_->used.begin(), engine_->used.end(), [&](std::size_t i) { return std::isnan(values[i]); });
}

std::optional<Expression> read_expression(const std::string& text, const std::vector<std::string>& variables,
                                          const std::map<std::string, Real>& constants, const SourceMark& where,
                                          std::vector<Fault>& faults) {
  auto result = Expression::read(text, variables, constants);
  if (auto* expression = std::get_if<Expression>(&result)) return std::move(*expression);
  faults.push_back({where, std::get<std::string>(result)});
  return std::nullopt;
}

std::variant<Real, std::string> evaluate_constant(const std::string& text,
                                                  const std::map<std::string, Real>& parameters) {
  auto result = Expression::read(text, {}, parameters);
  if (auto* message = std::get_if<std::string>(&result)) return *message;
  const Real value = std::get<Expression>(result)({});
  if (!std::isfinite(value)) return fmt::format("'{}' is {}, expected a finite number", text, value);
  return value;
}

std::optional<std::string> expression_error(const std::string& text, const std::vector<std::string>& variables,
                                            const std::map<std::string, Real>& constants) {
  auto result = Expression::read(text, variables, constants);
  if (auto* message = std::get_if<std::string>(&result)) return *message;
  return std::nullopt;
}

}  // namespace grus
