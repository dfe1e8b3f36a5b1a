// One tree from several files and the command line.
//
// include: files named relative to the including file. Maps merge, lists of elements (bodies, pairs, ...) append, any
// other value of the including file replaces the included one. Two included files that give one setting different
// values are a fault unless the including file gives it too: the order of includes must not decide in silence.
// Overrides: "name=value", value in YAML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/scene/document.hpp"

namespace grus::scene {

// Reads `path` and everything it includes. Null after a fault that leaves no tree.
NodePtr compose_files(const std::string& path, FaultList& faults);

// The same for a text, whose include is a fault.
NodePtr compose_text(std::string_view text, const std::string& file_name, FaultList& faults);

// `over` laid on `base`.
NodePtr merge(const NodePtr& base, const NodePtr& over);

// Sets the weight of a node whose children have changed.
void weigh(Node& node);

// `root` with the value at a dotted path replaced, maps made where missing.
NodePtr with_value(const NodePtr& root, std::string_view path, const NodePtr& value);

// Applies "name=value" texts. `paths` are the settings an override may name beside the scene's parameters.
NodePtr apply_overrides(NodePtr root, const std::vector<std::string>& overrides, const std::vector<std::string>& paths,
                        FaultList& faults);

// Path of the setting that `name` means: a parameter of the scene first, then a setting; a fault at `where` and ""
// when it is neither.
std::string resolve_override(const Node& root, const std::string& name, const std::vector<std::string>& paths,
                             const SourceMark& where, FaultList& faults);

}  // namespace grus::scene
