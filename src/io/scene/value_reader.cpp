#include "io/scene/value_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/nearest_name.hpp"
#include "model/expression.hpp"

namespace grus::scene {

std::string plain_number(Real value) {
  std::string text = fmt::format("{:g}", value);
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string exponent = text.substr(e + 2);
  exponent.erase(0, exponent.find_first_not_of('0'));
  return text.substr(0, e + 1) + (text[e + 1] == '-' ? "-" : "") + exponent;
}

std::string Range::words() const {
  const bool bounded_above = max < largest;
  const std::string top = bounded_above ? "at most " + plain_number(max) : "";
  if (min <= -largest && !bounded_above) return "";
  if (min <= -largest) return top;
  if (!without_min && min > -largest && bounded_above) return plain_number(min) + " to " + plain_number(max);
  const std::string bottom = without_min ? "more than " + plain_number(min) : "at least " + plain_number(min);
  return bounded_above ? bottom + ", " + top : bottom;
}

std::string folder_name(std::string text) {
  constexpr const char* safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
  text.resize(std::min(text.size(), longest_folder_name));
  for (std::size_t at = text.find_first_not_of(safe); at != std::string::npos; at = text.find_first_not_of(safe, at))
    text[at] = '-';
  if (text.starts_with('.')) text[0] = '-';
  return text;
}

std::string type_name(TextRule rule) {
  switch (rule) {
    case TextRule::any:
      return "text";
    case TextRule::name:
    case TextRule::folder:
      return "name";
    case TextRule::expression:
      break;
  }
  return "expression";
}

std::string type_name(VectorRule rule) {
  switch (rule) {
    case VectorRule::point:
      return "[x, y, z], planar [x, y]";
    case VectorRule::direction:
      return "direction [x, y, z], planar [x, y]";
    case VectorRule::size:
      return "[x, y, z], planar [x, y]";
    case VectorRule::spatial:
      break;
  }
  return "[x, y, z]";
}

void ValueReader::mismatch(const std::string& key, const Node& node, const std::string& expected) {
  if (faults_.full()) {
    faults_.skip();
    return;
  }
  fault(node, fmt::format("{}: found {}, expected {}", key, describe(node), expected));
}

std::optional<Real> ValueReader::value_of(const std::string& key, const Node& node, const std::string& expected) {
  if (node.kind != Node::Kind::scalar || node.text.empty()) {
    mismatch(key, node, expected);
    return std::nullopt;
  }
  const std::string& text = node.text;
  Real value = 0.0;
  const char* begin = text.data() + (text[0] == '+' ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (stop == end && error == std::errc::result_out_of_range) {
    // too large for a double is a fault, too small is zero
    const bool tiny = text.find("e-") != std::string::npos || text.find("E-") != std::string::npos;
    value = tiny ? 0.0 : HUGE_VAL;
  }
  if (stop == end && (error == std::errc() || error == std::errc::result_out_of_range)) {
    if (std::isfinite(value)) return value;
    mismatch(key, node, expected + ", finite");
    return std::nullopt;
  }
  static const std::vector<std::string> not_finite = {".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                                      "-.inf", "-.Inf", "-.INF", "+.inf", "+.Inf", "+.INF"};
  if (std::find(not_finite.begin(), not_finite.end(), text) != not_finite.end()) {
    mismatch(key, node, expected + ", finite");
    return std::nullopt;
  }
  if (const auto known = formulas_.find(text); known != formulas_.end()) return known->second;
  const std::variant<Real, std::string> result = evaluate_constant(text, parameters_);
  if (const std::string* message = std::get_if<std::string>(&result)) {
    if (faults_.full()) {
      faults_.skip();
    } else {
      fault(node, fmt::format("{}: {}, expected {}", key, *message, expected));
    }
    return std::nullopt;
  }
  return formulas_[text] = std::get<Real>(result);
}

namespace {
std::string expected_number(const char* what, const Range& range) {
  std::string words = what;
  if (*range.unit) words += fmt::format(" in {}", range.unit);
  return words;
}

std::string out_of_range(const std::string& key, const Node& node, Real value, const Range& range) {
  std::string found = quoted(node.text);
  const std::string plain = plain_number(value);
  if (node.text.find_first_not_of("0123456789+-.eE") != std::string::npos) found += " = " + plain;
  std::string words;
  if (!range.holds(value)) {
    const std::string unit = *range.unit ? fmt::format(" {}", range.unit) : "";
    words = value > range.max   ? fmt::format("at most {}{}", plain_number(range.max), unit)
            : range.without_min ? fmt::format("more than {}{}", plain_number(range.min), unit)
                                : fmt::format("at least {}{}", plain_number(range.min), unit);
  }
  return fmt::format("{}: found {}, expected {}", key, found, words);
}
}  // namespace

std::optional<Real> ValueReader::number(const std::string& key, const Node& node, const Range& range) {
  const std::optional<Real> value = value_of(key, node, expected_number("a number", range));
  if (!value) return std::nullopt;
  if (!range.holds(*value)) {
    fault(node, out_of_range(key, node, *value, range));
    return std::nullopt;
  }
  return value;
}

std::optional<std::int64_t> ValueReader::integer(const std::string& key, const Node& node, const Range& range) {
  const std::optional<Real> value = value_of(key, node, expected_number("a whole number", range));
  if (!value) return std::nullopt;
  if (*value != std::floor(*value)) {
    mismatch(key, node, "a whole number");
    return std::nullopt;
  }
  if (!range.holds(*value)) {
    fault(node, out_of_range(key, node, *value, range));
    return std::nullopt;
  }
  return static_cast<std::int64_t>(*value);
}

std::optional<bool> ValueReader::boolean(const std::string& key, const Node& node) {
  if (node.kind == Node::Kind::scalar) {
    if (node.text == "true") return true;
    if (node.text == "false") return false;
    // a formula of parameters, such as the parameter `imposed` alone
    if (!parameters_.empty()) {
      const std::variant<Real, std::string> result = evaluate_constant(node.text, parameters_);
      const Real* value = std::get_if<Real>(&result);
      if (value && (*value == 0.0 || *value == 1.0)) return *value == 1.0;
    }
  }
  mismatch(key, node, "true or false");
  return std::nullopt;
}

std::optional<std::string> ValueReader::text(const std::string& key, const Node& node, TextRule rule) {
  if (node.kind != Node::Kind::scalar || node.text.empty()) {
    mismatch(key, node, rule == TextRule::expression ? "an expression" : "a name or text");
    return std::nullopt;
  }
  const std::string& text = node.text;
  constexpr std::size_t longest = 1000;
  if (text.size() > longest) {
    mismatch(key, node, fmt::format("at most {} characters", longest));
    return std::nullopt;
  }
  if (text.find('\n') != std::string::npos || text.find('\r') != std::string::npos) {
    mismatch(key, node, "one line");
    return std::nullopt;
  }
  if (rule == TextRule::name && text.find_first_of("\"',=\t") != std::string::npos) {
    mismatch(key, node, "a name without quotes, commas and '='");
    return std::nullopt;
  }
  if (rule == TextRule::folder && text != folder_name(text)) {
    mismatch(key, node,
             fmt::format("a name of at most {} letters, digits, '_', '-' and '.', not first, as it names a folder",
                         longest_folder_name));
    return std::nullopt;
  }
  return text;
}

std::optional<std::size_t> ValueReader::choice(const std::string& key, const Node& node,
                                               const std::vector<std::string>& words) {
  if (node.kind == Node::Kind::scalar) {
    const auto found = std::find(words.begin(), words.end(), node.text);
    if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  }
  if (faults_.full()) {
    faults_.skip();
    return std::nullopt;
  }
  const std::string nearest = node.kind == Node::Kind::scalar ? nearest_name(node.text, words) : "";
  const std::string hint = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  mismatch(key, node, fmt::format("{}{}{}", words.size() > 1 ? "one of " : "", fmt::join(words, ", "), hint));
  return std::nullopt;
}

std::optional<std::vector<Real>> ValueReader::numbers(const std::string& key, const Node& node, int count,
                                                      const Range& range) {
  if (node.kind != Node::Kind::list || (count >= 0 && node.items.size() != static_cast<std::size_t>(count))) {
    const std::string what = count < 0 ? "a list of numbers" : fmt::format("a list of {} numbers", count);
    if (node.kind == Node::Kind::list) {
      fault(node, fmt::format("{}: found {} values, expected {}", key, node.items.size(), what));
    } else {
      mismatch(key, node, what);
    }
    return std::nullopt;
  }
  std::vector<Real> values;
  bool good = true;
  for (const NodePtr& item : node.items) {
    const std::optional<Real> value = number(key, *item, range);
    good = good && value;
    if (value) values.push_back(*value);
  }
  if (!good) return std::nullopt;
  return values;
}

std::optional<Vec3> ValueReader::vector(const std::string& key, const Node& node, VectorRule rule, const Range& range) {
  const bool plane = planar && rule != VectorRule::spatial;
  std::optional<std::vector<Real>> values;
  if (plane && rule != VectorRule::size && node.kind == Node::Kind::list && node.items.size() == 3) {
    // x, y, 0 is a point of the plane too
    values = numbers(key, node, 3, range);
    if (values && (*values)[2] != 0.0) {
      mismatch(key, *node.items[2], "0 for z in a planar scene");
      return std::nullopt;
    }
  } else {
    values = numbers(key, node, plane ? 2 : 3, range);
  }
  if (!values) return std::nullopt;
  values->resize(3, 0.0);
  const Vec3 vector((*values)[0], (*values)[1], (*values)[2]);
  if (rule != VectorRule::direction) return vector;
  if (vector.norm() < 1e-9) {
    fault(node, fmt::format("{}: found a zero vector, expected a direction", key));
    return std::nullopt;
  }
  return Vec3(vector.normalized());
}

std::optional<std::vector<std::pair<Real, Real>>> ValueReader::points(const std::string& key, const Node& node,
                                                                      const Range& first, const Range& second) {
  if (node.kind != Node::Kind::list || node.items.empty()) {
    mismatch(key, node, "a list of pairs [[a, b], ...]");
    return std::nullopt;
  }
  std::vector<std::pair<Real, Real>> pairs;
  bool good = true;
  for (const NodePtr& item : node.items) {
    if (item->kind != Node::Kind::list || item->items.size() != 2) {
      mismatch(key, *item, "a pair of numbers [a, b]");
      good = false;
      continue;
    }
    const std::optional<Real> a = number(key, *item->items[0], first);
    const std::optional<Real> b = number(key, *item->items[1], second);
    good = good && a && b;
    if (a && b) pairs.emplace_back(*a, *b);
  }
  if (!good) return std::nullopt;
  return pairs;
}

const std::vector<NodePtr>& ValueReader::list(const std::string& key, const Node& node) {
  static const std::vector<NodePtr> none;
  if (node.kind == Node::Kind::list) return node.items;
  // "bodies:" with nothing below it is an empty list
  if (node.kind != Node::Kind::null) mismatch(key, node, "a list (each element begins with '- ')");
  return none;
}

void ValueReader::add_file_content(const TriangleMesh& mesh) {
  Hash hash;
  for (const Vec3& v : mesh.vertices) {
    for (int axis = 0; axis < 3; ++axis) hash.value(v[axis]);
  }
  for (const auto& triangle : mesh.triangles) {
    for (const Index v : triangle) hash.value(v);
  }
  for (const Index begin : mesh.object_begin) hash.value(begin);
  add_file_content(hash.digest());
}

}  // namespace grus::scene
