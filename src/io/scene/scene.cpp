#include "io/scene/scene.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "core/hash.hpp"
#include "io/reader_limits.hpp"
#include "io/scene/compose.hpp"
#include "io/scene/conditions.hpp"
#include "io/scene/tables.hpp"

namespace grus {

using namespace scene;

namespace {

void hash_text(Hash& hash, const std::string& text) {
  hash.value(static_cast<std::uint64_t>(text.size()));
  hash.bytes(text.data(), text.size());
}

// Content, not spelling: keys in order, 1.0 and 1 alike.
void hash_node(Hash& hash, const Node& node) {
  hash.value(static_cast<std::uint64_t>(node.kind));
  if (node.kind == Node::Kind::scalar) {
    double value = 0.0;
    const char* end = node.text.data() + node.text.size();
    const auto [stop, error] = std::from_chars(node.text.data(), end, value);
    if (stop == end && error == std::errc()) {
      hash.value(value == 0.0 ? 0.0 : value);
    } else {
      hash_text(hash, node.text);
    }
  }
  hash.value(static_cast<std::uint64_t>(node.items.size()));
  for (const NodePtr& item : node.items) hash_node(hash, *item);
  std::vector<const Entry*> entries;
  for (const Entry& entry : node.entries) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->key < b->key; });
  hash.value(static_cast<std::uint64_t>(entries.size()));
  for (const Entry* entry : entries) {
    hash_text(hash, entry->key);
    hash_node(hash, *entry->value);
  }
}

// What may change between a run and its resumption is left out: how long, what is written, what is asserted after.
std::uint64_t hash_scene(const Node& root, std::optional<std::uint64_t> files) {
  static const std::set<std::string> left_out = {"outputs", "analysis", "about", "checks", "figures", "runs"};
  Node content = root;
  std::erase_if(content.entries, [](const Entry& entry) { return left_out.contains(entry.key); });
  for (Entry& entry : content.entries) {
    if (entry.key != "time") continue;
    Node time = *entry.value;
    std::erase_if(time.entries, [](const Entry& setting) { return setting.key == "end"; });
    entry.value = std::make_shared<const Node>(std::move(time));
  }
  Hash hash;
  hash_node(hash, content);
  if (files) hash.value(*files);
  return hash.digest();
}

// `root` still holds its conditions; what applies is handed back in `read`, null after a fault in a condition.
Spec read_spec(const NodePtr& root, bool may_read_files, FaultList& faults, NodePtr& read) {
  ValueReader reader(faults);
  reader.may_read_files = may_read_files;
  Spec spec;
  read = without_what_does_not_apply(root, faults);
  if (!read) return spec;
  read_object(reader, scene_table(), *read, &spec);
  spec.marks = std::move(reader.marks);
  spec.hash = hash_scene(*read, reader.file_digest());
  return spec;
}

// A study is checked as a whole: each run is read with its settings, so that a bad value in the last run is found
// before the first one starts. `budget` bounds the work on absurdly large studies.
void check_runs(const NodePtr& root, const std::vector<std::string>& paths, bool may_read_files, FaultList& faults) {
  const Entry* runs = root->find("runs");
  if (!runs) return;
  std::set<std::string> names;
  std::size_t budget = 4 * most_scene_nodes;
  for (const NodePtr& run : runs->value->items) {
    const Node& name = *run->find("name")->value;
    if (!names.insert(name.text).second)
      faults.add(name.mark.source(), fmt::format("name: found a second run named {}", quoted(name.text)));
    const Entry* set = run->find("set");
    if (!set) continue;
    NodePtr changed = root;
    for (const Entry& setting : set->value->entries) {
      const std::string path = resolve_override(*root, setting.key, paths, setting.mark.source(), faults);
      if (!path.empty()) changed = with_value(changed, path, setting.value);
    }
    if (root->weight > budget) continue;
    budget -= root->weight;
    NodePtr read;
    read_spec(changed, may_read_files, faults, read);
  }
}

Spec read_scene(NodePtr root, const std::string& file, const std::vector<std::string>& overrides, bool may_read_files,
                FaultList& faults) {
  if (!root) faults.raise();
  const std::vector<std::string> paths = setting_paths(scene_table());
  root = apply_overrides(root, overrides, paths, faults);
  NodePtr read;
  Spec spec = read_spec(root, may_read_files, faults, read);
  if (faults.empty()) check_runs(root, paths, may_read_files, faults);
  faults.raise();
  spec.file = file;
  if (spec.name.empty()) spec.name = folder_name(std::filesystem::path(file).stem().string());
  spec.text = to_block(*read);
  return spec;
}

}  // namespace

Spec load_scene(const std::string& path, const std::vector<std::string>& overrides) {
  FaultList faults;
  const NodePtr root = compose_files(path, faults);
  return read_scene(root, path, overrides, true, faults);
}

Spec parse_scene(std::string_view text, const std::string& file_name, const std::vector<std::string>& overrides) {
  FaultList faults;
  const NodePtr root = compose_text(text, file_name, faults);
  return read_scene(root, file_name, overrides, false, faults);
}

std::optional<AnalysisSpec> parse_analysis(std::string_view text, const std::string& file_name) {
  static const std::set<std::string> needed = {"parameters", "planar", "time", "analysis"};
  FaultList faults;
  const NodePtr root = compose_text(text, file_name, faults);
  if (!root) faults.raise();
  Node content = *root;
  std::erase_if(content.entries, [](const Entry& entry) { return !needed.contains(entry.key); });
  NodePtr read;
  const Spec spec = read_spec(std::make_shared<const Node>(std::move(content)), false, faults, read);
  faults.raise();
  return spec.analysis;
}

std::vector<std::string> run_overrides(const RunSpec& run) {
  std::vector<std::string> overrides;
  for (const auto& [name, value] : run.set) overrides.push_back(name + "=" + value);
  return overrides;
}

}  // namespace grus
