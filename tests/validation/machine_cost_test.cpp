// A mechanism that touches hundreds of grains costs less than 1.5 times the same bed with a free body of the same
// shape. A ratio within one run, the two in turns and the best of several: it holds on a busy computer too.

#include <gtest/gtest.h>

#include "support/pressed_bed.hpp"

namespace grus::testing::machine_cost_test {
namespace {

TEST(MachineCost, IsBelowOneAndAHalfFreeBodies) {
  const CostOfAMachine cost = cost_of_a_machine(22, 4, 30, 1, 10, 3);
  EXPECT_GT(cost.touching_free, 450);
  EXPECT_GT(cost.touching_machine, 450);
  EXPECT_EQ(cost.independent, 6);
  EXPECT_LT(cost.ratio(), 1.5) << cost.machine_ms << " ms with the machine, " << cost.free_ms << " ms without";
}

}  // namespace
}  // namespace grus::testing::machine_cost_test
