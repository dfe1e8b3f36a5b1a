#include "fuzz/mutator.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include <nlohmann/json.hpp>

namespace grus::testing {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_words = 20'000;
constexpr std::size_t most_changes = 4;

// Numbers and words at which readers of text go wrong.
constexpr std::array<std::string_view, 34> odd_words = {"0",
                                                        "-1",
                                                        "1",
                                                        "2147483647",
                                                        "2147483648",
                                                        "4294967296",
                                                        "-2147483649",
                                                        "1e9",
                                                        "100000000",
                                                        "1e308",
                                                        "9223372036854775807",
                                                        "18446744073709551616",
                                                        "1e-320",
                                                        "-0",
                                                        "nan",
                                                        "inf",
                                                        "-inf",
                                                        "0x10",
                                                        "1e999",
                                                        "3.5",
                                                        "",
                                                        "null",
                                                        "true",
                                                        "~",
                                                        "[]",
                                                        "{}",
                                                        "\"\"",
                                                        "..",
                                                        "/",
                                                        "\xff\xfe",
                                                        "\xe2\x80\xae",
                                                        "%00",
                                                        "&amp;",
                                                        "*a"};

constexpr std::array<std::int64_t, 14> odd_integers = {0,
                                                       1,
                                                       -1,
                                                       2,
                                                       3,
                                                       255,
                                                       65536,
                                                       std::numeric_limits<std::int32_t>::max(),
                                                       std::numeric_limits<std::int32_t>::min(),
                                                       std::int64_t{1} << 32,
                                                       -2,
                                                       std::numeric_limits<std::int64_t>::max(),
                                                       std::numeric_limits<std::int64_t>::min(),
                                                       1'000'000};

constexpr std::array<double, 12> odd_reals = {0.0,
                                              -0.0,
                                              1.0,
                                              -1.0,
                                              1e-320,
                                              1e300,
                                              -1e300,
                                              1e9,
                                              0.1,
                                              std::numeric_limits<double>::infinity(),
                                              -std::numeric_limits<double>::infinity(),
                                              std::numeric_limits<double>::quiet_NaN()};

template <class List>
const auto& any_of(const List& list, Random& random) {
  return list[random.below(list.size())];
}

template <class T>
void put_at(std::string& bytes, std::size_t at, T value) {
  if (at + sizeof value <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof value);
}

// A range of `text` that begins anywhere; most are short.
std::pair<std::size_t, std::size_t> any_range(const std::string& text, Random& random) {
  const std::size_t begin = random.below(text.size() + 1);
  const std::size_t most = std::min(text.size() - begin, std::size_t{1} << random.below(12));
  return {begin, random.below(most + 1)};
}

std::string change_bytes(std::string bytes, const std::string& other, Random& random) {
  const auto [begin, size] = any_range(bytes, random);
  switch (random.below(9)) {
    case 0:
      if (begin < bytes.size()) bytes[begin] = static_cast<char>(bytes[begin] ^ (1 << random.below(8)));
      return bytes;
    case 1:
      if (begin < bytes.size()) bytes[begin] = static_cast<char>(random.below(256));
      return bytes;
    case 2:
      return bytes.erase(begin, size);
    case 3:  // cut
      return bytes.substr(0, begin);
    case 4: {  // again somewhere else
      const std::string piece = bytes.substr(begin, size);
      return bytes.insert(random.below(bytes.size() + 1), piece);
    }
    case 5: {  // the end of another input
      return bytes.substr(0, begin) + other.substr(random.below(other.size() + 1));
    }
    case 6: {
      std::string piece(random.below(9), '\0');
      for (char& c : piece) c = static_cast<char>(random.below(256));
      return bytes.insert(begin, piece);
    }
    case 7: {  // a number as it lies in binary files
      const std::int64_t value = any_of(odd_integers, random);
      random.below(2) == 0 ? put_at(bytes, begin, value) : put_at(bytes, begin, static_cast<std::int32_t>(value));
      return bytes;
    }
    default: {
      const auto [from, length] = any_range(other, random);
      return bytes.replace(begin, size, other, from, length);
    }
  }
}

bool is_word(char c) {
  const auto u = static_cast<unsigned char>(c);
  return std::isalnum(u) != 0 || c == '_' || c == '.' || c == '-' || c == '+' || u >= 0x80;
}

// Where words begin and end; each sign of punctuation is one.
std::vector<std::pair<std::size_t, std::size_t>> words_of(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> words;
  for (std::size_t i = 0; i < text.size() && words.size() < most_words;) {
    std::size_t end = i + 1;
    while (is_word(text[i]) && end < text.size() && is_word(text[end])) ++end;
    if (std::isspace(static_cast<unsigned char>(text[i])) == 0) words.emplace_back(i, end - i);
    i = end;
  }
  return words;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = std::min(text.find('\n', i), text.size() - 1) + 1;
    lines.push_back(text.substr(i, end - i));
    i = end;
  }
  return lines;
}

// Lines [first, second): one line and those below it that stand further to the right, as a block of YAML does.
std::pair<std::size_t, std::size_t> any_block(const std::vector<std::string>& lines, Random& random) {
  const auto indent = [](const std::string& line) { return line.find_first_not_of(" -"); };
  const std::size_t begin = random.below(lines.size());
  std::size_t end = begin + 1;
  while (end < lines.size() && indent(lines[end]) > indent(lines[begin])) ++end;
  return {begin, end};
}

std::string change_lines(const std::string& text, const std::string& other, Random& random) {
  std::vector<std::string> lines = lines_of(text), more = lines_of(other);
  if (lines.empty() || more.empty()) return text;
  const auto at = [](std::size_t i) { return static_cast<std::ptrdiff_t>(i); };
  const auto [begin, end] = any_block(lines, random);
  switch (random.below(4)) {
    case 0:
      lines.erase(lines.begin() + at(begin), lines.begin() + at(end));
      break;
    case 1: {
      const std::vector<std::string> block(lines.begin() + at(begin), lines.begin() + at(end));
      lines.insert(lines.begin() + at(random.below(lines.size() + 1)), block.begin(), block.end());
      break;
    }
    case 2: {
      const auto [from, to] = any_block(more, random);
      lines.insert(lines.begin() + at(begin), more.begin() + at(from), more.begin() + at(to));
      break;
    }
    default:
      std::swap(lines[begin], lines[random.below(lines.size())]);
      break;
  }
  std::string changed;
  for (const std::string& line : lines) changed += line;
  return changed;
}

// Where tags begin, and where they end with all that is in them.
std::vector<std::pair<std::size_t, std::size_t>> elements_of(const std::string& text) {
  std::vector<std::pair<std::size_t, std::size_t>> elements;
  std::vector<std::size_t> open;
  for (std::size_t i = text.find('<'); i != std::string::npos; i = text.find('<', i + 1)) {
    const std::size_t end = text.find('>', i);
    if (end == std::string::npos || i + 1 >= text.size()) break;
    if (text[i + 1] == '/') {
      if (open.empty()) continue;
      elements.emplace_back(open.back(), end + 1 - open.back());
      open.pop_back();
    } else if (text[end - 1] == '/' || text[i + 1] == '!' || text[i + 1] == '?') {
      elements.emplace_back(i, end + 1 - i);
    } else {
      open.push_back(i);
    }
  }
  return elements;
}

std::string change_elements(std::string text, const std::string& other, Random& random) {
  const auto mine = elements_of(text), others = elements_of(other);
  if (mine.empty() || others.empty()) return text;
  const auto [begin, size] = any_of(mine, random);
  const auto [from, length] = any_of(others, random);
  const std::string element = text.substr(begin, size);
  switch (random.below(4)) {
    case 0:
      return text.erase(begin, size);
    case 1:
      return text.insert(any_of(mine, random).first, element);
    case 2:
      return text.insert(begin, other, from, length);
    default:
      return text.replace(begin, size, other, from, length);
  }
}

void collect_values(Json& json, std::vector<Json*>& values) {
  values.push_back(&json);
  if (!json.is_structured() || values.size() > most_words) return;
  for (Json& item : json) collect_values(item, values);
}

Json odd_value(Random& random) {
  switch (random.below(4)) {
    case 0:
      return any_of(odd_integers, random);
    case 1:
      return any_of(odd_reals, random);
    case 2:
      return std::string(any_of(odd_words, random));
    default:
      return Json::parse(std::array<const char*, 4>{"null", "true", "[]", "{}"}[random.below(4)]);
  }
}

std::optional<std::string> change_json(const std::string& text, const std::string& other, Random& random) {
  Json json = Json::parse(text, nullptr, false), donor = Json::parse(other, nullptr, false);
  if (json.is_discarded() || donor.is_discarded()) return std::nullopt;
  std::vector<Json*> values, gifts;
  collect_values(json, values);
  collect_values(donor, gifts);
  Json& value = *any_of(values, random);
  switch (random.below(5)) {
    case 0:
      value = odd_value(random);
      break;
    case 1:
      value = Json(*any_of(gifts, random));
      break;
    case 2:
      if (value.is_structured() && !value.empty())
        value.erase(std::next(value.begin(), static_cast<std::ptrdiff_t>(random.below(value.size()))));
      break;
    case 3:
      if (value.is_array() && !value.empty())
        value.push_back(Json(value[random.below(value.size())]));
      else
        value = Json::array({Json(value)});
      break;
    default:
      if (value.is_number())
        value = value.get<double>() + std::array<double, 4>{1.0, -1.0, 0.5, 1e6}[random.below(4)];
      else
        value = odd_value(random);
      break;
  }
  // what is no text any more becomes text again: the bytes are changed elsewhere
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

struct PackedArray {
  char kind = 0;
  std::uint64_t columns = 1;
  std::string name, bytes;
};

// Bytes of one element by its kind: 'w' and letters of texts are the short ones.
std::size_t element_size(char kind) { return kind == 'w' ? 4 : kind == 'b' || kind == 's' || kind == 'g' ? 1 : 8; }

std::uint64_t number_at(std::string_view bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::optional<std::vector<PackedArray>> unpack(std::string_view bytes, bool with_columns) {
  std::vector<PackedArray> arrays;
  const std::size_t head = with_columns ? 25 : 17;
  while (!bytes.empty()) {
    if (bytes.size() < head) return std::nullopt;
    PackedArray array;
    array.kind = bytes[0];
    if (with_columns) array.columns = number_at(bytes, 1);
    const std::uint64_t name = number_at(bytes, head - 16);
    std::uint64_t size = number_at(bytes, head - 8);
    if (name > bytes.size() || size > bytes.size()) return std::nullopt;
    if (!with_columns) size *= element_size(array.kind);
    if (head + name + size > bytes.size()) return std::nullopt;
    array.name = bytes.substr(head, name);
    array.bytes = bytes.substr(head + name, size);
    arrays.push_back(array);
    bytes.remove_prefix(head + name + size);
  }
  return arrays;
}

std::string pack(const std::vector<PackedArray>& arrays, bool with_columns) {
  std::string bytes;
  const auto put = [&](std::uint64_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const PackedArray& array : arrays) {
    bytes += array.kind;
    if (with_columns) put(array.columns);
    put(array.name.size());
    put(with_columns ? array.bytes.size() : array.bytes.size() / element_size(array.kind));
    bytes += array.name + array.bytes;
  }
  return bytes;
}

void change_array_values(PackedArray& array, Random& random) {
  const std::size_t size = element_size(array.kind), count = array.bytes.size() / size;
  if (count == 0) return;
  const std::size_t at = size * random.below(count);
  if (size == 1)
    array.bytes[at] = static_cast<char>(random.below(256));
  else if (size == 4)
    put_at(array.bytes, at, static_cast<std::uint32_t>(any_of(odd_integers, random)));
  else if (array.kind == 'd' || array.kind == 'r')
    put_at(array.bytes, at, any_of(odd_reals, random));
  else if (random.below(2) == 0)
    put_at(array.bytes, at, any_of(odd_integers, random));
  else
    put_at(array.bytes, at, number_at(array.bytes, at) + random.below(5) - 2);
}

std::optional<std::string> change_arrays(const std::string& bytes, bool with_columns, Random& random) {
  auto arrays = unpack(bytes, with_columns);
  if (!arrays || arrays->empty()) return std::nullopt;
  const std::size_t which = random.below(arrays->size());
  PackedArray& array = (*arrays)[which];
  const std::size_t row = element_size(array.kind) * std::clamp<std::size_t>(array.columns, 1, 8);
  switch (random.below(9)) {
    case 0:  // shorter
      array.bytes.resize(array.bytes.size() - std::min(array.bytes.size(), row * (1 + random.below(3))));
      break;
    case 1:  // longer, by values it has
      array.bytes += array.bytes.substr(0, std::min(array.bytes.size(), row * (1 + random.below(3))));
      break;
    case 2:
      arrays->erase(arrays->begin() + static_cast<std::ptrdiff_t>(which));
      break;
    case 3:  // the values of another
      array.bytes = any_of(*arrays, random).bytes;
      break;
    case 4:
      array.kind = any_of(std::string_view("diuwbrsg"), random);
      break;
    case 5:
      array.columns = static_cast<std::uint64_t>(any_of(odd_integers, random));
      break;
    default:
      change_array_values(array, random);
      break;
  }
  return pack(*arrays, with_columns);
}

std::string change_numbers(std::string bytes, Random& random) {
  const std::size_t at = random.below(bytes.size() / 4 + 1) * 4;
  switch (random.below(4)) {
    case 0:
      put_at(bytes, at, any_of(odd_integers, random));
      break;
    case 1:
      put_at(bytes, at, static_cast<std::int32_t>(any_of(odd_integers, random)));
      break;
    case 2:
      put_at(bytes, at, static_cast<float>(any_of(odd_reals, random)));
      break;
    default:
      put_at(bytes, at, any_of(odd_reals, random));
      break;
  }
  return bytes;
}

}  // namespace

Mutator::Mutator(Grammar grammar, std::vector<std::string> seeds) : grammar_(grammar), seeds_(std::move(seeds)) {
  if (seeds_.empty()) seeds_.emplace_back();
  std::set<std::string> words;
  if (grammar != Grammar::arrays && grammar != Grammar::fclib_arrays && grammar != Grammar::numbers) {
    for (const std::string& seed : seeds_) {
      for (const auto& [begin, size] : words_of(seed)) words.insert(seed.substr(begin, size));
    }
  }
  words_.assign(words.begin(), words.end());
}

std::string Mutator::next(Random& random) const {
  const bool preferred = random.below(4) != 0 && !preferred_.empty();
  return mutate(preferred ? seeds_[any_of(preferred_, random)] : any_seed(random), random);
}

std::string Mutator::mutate(std::string input, Random& random) const {
  const std::size_t changes = 1 + random.below(most_changes);
  const bool by_parts = random.below(2) == 0;
  for (std::size_t i = 0; i < changes; ++i) {
    input = by_parts ? change_part(input, random) : change_bytes(std::move(input), any_seed(random), random);
    if (input.size() > longest_input) input.resize(longest_input);
  }
  return input;
}

std::string Mutator::change_part(const std::string& input, Random& random) const {
  const std::string& other = any_seed(random);
  std::optional<std::string> changed;
  if (grammar_ == Grammar::arrays || grammar_ == Grammar::fclib_arrays)
    changed = change_arrays(input, grammar_ == Grammar::arrays, random);
  else if (grammar_ == Grammar::json && random.below(4) != 0)
    changed = change_json(input, other, random);
  else if (grammar_ == Grammar::xml && random.below(2) == 0)
    changed = change_elements(input, other, random);
  else if (grammar_ == Grammar::words && random.below(3) == 0)
    changed = change_lines(input, other, random);
  else if (grammar_ != Grammar::numbers)
    changed = change_words(input, random);
  return changed ? *changed : change_numbers(input, random);
}

std::string Mutator::change_words(const std::string& input, Random& random) const {
  const auto words = words_of(input);
  if (words.empty() || words_.empty()) return input;
  const auto [begin, size] = any_of(words, random);
  const auto [from, length] = any_of(words, random);
  std::string text = input;
  switch (random.below(5)) {
    case 0:
      return text.replace(begin, size, any_of(odd_words, random));
    case 1:
      return text.replace(begin, size, any_of(words_, random));
    case 2:
      return text.replace(begin, size, input, from, length);
    case 3:
      return text.erase(begin, size);
    default:
      return text.insert(begin, any_of(words_, random) + " ");
  }
}

}  // namespace grus::testing
