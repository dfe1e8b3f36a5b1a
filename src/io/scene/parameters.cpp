// The parameters of a scene: names for the numbers in formulas.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "io/scene/tables.hpp"

namespace grus::scene {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_identifier(const std::string& name) {
  return !name.empty() && is_letter(name[0]) &&
         std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

// Names in a formula, in the order written; the exponent of 1e-3 is none.
std::vector<std::string> names_in(const std::string& formula) {
  std::vector<std::string> names;
  const auto in_word = [](char c) { return is_letter(c) || is_digit(c) || c == '.'; };
  for (auto begin = formula.begin(); begin != formula.end();) {
    begin = std::find_if(begin, formula.end(), in_word);
    const auto end = std::find_if_not(begin, formula.end(), in_word);
    if (begin != end && is_letter(*begin)) names.emplace_back(begin, end);
    begin = end;
  }
  return names;
}

struct Parameter {
  const Entry* entry;
  std::string cycle;  // a name in its formula that uses this one in turn; empty when there is none
};

// Puts each parameter after those it uses; otherwise they stay as written.
class ParameterOrder {
 public:
  explicit ParameterOrder(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) by_name_[entry.key] = &entry;
    for (const Entry& entry : entries) visit(entry);
  }
  const std::vector<Parameter>& order() const { return order_; }

 private:
  void visit(const Entry& entry) {
    if (!met_.insert(entry.key).second) return;
    Parameter parameter{&entry, ""};
    for (const std::string& name : names_in(entry.value->text)) {
      const auto used = by_name_.find(name);
      if (used == by_name_.end()) continue;
      visit(*used->second);
      if (!placed_.contains(name)) parameter.cycle = name;
    }
    placed_.insert(entry.key);
    order_.push_back(parameter);
  }

  std::map<std::string, const Entry*> by_name_;
  std::set<std::string> met_, placed_;
  std::vector<Parameter> order_;
};

}  // namespace

void read_parameters(ValueReader& reader, const Entry& entry, Spec& spec) {
  if (entry.value->kind == Node::Kind::null) return;
  if (entry.value->kind != Node::Kind::map) {
    reader.mismatch(entry.key, *entry.value, "a map of names and numbers");
    return;
  }
  constexpr std::size_t most = 1000;
  if (entry.value->entries.size() > most) {
    reader.fault(entry, fmt::format("parameters: found {}, expected at most {}", entry.value->entries.size(), most));
    return;
  }
  static const std::vector<std::string> reserved = {
      "t",     "sin",   "cos", "tan",  "asin",  "acos",  "atan", "atan2", "sinh",     "cosh", "tanh", "asinh",
      "acosh", "atanh", "log", "log2", "log10", "ln",    "exp",  "sqrt",  "cbrt",     "sign", "rint", "abs",
      "min",   "max",   "sum", "avg",  "true",  "false", "pi",   "inf",   "infinity", "nan"};
  const ParameterOrder sorted(entry.value->entries);
  for (const auto& [written, cycle] : sorted.order()) {
    const Entry& parameter = *written;
    const std::string& name = parameter.key;
    if (!is_identifier(name)) {
      reader.fault(parameter, fmt::format("parameter {}: expected a name of letters, digits and '_'", quoted(name)));
      continue;
    }
    if (std::find(reserved.begin(), reserved.end(), name) != reserved.end()) {
      reader.fault(parameter, fmt::format("parameter '{}': the name is taken (time t, constants and functions)", name));
      continue;
    }
    std::optional<Real> value;
    const Node& node = *parameter.value;
    if (!cycle.empty()) {
      reader.fault(node,
                   fmt::format("parameter '{}': its formula uses '{}', which uses '{}' in turn", name, cycle, name));
    } else if (node.kind == Node::Kind::scalar && (node.text == "true" || node.text == "false")) {
      value = node.text == "true" ? 1.0 : 0.0;
    } else {
      value = reader.number(name, node, {-1e15, 1e15});
    }
    if (!value) value = 1.0;  // known by name, so that its uses are not faults of their own
    reader.define_parameter(name, *value);
    spec.parameters[name] = *value;
  }
}

}  // namespace grus::scene
