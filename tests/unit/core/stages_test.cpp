// Loops one after the other in one call: every element once, none before its stage.
#include "core/stages.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <tbb/global_control.h>

namespace grus::stages_test {
namespace {

TEST(Stages, VisitEveryElementOnceAndInOrderOfTheStages) {
  const std::vector<Index> stage_begin{0, 3, 3, 4, 200, 201, 500};
  const auto stages = static_cast<Index>(stage_begin.size()) - 1;
  for (const int threads : {1, 2, 4}) {
    const Parallel parallel(threads);
    for (int repeat = 0; repeat < 50; ++repeat) {
      // written in one stage, read in the next without a lock: also for the thread sanitizer
      std::vector<Index> visits(500, 0), seen(500, 0);
      each_in_stages(parallel, stage_begin, [&](Index i) {
        Index stage = 0;
        while (i >= stage_begin[stage + 1]) ++stage;
        for (Index before = 0; before < stage_begin[stage]; ++before) seen[i] += visits[before];
        ++visits[i];
      });
      for (Index stage = 0; stage < stages; ++stage) {
        for (Index i = stage_begin[stage]; i < stage_begin[stage + 1]; ++i) {
          EXPECT_EQ(visits[i], 1);
          EXPECT_EQ(seen[i], stage_begin[stage]);
        }
      }
    }
  }
}

// A host may allow fewer threads than a simulation asks for: all stages are then worked through by those that come.
TEST(Stages, AreFinishedWhenFewerThreadsJoin) {
  const tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
  const std::vector<Index> stage_begin{0, 3, 4, 200, 500};
  std::vector<Index> order;  // without a lock: there is one thread
  const Parallel parallel(4);
#ifndef __SANITIZE_THREAD__  // its loops run on plain threads, which no limit holds back
  each_in_stages(parallel, stage_begin, [&](Index i) { order.push_back(i); });
  ASSERT_EQ(order.size(), 500U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
#endif
}

TEST(Stages, TakeNone) {
  const Parallel parallel(2);
  each_in_stages(parallel, std::vector<Index>{}, [](Index) { FAIL(); });
  each_in_stages(parallel, std::vector<Index>{0, 0, 0}, [](Index) { FAIL(); });
}

TEST(Stages, AnErrorInOneElementEndsTheLoop) {
  const std::vector<Index> stage_begin{0, 10, 20};
  const auto run = [&] {
    each_in_stages(Parallel(3), stage_begin, [](Index i) {
      if (i == 5) throw std::runtime_error("five");
    });
  };
  EXPECT_THROW(run(), std::runtime_error);
}

}  // namespace
}  // namespace grus::stages_test
