#include "io/guarded_call.hpp"

#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

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

constexpr std::string_view result_word = "result ", fault_word = "fault ";

void set_limit(pid_t process, __rlimit_resource resource, rlim_t value) {
  struct rlimit limit {};
  if (::prlimit(process, resource, nullptr, &limit) != 0) return;
  if (limit.rlim_max == RLIM_INFINITY || value < limit.rlim_max) limit.rlim_cur = value;
  ::prlimit(process, resource, &limit, nullptr);
}

// How a child starts: with `socket` as its input and output, and with signals as a program expects them, whatever the
// host blocks or ignores.
class SpawnSettings {
 public:
  explicit SpawnSettings(int socket) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, STDOUT_FILENO);
    sigset_t none, usual;
    ::sigemptyset(&none);
    ::sigemptyset(&usual);
    for (const int number : {SIGINT, SIGTERM, SIGPIPE, SIGXCPU, SIGABRT, SIGSEGV, SIGBUS, SIGFPE})
      ::sigaddset(&usual, number);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &usual);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

pid_t spawn(const std::vector<std::string>& command, int socket) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const SpawnSettings settings(socket);
  pid_t child = -1;
  errno = ::posix_spawn(&child, arguments[0], settings.actions(), settings.attributes(), arguments.data(), environ);
  if (errno != 0) fail_io("start", command.front());
  return child;
}

// A part of the input, as much as fits now; all of it is dropped when the child takes nothing more, which its end
// explains. A signal for that would end the host.
void send_some(int socket, std::string_view& input) {
  const ssize_t sent = ::send(socket, input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) input.remove_prefix(static_cast<std::size_t>(sent));
  if (sent < 0 && errno != EINTR && errno != EAGAIN) input = {};
  if (input.empty()) ::shutdown(socket, SHUT_WR);
}

// False at the end of what the child sends.
bool receive_some(int socket, std::string& bytes) {
  constexpr std::size_t piece = 1 << 20;
  const std::size_t filled = bytes.size();
  bytes.resize(filled + piece);
  const ssize_t got = ::recv(socket, bytes.data() + filled, piece, MSG_DONTWAIT);
  bytes.resize(filled + (got > 0 ? static_cast<std::size_t>(got) : 0));
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

// Sends the input and takes the answer, also when it begins before the input is at its end; false when the answer is
// more than `most` bytes.
bool exchange(int socket, std::string_view input, std::size_t most, std::string& answer) {
  if (input.empty()) ::shutdown(socket, SHUT_WR);
  while (answer.size() <= most) {
    struct pollfd wait {};
    wait.fd = socket;
    wait.events = static_cast<short>(POLLIN | (input.empty() ? 0 : POLLOUT));
    if (::poll(&wait, 1, -1) < 0) {
      if (errno == EINTR) continue;
      fail_io("wait for", "a process");
    }
    if (!input.empty() && (wait.revents & POLLOUT) != 0) send_some(socket, input);
    if ((wait.revents & ~POLLOUT) != 0 && !receive_some(socket, answer)) return true;
  }
  return false;
}

// Ends the child when an exception passes, and waits for it in any case: it is nobody else's.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() {
    if (id_ < 0) return;
    end();
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t id() const { return id_; }
  void end() const { ::kill(id_, SIGKILL); }
  // A host that ignores the ends of its children leaves no status: 0.
  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return status;
  }

 private:
  pid_t id_;
};

// strsignal() may not be called by several threads.
const char* signal_in_words(int number) {
  const char* const words = ::sigdescr_np(number);
  return words != nullptr ? words : "unknown signal";
}

std::string end_in_words(int status) {
  if (WIFSIGNALED(status)) {
    if (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL) return "reading it takes too long or too much";
    return fmt::format("the library that reads it broke down ({})", signal_in_words(WTERMSIG(status)));
  }
  return "the library that reads it broke down";
}

// Whether the answer is whole; its head is then taken off.
bool take_head(std::string& answer, bool& is_result) {
  const std::string_view all(answer);
  is_result = all.starts_with(result_word);
  if (!is_result && !all.starts_with(fault_word)) return false;
  const std::size_t begin = (is_result ? result_word : fault_word).size(), end = all.find('\n');
  if (end == std::string_view::npos) return false;
  std::size_t announced = 0;
  const auto [stop, error] = std::from_chars(all.data() + begin, all.data() + end, announced);
  if (error != std::errc() || stop != all.data() + end || announced != all.size() - end - 1) return false;
  answer.erase(0, end + 1);
  return true;
}

}  // namespace

std::string guarded_answer_head(bool is_result, std::size_t bytes) {
  return fmt::format("{}{}\n", is_result ? result_word : fault_word, bytes);
}

GuardedResult call_guarded(const std::vector<std::string>& command, std::string_view input, const GuardLimits& limits) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail_io("make", "a pair of sockets");
  const FileDescriptor ours = FileDescriptor::adopt(ends[0]);
  FileDescriptor theirs = FileDescriptor::adopt(ends[1]);
  Child child(spawn(command, theirs.get()));
  theirs = FileDescriptor();
  set_limit(child.id(), RLIMIT_CORE, 0);
  set_limit(child.id(), RLIMIT_CPU, limits.cpu_seconds);
  if (limits_memory) set_limit(child.id(), RLIMIT_AS, limits.memory);
  std::string answer;
  const bool fits = exchange(ours.get(), input, limits.most_bytes, answer);
  if (!fits) child.end();
  const int status = child.wait();
  GuardedResult result;
  bool is_result = false;
  if (!fits || status != 0 || !take_head(answer, is_result)) {
    result.reason = end_in_words(status);
    return result;
  }
  result.finished = is_result;
  (is_result ? result.bytes : result.reason) = std::move(answer);
  return result;
}

}  // namespace grus
