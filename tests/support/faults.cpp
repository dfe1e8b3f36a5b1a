#include "support/faults.hpp"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

using grus::testing::FaultPlace;
using grus::testing::FaultPlan;

constexpr int most_descriptors = 4096;

struct Switchboard {
  bool active = false;
  const char* folder = "";
  FaultPlan plan;
  std::array<long, grus::testing::fault_places> calls{};
  bool happened = false;
  bool fail_next_write = false;
  std::array<bool, most_descriptors> watched{};
};
// Of the thread that asked for faults; workers of the thread library are left alone.
thread_local Switchboard board;

bool is_beneath(const char* path) {
  return board.active && std::strncmp(path, board.folder, std::strlen(board.folder)) == 0;
}

bool is_watched(int file) { return board.active && file >= 0 && file < most_descriptors && board.watched[file]; }

bool fails(FaultPlace place) {
  const long call = ++board.calls[static_cast<std::size_t>(place)];
  if (place != board.plan.place || board.plan.call == 0) return false;
  if (call != board.plan.call && !(board.plan.for_good && call > board.plan.call)) return false;
  board.happened = true;
  return true;
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (board.active && fails(FaultPlace::allocation)) return nullptr;
  // aligned_alloc wants a multiple of the alignment
  return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* memory = allocate(size == 0 ? 1 : size, alignment);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

extern "C" {

int open(const char* path, int flags, ...) {
  unsigned mode = 0;
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
    va_list more;
    va_start(more, flags);
    mode = va_arg(more, unsigned);
    va_end(more);
  }
  const bool beneath = is_beneath(path);
  if (beneath && fails(FaultPlace::open)) {
    errno = EMFILE;
    return -1;
  }
  const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
  if (board.active && file >= 0 && file < most_descriptors) board.watched[static_cast<std::size_t>(file)] = beneath;
  return file;
}

// Half of the bytes reach the file, as on a disk that is full.
ssize_t write(int file, const void* bytes, size_t size) {
  if (is_watched(file)) {
    const bool now = board.fail_next_write;
    board.fail_next_write = false;
    if (!now && fails(FaultPlace::write) && size > 1) {
      board.fail_next_write = true;
      return syscall(SYS_write, file, bytes, size / 2);
    }
    if (now) {
      errno = ENOSPC;
      return -1;
    }
  }
  return syscall(SYS_write, file, bytes, size);
}

int fsync(int file) {
  if (is_watched(file)) {
    if (!fails(FaultPlace::fsync)) return 0;
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fsync, file));
}

int rename(const char* from, const char* to) noexcept {
  if (is_beneath(to) && fails(FaultPlace::rename)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

}  // extern "C"

void* operator new(std::size_t size) { return allocate_or_throw(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size == 0 ? 1 : size, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace grus::testing {

Faults::Faults(std::string folder, FaultPlan plan) : folder_(std::move(folder)) {
  board = Switchboard{};
  board.folder = folder_.c_str();
  board.plan = plan;
  board.active = true;
}

Faults::~Faults() { board.active = false; }

long Faults::calls(FaultPlace place) const { return board.calls[static_cast<std::size_t>(place)]; }

bool Faults::happened() const { return board.happened; }

}  // namespace grus::testing
