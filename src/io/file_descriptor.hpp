// A POSIX file descriptor that closes itself, and the loop that writes all bytes or throws. Streams hide errno and
// cannot fsync, hence the plain calls.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace grus {

class FileDescriptor {
 public:
  FileDescriptor() = default;
  // Throws IoError when open(2) fails.
  FileDescriptor(const std::string& path, int flags, unsigned mode = 0666);
  // Takes over a descriptor that another call opened; -1 for none.
  static FileDescriptor adopt(int value) {
    FileDescriptor file;
    file.value_ = value;
    return file;
  }
  ~FileDescriptor() { reset(); }
  FileDescriptor(FileDescriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    if (this != &other) {
      reset();
      value_ = std::exchange(other.value_, -1);
    }
    return *this;
  }

  int get() const { return value_; }

 private:
  void reset();
  int value_ = -1;
};

// Both throw IoError naming `path`.
void write_all(const FileDescriptor& file, std::string_view bytes, const std::string& path);
void sync_to_disk(const FileDescriptor& file, const std::string& path);

// Throws IoError "cannot <action> <path>: <reason of errno>".
[[noreturn]] void fail_io(const char* action, const std::string& path);

}  // namespace grus
