#include "io/scene/compose.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/error.hpp"
#include "core/nearest_name.hpp"
#include "io/foreign_file.hpp"
#include "io/reader_limits.hpp"

namespace grus::scene {

namespace fs = std::filesystem;

namespace {

std::optional<std::string> read_text(const std::string& path, const SourceMark& where, FaultList& faults) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    faults.add(where, fmt::format("file {} does not exist", quoted(path)));
    return std::nullopt;
  }
  if (fs::is_directory(status)) {
    faults.add(where, fmt::format("{} is a directory, expected a scene file", quoted(path)));
    return std::nullopt;
  }
  try {
    return read_foreign_file(path, most_scene_bytes);
  } catch (const InputError& fault) {
    faults.add(where, fmt::format("{} {}", quoted(path), fault.faults().front().message));
  } catch (const IoError& fault) {
    faults.add(where, fmt::format("{} cannot be read ({})", quoted(path), fault.what()));
  }
  return std::nullopt;
}

// A list of maps holds elements; a list of anything else is a value (a vector, a pair of names).
bool is_element_list(const Node& node) {
  return node.kind == Node::Kind::list && std::all_of(node.items.begin(), node.items.end(), [](const NodePtr& item) {
           return item->kind == Node::Kind::map;
         });
}

bool same_value(const Node& a, const Node& b) {
  const auto same_item = [](const NodePtr& x, const NodePtr& y) { return same_value(*x, *y); };
  const auto same_entry = [](const Entry& x, const Entry& y) {
    return x.key == y.key && same_value(*x.value, *y.value);
  };
  return a.kind == b.kind && a.text == b.text && std::ranges::equal(a.items, b.items, same_item) &&
         std::ranges::equal(a.entries, b.entries, same_entry);
}

// Two files, neither of which includes the other, that give one setting different values.
struct Dispute {
  std::vector<std::string> path;  // keys from the root
  Mark first, second;
};

void find_disputes(const Node& first, const Node& second, std::vector<std::string>& path,
                   std::vector<Dispute>& disputes) {
  if (first.kind == Node::Kind::map && second.kind == Node::Kind::map) {
    for (const Entry& entry : second.entries) {
      const Entry* other = first.find(entry.key);
      if (!other) continue;
      path.push_back(entry.key);
      find_disputes(*other->value, *entry.value, path, disputes);
      path.pop_back();
    }
  } else if (!(is_element_list(first) && is_element_list(second)) && !same_value(first, second)) {
    disputes.push_back({path, first.mark, second.mark});
  }
}

// Whether `own` gives the disputed setting, or something in place of a map around it.
bool settles(const Node& own, const Dispute& dispute) {
  const Node* node = &own;
  for (const std::string& key : dispute.path) {
    if (node->kind != Node::Kind::map) return true;
    const Entry* entry = node->find(key);
    if (!entry) return false;
    node = entry->value.get();
  }
  return true;
}

class Composer {
 public:
  explicit Composer(FaultList& faults) : faults_(faults) {}

  NodePtr file(const std::string& path, const SourceMark& included_from) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(path, error);
    const std::string identity = error ? path : canonical.string();
    if (std::find(chain_.begin(), chain_.end(), identity) != chain_.end()) {
      faults_.add(included_from, fmt::format("{} includes itself: a cycle of {} files", quoted(path), chain_.size()));
      return nullptr;
    }
    if (chain_.size() >= deepest_include || ++files_ > most_scene_files) {
      faults_.add(included_from, fmt::format("more than {} files, or includes nested more than {} deep",
                                             most_scene_files, deepest_include));
      return nullptr;
    }
    const std::optional<std::string> text = read_text(path, included_from, faults_);
    if (!text) return nullptr;
    const NodePtr root = parse_document(*text, {path}, faults_);
    if (!root || !check_root(*root)) return nullptr;
    const Entry* include = root->find("include");
    if (!include) return root;

    chain_.push_back(identity);
    NodePtr base;
    bool whole = true;
    std::vector<Dispute> disputes;
    std::vector<std::string> keys;
    for (const NodePtr& name : include_names(*include)) {
      const fs::path target = fs::path(path).parent_path() / name->text;
      const NodePtr part = file(target.string(), name->mark.source());
      whole = whole && part;
      if (part && base) find_disputes(*base, *part, keys, disputes);
      if (part) base = base ? merge(base, part) : part;
    }
    chain_.pop_back();
    // keys of a missing file would all be reported as missing: noise after the one true fault
    if (!whole) return nullptr;
    const NodePtr own = without_include(*root);
    for (const Dispute& dispute : disputes) {
      if (settles(*own, dispute)) continue;
      const SourceMark other = dispute.first.source();
      faults_.add(dispute.second.source(),
                  fmt::format("{} has another value at {}:{}; included files must agree, or {} must set it",
                              fmt::join(dispute.path, "."), other.file, other.line, quoted(path)));
    }
    const NodePtr all = base ? merge(base, own) : own;
    if (all->weight > most_scene_nodes) {
      faults_.add(include->mark.source(), fmt::format("more than {} values in all files", most_scene_nodes));
      return nullptr;
    }
    return all;
  }

  bool check_root(const Node& root) {
    if (root.kind == Node::Kind::map) return true;
    if (root.kind == Node::Kind::null) {
      faults_.add(root.mark.source(), "the file is empty, expected a map of keys such as time, materials and bodies");
    } else {
      faults_.add(root.mark.source(),
                  fmt::format("found {}, expected a map of keys such as time, materials and bodies", describe(root)));
    }
    return false;
  }

 private:
  std::vector<NodePtr> include_names(const Entry& include) {
    std::vector<NodePtr> names;
    const Node& value = *include.value;
    if (value.kind == Node::Kind::scalar) names.push_back(include.value);
    if (value.kind == Node::Kind::list) names = value.items;
    const bool good = !names.empty() && std::all_of(names.begin(), names.end(), [](const NodePtr& name) {
      return name->kind == Node::Kind::scalar && !name->text.empty();
    });
    if (good) return names;
    faults_.add(value.mark.source(), fmt::format("include: found {}, expected a list of file names", describe(value)));
    return {};
  }

  static NodePtr without_include(const Node& root) {
    Node copy = root;
    std::erase_if(copy.entries, [](const Entry& entry) { return entry.key == "include"; });
    return std::make_shared<const Node>(std::move(copy));
  }

  FaultList& faults_;
  std::vector<std::string> chain_;  // canonical paths of the files being composed
  std::size_t files_ = 0;
};

}  // namespace

void weigh(Node& node) {
  node.weight = 1;
  for (const NodePtr& item : node.items) node.weight += item->weight;
  for (const Entry& entry : node.entries) node.weight += entry.value->weight;
}

NodePtr compose_files(const std::string& path, FaultList& faults) { return Composer(faults).file(path, {path, 1, 1}); }

NodePtr compose_text(std::string_view text, const std::string& file_name, FaultList& faults) {
  const NodePtr root = parse_document(text, {file_name}, faults);
  if (!root || !Composer(faults).check_root(*root)) return nullptr;
  if (const Entry* include = root->find("include")) {
    faults.add(include->mark.source(), "include: a scene given as text cannot include files");
    return nullptr;
  }
  return root;
}

NodePtr merge(const NodePtr& base, const NodePtr& over) {
  if (base->kind == Node::Kind::map && over->kind == Node::Kind::map) {
    Node merged = *base;
    for (const Entry& entry : over->entries) {
      const auto same = std::find_if(merged.entries.begin(), merged.entries.end(),
                                     [&](const Entry& mine) { return mine.key == entry.key; });
      if (same == merged.entries.end()) {
        merged.entries.push_back(entry);
      } else {
        *same = {entry.key, entry.mark, merge(same->value, entry.value)};
      }
    }
    merged.mark = over->mark;
    weigh(merged);
    return std::make_shared<const Node>(std::move(merged));
  }
  if (is_element_list(*base) && is_element_list(*over)) {
    Node joined = *over;
    joined.items.insert(joined.items.begin(), base->items.begin(), base->items.end());
    weigh(joined);
    return std::make_shared<const Node>(std::move(joined));
  }
  return over;
}

NodePtr with_value(const NodePtr& root, std::string_view path, const NodePtr& value) {
  if (path.empty()) return value;
  const std::size_t dot = path.find('.');
  const std::string key(path.substr(0, dot));
  const std::string_view rest = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  Node copy;
  copy.kind = Node::Kind::map;
  copy.mark = value->mark;
  // something that is no map stands in the way of the path: the override replaces it
  if (root && root->kind == Node::Kind::map) copy = *root;
  const auto found =
      std::find_if(copy.entries.begin(), copy.entries.end(), [&](const Entry& entry) { return entry.key == key; });
  if (found == copy.entries.end()) {
    copy.entries.push_back({key, value->mark, with_value(nullptr, rest, value)});
  } else {
    found->value = with_value(found->value, rest, value);
  }
  weigh(copy);
  return std::make_shared<const Node>(std::move(copy));
}

std::string resolve_override(const Node& root, const std::string& name, const std::vector<std::string>& paths,
                             const SourceMark& where, FaultList& faults) {
  std::vector<std::string> candidates;
  if (const Entry* parameters = root.find("parameters")) {
    for (const Entry& parameter : parameters->value->entries) {
      if (parameter.key == name) return "parameters." + name;
      candidates.push_back(parameter.key);
    }
  }
  if (std::find(paths.begin(), paths.end(), name) != paths.end()) return name;
  candidates.insert(candidates.end(), paths.begin(), paths.end());
  const std::string nearest = nearest_name(name, candidates);
  std::string message =
      fmt::format("{} is neither a parameter of the scene nor a setting such as time.step", quoted(name));
  if (!nearest.empty()) message += fmt::format("; did you mean '{}'?", nearest);
  faults.add(where, std::move(message));
  return "";
}

NodePtr apply_overrides(NodePtr root, const std::vector<std::string>& overrides, const std::vector<std::string>& paths,
                        FaultList& faults) {
  int number = 0;
  for (const std::string& text : overrides) {
    ++number;
    const SourceMark where{"--set", number, 1};
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      faults.add(where, fmt::format("found {}, expected NAME=value", quoted(text)));
      continue;
    }
    const Origin origin{"--set", number, static_cast<int>(equals) + 2};
    const NodePtr value = parse_document(std::string_view(text).substr(equals + 1), origin, faults);
    const std::string path = resolve_override(*root, text.substr(0, equals), paths, where, faults);
    if (value && !path.empty()) root = with_value(root, path, value);
  }
  return root;
}

}  // namespace grus::scene
