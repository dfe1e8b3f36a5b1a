#include "io/reader_program.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <new>
#include <system_error>

#include "core/error.hpp"
#include "io/hdf5_arrays.hpp"
#include "io/problem/fclib_arrays.hpp"
#include "io/reader_limits.hpp"

namespace grus {
namespace {

constexpr const char* own_word = "own";
constexpr const char* fclib_word = "fclib";

// A hundred times what a good file takes. Memory: the image, the library's copy of it, an array, the answer and room
// for each to grow; and the program with its libraries, whose address space is a quarter of this.
GuardLimits limits_of_image(std::size_t bytes) {
  constexpr std::size_t program_itself = 512 * mebibyte;
  GuardLimits limits;
  limits.cpu_seconds = 5 + static_cast<unsigned>(bytes / mebibyte);
  limits.memory = 7 * bytes + 4 * most_unpacked_base + program_itself;
  return limits;
}

std::string reader_path() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error) {
    const std::string beside = (self.parent_path() / "grus-reader").string();
    if (::access(beside.c_str(), X_OK) == 0) return beside;
  }
  return GRUS_READER;
}

bool read_all_input(std::string& bytes) {
  constexpr std::size_t piece = 1 << 20;
  while (true) {
    const std::size_t filled = bytes.size();
    bytes.resize(filled + piece);
    const ssize_t got = ::read(STDIN_FILENO, bytes.data() + filled, piece);
    bytes.resize(filled + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return false;
  }
}

bool write_output(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) return false;
    if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

GuardedResult read_apart(ReaderTask task, const std::string& image) {
  const char* const word = task == ReaderTask::own_arrays ? own_word : fclib_word;
  return call_guarded({reader_path(), word, std::to_string(image.size())}, image, limits_of_image(image.size()));
}

int reader_main(int argc, char** argv) {
  const std::string_view task = argc == 3 ? argv[1] : "";
  if (task != own_word && task != fclib_word) {
    std::fputs("grus-reader reads HDF5 files for grus and programs that use its library; it has no other use.\n",
               stderr);
    return 2;
  }
  bool is_result = true;
  std::string answer;
  try {
    std::string image;
    image.reserve(std::strtoull(argv[2], nullptr, 10) + mebibyte + 1);
    if (!read_all_input(image)) return 1;
    answer = task == own_word ? pack_hdf5_arrays(image) : pack_fclib_arrays(image);
  } catch (const std::bad_alloc&) {
    is_result = false;
    answer = "it asks for more memory than is allowed";
  } catch (const std::exception& error) {
    is_result = false;
    answer = error.what();
  }
  const bool sent = write_output(guarded_answer_head(is_result, answer.size())) && write_output(answer);
  // Exit handlers of a library that was given hostile bytes are better not run.
  std::_Exit(sent ? 0 : 1);
}

}  // namespace grus
