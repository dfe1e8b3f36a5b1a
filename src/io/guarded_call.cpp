#include "io/guarded_call.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_descriptor.hpp"

namespace grus {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool limits_memory = false;
#else
constexpr bool limits_memory = true;
#endif

// The first byte of what the child sends.
constexpr char result_mark = 'R', fault_mark = 'F';

void set_limit(int resource, rlim_t value) {
  struct rlimit limit {};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  if (limit.rlim_max == RLIM_INFINITY || value < limit.rlim_max) limit.rlim_cur = value;
  ::setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

// Bytes that are mapped now; half of all that can be when the system does not say.
std::size_t address_space() {
  std::FILE* const file = std::fopen("/proc/self/statm", "re");
  unsigned long pages = 0;
  const bool read = file != nullptr && std::fscanf(file, "%lu", &pages) == 1;
  if (file != nullptr) std::fclose(file);
  return read ? pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : std::size_t{1} << 46;
}

// Never returns: the destructors, exit handlers and buffers of the parent are not the child's to run.
[[noreturn]] void be_child(int out, const std::function<std::string()>& work, const GuardLimits& limits) {
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, limits.cpu_seconds);
  if (limits_memory) set_limit(RLIMIT_AS, address_space() + limits.more_memory);
  // The program's own handlers would wait for an end that the parent decides on.
  for (const int number : {SIGINT, SIGTERM, SIGXCPU}) ::signal(number, SIG_DFL);
  std::string answer;
  try {
    answer = result_mark + work();
  } catch (const std::bad_alloc&) {
    answer = std::string(1, fault_mark) + "it asks for more memory than is allowed";
  } catch (const std::exception& error) {
    answer = std::string(1, fault_mark) + error.what();
  }
  std::size_t sent = 0;
  while (sent < answer.size()) {
    const ssize_t written = ::write(out, answer.data() + sent, answer.size() - sent);
    if (written < 0 && errno != EINTR) ::_exit(1);
    if (written > 0) sent += static_cast<std::size_t>(written);
  }
  ::_exit(0);
}

// Everything the child sends; false when it is more than `most` bytes.
bool receive(int in, std::size_t most, std::string& bytes) {
  constexpr std::size_t piece = 1 << 20;
  while (true) {
    const std::size_t filled = bytes.size();
    bytes.resize(filled + piece);
    const ssize_t got = ::read(in, bytes.data() + filled, piece);
    bytes.resize(filled + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return true;
    if (got < 0 && errno != EINTR) return true;  // an unfinished answer: the child's end says why
    if (bytes.size() > most) return false;
  }
}

std::string end_in_words(int status) {
  if (WIFSIGNALED(status)) {
    if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL) return "reading it takes too long or too much";
    return fmt::format("the library that reads it broke down ({})", ::strsignal(WTERMSIG(status)));
  }
  return "the library that reads it broke down";
}

}  // namespace

GuardedResult call_guarded(const std::function<std::string()>& work, const GuardLimits& limits) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail_io("make", "a pipe");
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    fail_io("start", "a process");
  }
  if (child == 0) {
    ::close(ends[0]);
    be_child(ends[1], work, limits);
  }
  ::close(ends[1]);
  GuardedResult result;
  const bool fits = receive(ends[0], limits.most_bytes, result.bytes);
  ::close(ends[0]);
  if (!fits) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !result.bytes.empty()) {
    result.finished = result.bytes[0] == result_mark;
    result.bytes.erase(0, 1);
    if (!result.finished) result.reason = std::move(result.bytes);
    return result;
  }
  result.reason = end_in_words(status);
  return result;
}

}  // namespace grus
