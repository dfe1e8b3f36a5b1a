#include "io/foreign_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_fault.hpp"

namespace grus {
namespace {

// O_NONBLOCK: opening a pipe does not wait for its other end. O_NOCTTY: a terminal does not become ours.
constexpr int careful = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

InputError no_regular_file(const std::string& path) { return file_fault(path, "is not a regular file, expected one"); }
InputError is_a_link(const std::string& path) {
  return file_fault(path, "is a link, expected a file or folder of its own: links of a run's folder are not followed");
}

SizedFile sized(FileDescriptor file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_io("read", path);
  if (!S_ISREG(status.st_mode)) throw no_regular_file(path);
  return {std::move(file), status.st_size};
}

void check_limit(std::int64_t size, std::size_t most_bytes, const std::string& path) {
  if (static_cast<std::uint64_t>(size) > most_bytes)
    throw file_fault(path, fmt::format("found {} bytes, at most {} are read", size, most_bytes));
}

std::size_t read_up_to(const SizedFile& file, std::int64_t offset, std::string& bytes, const std::string& path) {
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const auto from = static_cast<off_t>(offset) + static_cast<off_t>(filled);
    const ssize_t got = ::pread(file.file.get(), bytes.data() + filled, bytes.size() - filled, from);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_io("read", path);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

// A file that grows is taken as long as it was when it was opened.
std::string read_whole(const SizedFile& file, const std::string& path) {
  std::string bytes(static_cast<std::size_t>(file.size), '\0');
  bytes.resize(read_up_to(file, 0, bytes, path));
  return bytes;
}

}  // namespace

bool is_plain_name(std::string_view name) {
  const auto bad = [](unsigned char c) { return c < 0x20 || c == 0x7f || c == '/'; };
  return !name.empty() && name != "." && name != ".." && std::none_of(name.begin(), name.end(), bad);
}

std::string read_foreign_file(const std::string& path, std::size_t most_bytes) {
  // asked first: opening alone can do something to a device
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) fail_io("open", path);
  if (!S_ISREG(status.st_mode)) throw no_regular_file(path);
  const SizedFile file = sized(FileDescriptor(path, careful), path);
  check_limit(file.size, most_bytes, path);
  return read_whole(file, path);
}

ForeignFolder::ForeignFolder(std::string path)
    : path_(std::move(path)), descriptor_(path_, O_RDONLY | O_DIRECTORY | O_NONBLOCK) {}

std::optional<FileDescriptor> ForeignFolder::find_folder(const std::string& name) const {
  GRUS_ASSERT(is_plain_name(name));
  const int opened =
      ::openat(descriptor_.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (opened >= 0) return FileDescriptor::adopt(opened);
  if (errno == ENOENT) return std::nullopt;
  const int reason = errno;
  struct stat status {};
  if (::fstatat(descriptor_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode))
    throw is_a_link(path_of(name));
  if (reason == ENOTDIR) throw file_fault(path_of(name), "is no folder, expected one");
  errno = reason;
  fail_io("open", path_of(name));
}

ForeignFolder ForeignFolder::folder(const std::string& name) const {
  std::optional<FileDescriptor> inner = find_folder(name);
  if (!inner) {
    errno = ENOENT;
    fail_io("open", path_of(name));
  }
  return ForeignFolder(path_of(name), std::move(*inner));
}

std::optional<SizedFile> ForeignFolder::find(const std::string& name) const {
  if (const std::size_t slash = name.find('/'); slash != std::string::npos) {
    const std::string first = name.substr(0, slash);
    std::optional<FileDescriptor> inner = find_folder(first);
    if (!inner) return std::nullopt;
    return ForeignFolder(path_of(first), std::move(*inner)).find(name.substr(slash + 1));
  }
  GRUS_ASSERT(is_plain_name(name));
  struct stat status {};
  if (::fstatat(descriptor_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::nullopt;
    fail_io("open", path_of(name));
  }
  if (S_ISLNK(status.st_mode)) throw is_a_link(path_of(name));
  if (!S_ISREG(status.st_mode)) throw no_regular_file(path_of(name));
  const int opened = ::openat(descriptor_.get(), name.c_str(), careful | O_NOFOLLOW);
  if (opened < 0) {
    if (errno == ENOENT) return std::nullopt;
    if (errno == ELOOP) throw is_a_link(path_of(name));  // it became one just now
    fail_io("open", path_of(name));
  }
  return sized(FileDescriptor::adopt(opened), path_of(name));
}

SizedFile ForeignFolder::open(const std::string& name) const {
  std::optional<SizedFile> file = find(name);
  if (!file) {
    errno = ENOENT;
    fail_io("open", path_of(name));
  }
  return std::move(*file);
}

std::string ForeignFolder::read(const std::string& name, std::size_t most_bytes) const {
  const SizedFile file = open(name);
  check_limit(file.size, most_bytes, path_of(name));
  return read_whole(file, path_of(name));
}

std::string read_bytes_at(const SizedFile& file, std::int64_t offset, std::int64_t size, const std::string& path) {
  GRUS_ASSERT(offset >= 0 && size >= 0);
  if (offset > file.size || size > file.size - offset)
    throw file_fault(path,
                     fmt::format("holds {} bytes, the index names {} bytes from byte {} on", file.size, size, offset));
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (read_up_to(file, offset, bytes, path) != bytes.size())
    throw file_fault(path, fmt::format("became shorter than {} bytes while it was read", offset + size));
  return bytes;
}

}  // namespace grus
