// Files that are written whole: a reader sees the old file or the new one, never a part of it, whenever the
// program or the machine stops. The bytes go to a temporary file in the same directory, reach the disk (fsync),
// and take the name by rename(2), which replaces in one step; then the directory itself is synced.
#pragma once

#include <string>
#include <string_view>

namespace grus {

// Throws IoError with the path and the system's reason; the old file, if any, is then untouched and no temporary
// file is left behind.
void write_whole_file(const std::string& path, std::string_view bytes);

// Throws IoError when the file cannot be read.
std::string read_whole_file(const std::string& path);

}  // namespace grus
