// The two JSON files beside the parts of frames/: scene.json and index.json. Internal to io/frames.cpp.
#pragma once

#include <string>
#include <vector>

#include "io/frames.hpp"

namespace grus {

inline constexpr int frames_version = 1;

struct FrameIndex {
  Index body_count = 0;
  std::vector<std::string> parts;  // file names
  std::vector<FrameEntry> entries;
};

std::string frame_scene_text(const FrameScene& scene);
std::string frame_index_text(const FrameIndex& index);

// Throw InputError naming `path` when the text is not what the two functions above write.
FrameScene parse_frame_scene(const std::string& text, const std::string& path);
FrameIndex parse_frame_index(const std::string& text, const std::string& path);

}  // namespace grus
