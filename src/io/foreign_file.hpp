// Files that somebody else may have written. Only regular files are opened, never a pipe or a device, which could block
// or never end; sizes are compared with a limit before memory is asked for.
//
// A folder of a run is passed around whole, so names in it are the sender's: what lies in it is opened component by
// component from the folder's own descriptor, and a link anywhere on the way is refused. Nothing outside can be
// reached.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/file_descriptor.hpp"

namespace grus {

// One name of a folder: not empty, not "." or "..", no slash, no control character.
bool is_plain_name(std::string_view name);

// The bytes of a file that the user named, links followed. Throws IoError when it cannot be opened, InputError when it
// is no regular file or longer than `most_bytes`.
std::string read_foreign_file(const std::string& path, std::size_t most_bytes);

struct SizedFile {
  FileDescriptor file;
  std::int64_t size = 0;
};

class ForeignFolder {
 public:
  // The folder as the user named it, links followed. Throws IoError.
  explicit ForeignFolder(std::string path);

  // A folder in this one. Throws IoError when there is none, InputError when it is a link.
  ForeignFolder folder(const std::string& name) const;

  // A regular file; `name` is plain names with slashes between. find: nothing when it is absent. Throw IoError,
  // InputError when something else has the name.
  std::optional<SizedFile> find(const std::string& name) const;
  SizedFile open(const std::string& name) const;
  std::string read(const std::string& name, std::size_t most_bytes) const;
  bool has(const std::string& name) const { return find(name).has_value(); }

  const std::string& path() const { return path_; }
  std::string path_of(const std::string& name) const { return path_ + "/" + name; }

 private:
  ForeignFolder(std::string path, FileDescriptor descriptor)
      : path_(std::move(path)), descriptor_(std::move(descriptor)) {}
  // Nothing when it is absent.
  std::optional<FileDescriptor> find_folder(const std::string& name) const;

  std::string path_;  // for messages
  FileDescriptor descriptor_;
};

// Bytes [offset, offset + size) of an open file. Throws InputError naming `path` when it is shorter.
std::string read_bytes_at(const SizedFile& file, std::int64_t offset, std::int64_t size, const std::string& path);

}  // namespace grus
