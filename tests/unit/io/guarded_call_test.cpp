// Another program's answer, its faults and its ends: a shell stands for the reader that breaks down.
#include "io/guarded_call.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/reader_program.hpp"

namespace grus::guarded_call_test {
namespace {

GuardedResult call_shell(const std::string& script, const std::string& input = "", const GuardLimits& limits = {}) {
  return call_guarded({"/bin/sh", "-c", script}, input, limits);
}

TEST(GuardedCall, BringsBackTheBytes) {
  const std::string large(3'000'000, 'x');
  const GuardedResult result = call_shell("echo result 3000000; cat", large);
  EXPECT_TRUE(result.finished) << result.reason;
  EXPECT_TRUE(result.bytes == large);
  EXPECT_TRUE(call_shell("echo result 0").finished);
}

TEST(GuardedCall, BringsBackTheWordsOfAFault) {
  const GuardedResult result = call_shell("printf 'fault 13\\nno such array'");
  EXPECT_FALSE(result.finished);
  EXPECT_EQ(result.reason, "no such array");
}

TEST(GuardedCall, OutlivesACrash) {
  // the input is larger than what lies between the two: the crash comes while it is being sent
  const GuardedResult result = call_shell("kill -ABRT $$", std::string(3'000'000, 'x'));
  EXPECT_FALSE(result.finished);
  EXPECT_THAT(result.reason, testing::HasSubstr("broke down (Aborted)"));
}

TEST(GuardedCall, BelievesNoAnswerThatWasCutShort) {
  for (const char* script : {"printf 'result 10\\nabc'", "printf 'result 10'", "printf 'result 1x\\nabc'", "printf abc",
                             "printf 'result 1\\nabc'", ":", "printf 'result 0\\n'; exit 1"}) {
    const GuardedResult result = call_shell(script);
    EXPECT_FALSE(result.finished) << script;
    EXPECT_THAT(result.reason, testing::HasSubstr("broke down")) << script;
  }
}

TEST(GuardedCall, EndsALoop) {
  GuardLimits limits;
  limits.cpu_seconds = 1;
  const GuardedResult result = call_shell("while :; do :; done", "", limits);
  EXPECT_FALSE(result.finished);
  EXPECT_THAT(result.reason, testing::HasSubstr("takes too long"));
}

TEST(GuardedCall, RefusesAResultThatIsTooLarge) {
  GuardLimits limits;
  limits.most_bytes = 1000;
  const GuardedResult result = call_shell("echo result 2000000; exec head -c 2000000 /dev/zero", "", limits);
  EXPECT_FALSE(result.finished);
  EXPECT_FALSE(result.reason.empty());
}

TEST(GuardedCall, SaysThatAProgramIsMissing) { EXPECT_THROW(call_guarded({"/no/such/program"}, "", {}), IoError); }

// The program starts with the signals it expects, although the host blocks them.
TEST(GuardedCall, LeavesTheSignalsOfTheHostOutside) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGABRT);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  const GuardedResult result = call_shell("kill -ABRT $$; echo result 0");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_FALSE(result.finished);
}

// A host that ignores the ends of its children takes their status away; a whole answer is one all the same.
TEST(GuardedCall, WorksInAHostThatIgnoresItsChildren) {
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(sigaction(SIGCHLD, &ignore, &before), 0);
  const GuardedResult good = call_shell("printf 'result 3\\nabc'"), bad = call_shell("printf 'result 4\\nabc'");
  sigaction(SIGCHLD, &before, nullptr);
  EXPECT_TRUE(good.finished);
  EXPECT_EQ(good.bytes, "abc");
  EXPECT_FALSE(bad.finished);
}

// Other threads use the heap all the time: a copy of this process would find its locks held.
TEST(GuardedCall, IsSafeInAHostWithThreads) {
  std::atomic<bool> stop = false;
  std::vector<std::jthread> busy;
  for (int k = 0; k < 3; ++k)
    busy.emplace_back([&] {
      while (!stop) std::string(100'000, 'x').swap(*std::make_unique<std::string>());
    });
  for (int repeat = 0; repeat < 20; ++repeat) EXPECT_TRUE(call_shell("echo result 0").finished);
  stop = true;
}

TEST(ReaderProgram, AnswersInWordsToWhatIsNoHdf5) {
  for (const ReaderTask task : {ReaderTask::own_arrays, ReaderTask::fclib_arrays}) {
    const GuardedResult result = read_apart(task, "no HDF5");
    EXPECT_FALSE(result.finished);
    EXPECT_EQ(result.reason, "cannot open it as HDF5");
  }
}

}  // namespace
}  // namespace grus::guarded_call_test
