#include "io/guarded_call.hpp"

#include <atomic>
#include <cstdlib>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace grus::guarded_call_test {
namespace {

TEST(GuardedCall, BringsBackTheBytes) {
  const std::string large(3'000'000, 'x');
  const GuardedResult result = call_guarded([&] { return large; }, {});
  EXPECT_TRUE(result.finished);
  EXPECT_TRUE(result.bytes == large);
  EXPECT_TRUE(call_guarded([] { return std::string(); }, {}).finished);
}

TEST(GuardedCall, BringsBackTheWordsOfAnException) {
  const GuardedResult result = call_guarded([]() -> std::string { throw std::runtime_error("no such array"); }, {});
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.reason, "no such array");
}

TEST(GuardedCall, OutlivesACrash) {
  const GuardedResult result = call_guarded([]() -> std::string { std::abort(); }, {});
  EXPECT_FALSE(result.finished);
  EXPECT_THAT(result.reason, testing::HasSubstr("broke down"));
}

TEST(GuardedCall, EndsALoop) {
  GuardLimits limits;
  limits.cpu_seconds = 1;
  const GuardedResult result = call_guarded(
      []() -> std::string {
        for (std::atomic<int> k = 0;; ++k) {
        }
      },
      limits);
  EXPECT_FALSE(result.finished);
  EXPECT_THAT(result.reason, testing::HasSubstr("takes too long"));
}

TEST(GuardedCall, RefusesAResultThatIsTooLarge) {
  GuardLimits limits;
  limits.most_bytes = 1000;
  const GuardedResult result = call_guarded([] { return std::string(2'000'000, 'x'); }, limits);
  EXPECT_FALSE(result.finished);
  EXPECT_FALSE(result.reason.empty());
}

}  // namespace
}  // namespace grus::guarded_call_test
