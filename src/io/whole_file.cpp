#include "io/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "io/file_descriptor.hpp"

namespace grus {
namespace {

// Removes the temporary file unless it took its final name.
struct Temporary {
  std::string path;
  bool kept = false;
  ~Temporary() {
    if (!kept) ::unlink(path.c_str());
  }
};

}  // namespace

void write_whole_file(const std::string& path, std::string_view bytes) {
  const std::filesystem::path target(path);
  const std::string directory = target.has_parent_path() ? target.parent_path().string() : ".";
  // The process id keeps two programs that write the same name apart; one of them wins, whole.
  Temporary temporary{path + ".tmp" + std::to_string(::getpid())};
  {
    // One that a killed process of this number left, or a link that leads elsewhere, makes room.
    ::unlink(temporary.path.c_str());
    const FileDescriptor file(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    write_all(file, bytes, path);
    sync_to_disk(file, path);
  }
  if (::rename(temporary.path.c_str(), path.c_str()) != 0) fail_io("replace", path);
  temporary.kept = true;
  // Without this the new name may be lost with the power, though not the bytes.
  sync_to_disk(FileDescriptor(directory, O_RDONLY | O_DIRECTORY), directory);
}

std::string read_whole_file(const std::string& path) {
  const FileDescriptor file(path, O_RDONLY);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_io("read", path);
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0) {
      if (errno == EINTR) continue;
      fail_io("read", path);
    }
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace grus
