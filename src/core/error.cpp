// Text of faults and assertions.
#include "core/error.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

namespace grus {

std::string to_string(const Fault& fault) {
  const SourceMark& at = fault.where;
  if (at.line == 0) return fmt::format("{}:1:1: {}", at.file, fault.message);
  return fmt::format("{}:{}:{}: {}", at.file, at.line, at.column, fault.message);
}

namespace {
std::string join(const std::vector<Fault>& faults) {
  std::string text;
  for (const Fault& fault : faults) {
    if (!text.empty()) text += '\n';
    text += to_string(fault);
  }
  return text;
}
}  // namespace

InputError::InputError(std::vector<Fault> faults) : std::runtime_error(join(faults)), faults_(std::move(faults)) {}

namespace {
// Constant-initialized: an assertion may fail before main().
constinit std::atomic<AssertionHandler> assertion_handler = nullptr;
}  // namespace

AssertionHandler set_assertion_handler(AssertionHandler handler) noexcept {
  return assertion_handler.exchange(handler);
}

void abort_on_assertion(const char* condition, const char* file, int line) noexcept {
  // No allocation: memory may be the thing that is broken.
  std::fprintf(stderr, "%s:%d: assertion failed: %s\n", file, line, condition);
  std::abort();
}

void assertion_failed(const char* condition, const char* file, int line) {
  if (const AssertionHandler handler = assertion_handler.load()) handler(condition, file, line);
  throw InternalError(fmt::format("{}:{}: assertion failed: {}", file, line, condition));
}

}  // namespace grus
