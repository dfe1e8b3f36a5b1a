#include "io/scene/conditions.hpp"

#include "io/scene/compose.hpp"
#include "io/scene/tables.hpp"

namespace grus::scene {

namespace {

constexpr const char* condition_key = "when";

bool has_condition(const Node& node) {
  for (const NodePtr& item : node.items) {
    if (has_condition(*item)) return true;
  }
  for (const Entry& entry : node.entries) {
    if (entry.key == condition_key || has_condition(*entry.value)) return true;
  }
  return false;
}

bool holds_names(const Entry& entry) { return entry.key == "parameters" || entry.key == "runs"; }

// Parts that hold no condition are shared with the tree they come from.
class Chooser {
 public:
  explicit Chooser(ValueReader& reader) : reader_(reader) {}

  NodePtr root(const NodePtr& node) {
    Node kept = *node;
    kept.entries.clear();
    for (const Entry& entry : node->entries) {
      const NodePtr value = holds_names(entry) ? entry.value : chosen(entry.value);
      if (value) kept.entries.push_back({entry.key, entry.mark, value});
    }
    return finished(std::move(kept));
  }

 private:
  // Null: it does not apply.
  NodePtr chosen(const NodePtr& node) {
    if (!has_condition(*node)) return node;
    Node kept = *node;
    kept.items.clear();
    kept.entries.clear();
    for (const NodePtr& item : node->items) {
      if (const NodePtr value = chosen(item)) kept.items.push_back(value);
    }
    for (const Entry& entry : node->entries) {
      if (entry.key == condition_key) {
        if (!applies(entry)) return nullptr;
      } else if (const NodePtr value = chosen(entry.value)) {
        kept.entries.push_back({entry.key, entry.mark, value});
      }
    }
    return finished(std::move(kept));
  }

  // A faulty condition applies: what it guards is then read, and its own faults are found as well.
  bool applies(const Entry& entry) {
    const Node& node = *entry.value;
    if (node.kind == Node::Kind::scalar && (node.text == "true" || node.text == "false")) return node.text == "true";
    return reader_.number(entry.key, node, {-1e15, 1e15}).value_or(1.0) != 0.0;
  }

  static NodePtr finished(Node node) {
    weigh(node);
    return std::make_shared<const Node>(std::move(node));
  }

  ValueReader& reader_;
};

}  // namespace

NodePtr without_what_does_not_apply(const NodePtr& root, FaultList& faults) {
  if (!has_condition(*root)) return root;
  const std::size_t before = faults.count();
  ValueReader reader(faults);
  if (const Entry* parameters = root->find("parameters")) {
    Spec spec;
    read_parameters(reader, *parameters, spec);
  }
  const NodePtr chosen = faults.count() == before ? Chooser(reader).root(root) : nullptr;
  return faults.count() == before ? chosen : nullptr;
}

}  // namespace grus::scene
