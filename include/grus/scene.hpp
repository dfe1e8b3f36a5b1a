// Scene files: check them, and print their reference.
#pragma once

#include <string>
#include <vector>

namespace grus {

// As "file:line:column: message", each once.
struct SceneCheck {
  std::vector<std::string> faults;    // empty: the scene runs
  std::vector<std::string> warnings;  // it runs, but perhaps not as it was meant
};

// Of a scene, of each run of a study, and of the scenes their beds are made by. `overrides` are "name=value".
SceneCheck check_scene(const std::string& path, const std::vector<std::string>& overrides = {});

// The scene reference in Markdown, generated from the schema that the reader checks with.
std::string scene_reference();

}  // namespace grus
