// The name a person most likely meant: for "unknown material 'granit', did you mean 'granite'?".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace grus {

// Number of insertions, deletions, replacements and swaps of neighbours that turn a into b, ignoring case.
int edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `name`, the first of equals; empty when none is near enough to be a slip
// (more than a third of the longer name would have to change).
std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates);

// " (did you mean 'x'?)" for the nearest candidate, or " (known: a, b, c)" when none is near, or "" when
// there are none: the end of a message about an unknown name.
std::string name_hint(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace grus
