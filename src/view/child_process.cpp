#include "view/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_descriptor.hpp"

namespace grus {
namespace {

constexpr std::chrono::milliseconds grace{2000};  // between asking a program to end and ending it

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

}  // namespace

std::string find_program(const std::vector<std::string>& names) {
  const char* path = std::getenv("PATH");
  for (const std::string& name : names) {
    std::istringstream folders(path == nullptr ? "" : path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      const std::string candidate = folder + "/" + name;
      if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    }
  }
  return "";
}

ChildProcess::ChildProcess(const std::vector<std::string>& command, const std::string& log, int input) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const FileDescriptor output(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC);
  const FileDescriptor nothing("/dev/null", O_RDONLY | O_CLOEXEC);
  id_ = ::fork();
  if (id_ < 0) throw IoError(fmt::format("cannot start {}: {}", command.front(), std::strerror(errno)));
  if (id_ == 0) {
    // only calls that are safe after fork
    ::setpgid(0, 0);
    ::dup2(input < 0 ? nothing.get() : input, STDIN_FILENO);
    ::dup2(output.get(), STDOUT_FILENO);
    ::dup2(output.get(), STDERR_FILENO);
    ::signal(SIGINT, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
    ::signal(SIGPIPE, SIG_DFL);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::setpgid(id_, id_);  // both sides set it: whoever comes first
}

std::optional<int> ChildProcess::ended() {
  int status = 0;
  if (id_ < 0 || ::waitpid(id_, &status, WNOHANG) != id_) return std::nullopt;
  ::kill(-id_, SIGKILL);  // what it left behind
  id_ = -1;
  return exit_code(status);
}

int ChildProcess::wait() {
  int status = 0;
  while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
  }
  id_ = -1;
  return exit_code(status);
}

void ChildProcess::end() {
  if (id_ < 0) return;
  const pid_t group = id_;
  ::kill(-group, SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + grace;
  while (!ended() && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (id_ < 0) return;
  ::kill(-group, SIGKILL);
  wait();
}

}  // namespace grus
