#include "io/file_descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/error.hpp"

namespace grus {

void fail_io(const char* action, const std::string& path) {
  const int code = errno;
  throw IoError(std::string("cannot ") + action + " " + path + ": " + std::generic_category().message(code));
}

FileDescriptor::FileDescriptor(const std::string& path, int flags, unsigned mode)
    : value_(::open(path.c_str(), flags | O_CLOEXEC, mode)) {
  if (value_ < 0) fail_io("open", path);
}

void FileDescriptor::reset() {
  if (value_ >= 0) ::close(value_);
  value_ = -1;
}

void write_all(const FileDescriptor& file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail_io("write", path);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void sync_to_disk(const FileDescriptor& file, const std::string& path) {
  // Pipes and some network file systems cannot sync; their EINVAL is no lost data of ours.
  if (::fsync(file.get()) != 0 && errno != EINVAL) fail_io("sync", path);
}

}  // namespace grus
