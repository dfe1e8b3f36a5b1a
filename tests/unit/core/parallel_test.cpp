// Loops visit every element once; reductions have the same bits for any number of threads.
#include "core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <bit>
#include <cmath>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "core/random.hpp"
#include "core/timer.hpp"

namespace grus::parallel_test {
namespace {

constexpr int most_threads = 7;

TEST(Parallel, HasTheNumberOfThreadsAskedFor) {
  EXPECT_EQ(Parallel(3).threads(), 3);
  EXPECT_EQ(Parallel().threads(), 1);
  EXPECT_GE(Parallel(0).threads(), 1);
}

// Threads that were inside a loop at the same time. Every element waits until `expected` are, or gives up.
int most_present_at_once(const Parallel& parallel, int expected) {
  constexpr double patience = 20.0;  // s; threads that exist come within milliseconds
  std::atomic<int> present = 0, most = 0;
  const Timer timer;
  parallel.each(expected, 1, [&](Index) {
    const int now = ++present;
    for (int known = most; known < now && !most.compare_exchange_weak(known, now);) {
    }
    while (most < expected && timer.seconds() < patience) std::this_thread::yield();
    --present;
  });
  return most;
}

// Also with more threads than cores, so that results can be compared over thread counts on any machine.
TEST(Parallel, ReallyRunsThatManyThreads) { EXPECT_EQ(most_present_at_once(Parallel(4), 4), 4); }

// One beside it that was made later, or goes away earlier, takes no threads from it.
TEST(Parallel, KeepsItsThreadsBesideASmallerOne) {
  const Parallel four(4);
  const Parallel two(2);
  EXPECT_EQ(most_present_at_once(four, 4), 4);
  EXPECT_EQ(most_present_at_once(two, 2), 2);
  { const Parallel three(3); }
  EXPECT_EQ(most_present_at_once(four, 4), 4);
}

TEST(Parallel, RefusesNumbersThatMakeNoSense) {
  EXPECT_THROW(Parallel(-1), std::invalid_argument);
  EXPECT_THROW(Parallel(grus::most_threads + 1), std::invalid_argument);
}

class ParallelThreads : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, ParallelThreads, testing::Range(1, most_threads + 1));

TEST_P(ParallelThreads, EachVisitsEveryElementOnce) {
  const Parallel parallel(GetParam());
  for (const Index count : {0, 1, 2, 63, 64, 65, 10007}) {
    std::vector<int> visits(static_cast<std::size_t>(count), 0);
    parallel.each(count, 64, [&](Index i) { ++visits[static_cast<std::size_t>(i)]; });
    for (const int n : visits) ASSERT_EQ(n, 1) << "count " << count;
  }
}

TEST_P(ParallelThreads, RangesCoverWithoutOverlap) {
  const Parallel parallel(GetParam());
  const Index count = 5000;
  std::vector<Index> owner(static_cast<std::size_t>(count), no_index);
  parallel.ranges(count, 16, [&](Index begin, Index end) {
    ASSERT_LT(begin, end);
    for (Index i = begin; i < end; ++i) {
      ASSERT_EQ(owner[static_cast<std::size_t>(i)], no_index);
      owner[static_cast<std::size_t>(i)] = begin;
    }
  });
  for (const Index first : owner) ASSERT_NE(first, no_index);
}

TEST_P(ParallelThreads, NothingRunsOverNothing) {
  Parallel(GetParam()).ranges(0, 8, [](Index, Index) { FAIL() << "called for an empty range"; });
}

// Terms from 1e-12 to 1e12 of both signs: any other order of addition shows in the last bits.
TEST_P(ParallelThreads, SumsHaveTheBitsOfOneThread) {
  Random random(7);
  std::vector<Real> terms(20011);
  for (Real& x : terms) x = std::pow(10.0, random.uniform(-12.0, 12.0)) * (random.uniform() < 0.5 ? -1.0 : 1.0);
  const auto sum = [&](const Parallel& parallel) {
    std::vector<Real> partial;
    return parallel.reduce(
        static_cast<Index>(terms.size()), 256, Real{0.0}, partial,
        [&](Index begin, Index end) { return std::accumulate(terms.begin() + begin, terms.begin() + end, 0.0); },
        std::plus<>());
  };
  const Real expected = sum(Parallel(1));
  // The test can fail: the plain left-to-right sum has other bits.
  ASSERT_NE(std::bit_cast<std::uint64_t>(expected),
            std::bit_cast<std::uint64_t>(std::accumulate(terms.begin(), terms.end(), 0.0)));
  const Parallel parallel(GetParam());
  for (int repeat = 0; repeat < 20; ++repeat) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(sum(parallel)), std::bit_cast<std::uint64_t>(expected));
  }
}

// Join need not commute: chunks are joined from left to right.
TEST_P(ParallelThreads, ReductionsKeepTheOrder) {
  std::vector<std::vector<Index>> partial;
  const auto joined = Parallel(GetParam())
                          .reduce(
                              1001, 10, std::vector<Index>{}, partial,
                              [](Index begin, Index end) {
                                std::vector<Index> part(static_cast<std::size_t>(end - begin));
                                std::iota(part.begin(), part.end(), begin);
                                return part;
                              },
                              [](std::vector<Index> left, const std::vector<Index>& right) {
                                left.insert(left.end(), right.begin(), right.end());
                                return left;
                              });
  ASSERT_EQ(joined.size(), 1001u);
  for (Index i = 0; i < 1001; ++i) ASSERT_EQ(joined[static_cast<std::size_t>(i)], i);
}

TEST_P(ParallelThreads, ReductionOverNothingIsTheStart) {
  std::vector<Real> partial(5, 3.0);  // left over from a longer reduction
  const Real total = Parallel(GetParam())
                         .reduce(
                             0, 16, Real{2.5}, partial, [](Index, Index) { return Real{1.0}; }, std::plus<>());
  EXPECT_EQ(total, 2.5);
}

TEST_P(ParallelThreads, ExceptionsReachTheCaller) {
  const Parallel parallel(GetParam());
  const auto fail_in_the_middle = [](Index i) {
    if (i == 700) throw std::runtime_error("element 700");
  };
  EXPECT_THROW(parallel.each(1000, 10, fail_in_the_middle), std::runtime_error);
}

}  // namespace
}  // namespace grus::parallel_test
