// Another program: started without a shell, ended with everything it started.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace grus {

// The path of the first of these names that $PATH has, or nothing.
std::string find_program(const std::vector<std::string>& names);

class ChildProcess {
 public:
  ChildProcess() = default;
  // `log` takes what it prints. `input`: a descriptor it reads from, -1 for none. Throws IoError.
  ChildProcess(const std::vector<std::string>& command, const std::string& log, int input = -1);
  ~ChildProcess() { end(); }
  ChildProcess(ChildProcess&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  ChildProcess& operator=(ChildProcess&& other) noexcept {
    if (this != &other) {
      end();
      id_ = std::exchange(other.id_, -1);
    }
    return *this;
  }

  // The exit code once it has ended by itself; 128 + signal when a signal ended it.
  std::optional<int> ended();
  int wait();

 private:
  void end();
  pid_t id_ = -1;  // its process group has the same number
};

}  // namespace grus
