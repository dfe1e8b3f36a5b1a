// Scene files: check them, and print their reference.
#pragma once

#include <string>
#include <vector>

namespace grus {

// Every fault of a scene as "file:line:column: message"; empty when it is clean. `overrides` are "name=value".
std::vector<std::string> check_scene(const std::string& path, const std::vector<std::string>& overrides = {});

// The scene reference in Markdown, generated from the schema that the reader checks with.
std::string scene_reference();

}  // namespace grus
