#include "io/scene/schema.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/nearest_name.hpp"

namespace grus::scene {

std::string show_default(bool value) { return value ? "true" : "false"; }
std::string show_default(Real value) { return plain_number(value); }
std::string show_default(const Vec3& value) {
  return fmt::format("[{}, {}, {}]", plain_number(value.x()), plain_number(value.y()), plain_number(value.z()));
}
std::string show_default(const std::string& value) { return value; }

std::string name_list(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

namespace {

void refuse_unknown_keys(ValueReader& reader, const Object& object, const Node& node) {
  std::vector<std::string> known;
  for (const Entry& entry : node.entries) {
    const bool found = std::any_of(object.fields.begin(), object.fields.end(),
                                   [&](const Field& field) { return field.key == entry.key; });
    if (found) continue;
    if (reader.faults().full()) {
      reader.faults().skip();
      continue;
    }
    if (known.empty()) {
      for (const Field& field : object.fields) known.push_back(field.key);
    }
    std::string message = fmt::format("unknown key {} in {}", quoted(entry.key), object.name);
    const std::string nearest = nearest_name(entry.key, known);
    // a long list hides the hint; the reference has it all
    constexpr std::size_t most_listed = 12;
    if (known.size() <= most_listed || nearest.empty())
      message += fmt::format(", expected {}{}", known.size() > 1 ? "one of " : "", fmt::join(known, ", "));
    if (!nearest.empty()) message += fmt::format("; did you mean '{}'?", nearest);
    reader.fault(entry, std::move(message));
  }
}

void check_alternatives(ValueReader& reader, const Object& object, const Node& node) {
  for (const OneOf& group : object.one_of) {
    const Entry* first = nullptr;
    for (const std::string& key : group.keys) {
      const Entry* entry = node.find(key);
      if (!entry) continue;
      if (first)
        reader.fault(*entry, fmt::format("found both {} and {}, expected one of {}", first->key, key,
                                         fmt::join(group.keys, ", ")));
      if (!first) first = entry;
    }
    if (!first && group.required)
      reader.fault(node, fmt::format("{} needs one of {}", object.name, fmt::join(group.keys, ", ")));
  }
}

// Does the field apply to this object? `only_of` names values of `kind` or keys that must be there.
bool applies(const Field& field, const Node& node) {
  if (field.only_of.empty()) return true;
  const Entry* kind = node.find("kind");
  return std::any_of(field.only_of.begin(), field.only_of.end(),
                     [&](const std::string& word) { return node.find(word) || (kind && kind->value->text == word); });
}

}  // namespace

void read_object(ValueReader& reader, const Object& object, const Node& node, void* target) {
  if (node.kind != Node::Kind::map && node.kind != Node::Kind::null) {
    std::vector<std::string> keys;
    for (const Field& field : object.fields) keys.push_back(field.key);
    constexpr std::size_t most_listed = 6;
    if (keys.size() > most_listed) keys.resize(most_listed), keys.emplace_back("...");
    reader.mismatch(object.name, node, fmt::format("a map with the keys {}", fmt::join(keys, ", ")));
    return;
  }
  const std::size_t faults_before = reader.faults().count();
  refuse_unknown_keys(reader, object, node);
  check_alternatives(reader, object, node);
  const std::string outer_path = reader.path;
  for (const Field& field : object.fields) {
    const Entry* entry = node.find(field.key);
    if (!entry) {
      if (field.required && applies(field, node))
        reader.fault(node,
                     fmt::format("{} needs the key '{}' ({}): {}", object.name, field.key, field.type, field.about));
      continue;
    }
    if (!applies(field, node)) {
      reader.fault(*entry, fmt::format("'{}' is only for {}", field.key, fmt::join(field.only_of, ", ")));
      continue;
    }
    const std::string own_path = outer_path.empty() ? field.key : outer_path + "." + field.key;
    const bool was_in_list = reader.in_list;
    if (!reader.in_list) reader.marks[own_path] = entry->value->mark.source();
    if (field.nested && !field.is_value && field.type.starts_with("list")) reader.in_list = true;
    reader.path = own_path;
    field.read(reader, *entry, target);
    reader.in_list = was_in_list;
  }
  reader.path = outer_path;
  if (object.finish && reader.faults().count() == faults_before) object.finish(reader, node, target);
}

namespace {
void collect_paths(const Object& object, const std::string& prefix, std::vector<std::string>& paths) {
  for (const Field& field : object.fields) {
    if (field.is_value) paths.push_back(prefix + field.key);
    const bool section = field.nested && !field.is_value && !field.type.starts_with("list");
    if (section) collect_paths(*field.nested, prefix + field.key + ".", paths);
  }
}
}  // namespace

std::vector<std::string> setting_paths(const Object& root) {
  std::vector<std::string> paths;
  collect_paths(root, "", paths);
  return paths;
}

}  // namespace grus::scene
