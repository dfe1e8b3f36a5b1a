// A YAML file as a tree of nodes that remember where they were written.
//
// yaml-cpp is used through its events, not through YAML::Node: events keep duplicate keys, quotes and marks, and let
// us refuse nesting, aliases and size before they cost anything. Nodes are immutable and shared, so that an alias
// costs a pointer and an override copies only the maps above it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"
#include "io/scene/fault_list.hpp"

namespace grus::scene {

struct Mark {
  std::shared_ptr<const std::string> file;
  int line = 0;  // from 1
  int column = 0;
  SourceMark source() const { return {file ? *file : std::string(), line, column}; }
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Entry {
  std::string key;
  Mark mark;  // of the key
  NodePtr value;
};

struct Node {
  enum class Kind { null, scalar, list, map } kind = Kind::null;
  Mark mark;
  std::string text;            // scalar
  bool in_quotes = false;      // scalar
  std::vector<NodePtr> items;  // list
  std::vector<Entry> entries;  // map, keys unique
  std::size_t weight = 1;      // nodes below and including this one, aliases counted each time

  const Entry* find(std::string_view key) const;
};

// "a number"-like words for messages: "nothing", "'abc'", "a list", "a map".
std::string describe(const Node& node);

// Where the text begins, for the marks of a text inside another (--set).
struct Origin {
  std::string file;
  int line = 1;
  int column = 1;
};

// The root node of the only document in the text, a null node for an empty text; null pointer after a fault that
// leaves no tree.
NodePtr parse_document(std::string_view text, const Origin& origin, FaultList& faults);

// A node in YAML's flow style, on one line.
std::string to_flow(const Node& node);

// A node as people write it: one key or element per line, short values in flow style. Reads back to the same tree.
std::string to_block(const Node& node);

}  // namespace grus::scene
