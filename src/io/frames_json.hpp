// The two JSON files beside the parts of frames/: scene.json and index.json. Internal to io/frames.cpp.
#pragma once

#include <string>
#include <vector>

#include "io/frames.hpp"

namespace grus {

inline constexpr int frames_version = 1;

struct FrameIndex {
  Index body_count = 0;
  std::vector<FrameEntry> entries;
};

// part-00000.bin: the only names that parts can have, so an index cannot name another file.
std::string part_name(Index part);

// Bytes of one frame, a multiple of 8.
std::int64_t frame_bytes(std::int64_t bodies, std::int64_t contacts);

std::string frame_scene_text(const FrameScene& scene);
std::string frame_index_text(const FrameIndex& index);

// Throw InputError naming `path` when the text is not what the two functions above write. Counts are those of lists in
// the text and sizes those of the frames they describe, so nothing that is read later asks for more memory than the
// files themselves have bytes.
FrameScene parse_frame_scene(const std::string& text, const std::string& path);
FrameIndex parse_frame_index(const std::string& text, const std::string& path);

}  // namespace grus
