// Faults read file:line:column; assertions hold in every build.
#include "core/error.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace grus::error_test {
namespace {

TEST(Fault, NamesFileLineAndColumn) {
  EXPECT_EQ(to_string(Fault{{"a/scene.yaml", 12, 7}, "found x, expected y"}), "a/scene.yaml:12:7: found x, expected y");
}

// Editors and scripts look for file:line:column: a fault of the whole file still has one.
TEST(Fault, OfAWholeFilePointsToItsStart) {
  EXPECT_EQ(to_string(Fault{{"scene.yaml", 0, 0}, "is empty"}), "scene.yaml:1:1: is empty");
}

TEST(InputError, KeepsEveryFaultInOrder) {
  const InputError error({{{"s.yaml", 1, 2}, "first"}, {{"t.yaml", 3, 4}, "second"}});
  EXPECT_STREQ(error.what(), "s.yaml:1:2: first\nt.yaml:3:4: second");
  ASSERT_EQ(error.faults().size(), 2u);
  EXPECT_EQ(error.faults()[1].where.file, "t.yaml");
  EXPECT_EQ(error.faults()[1].message, "second");
}

TEST(InputError, IsCaughtAsARuntimeError) {
  EXPECT_THROW(throw InputError({{{"s.yaml", 1, 1}, "bad"}}), std::runtime_error);
  EXPECT_THROW(throw NumericalError("diverged"), std::runtime_error);
  EXPECT_THROW(throw IoError("disk full"), std::runtime_error);
}

TEST(AssertDeathTest, EndsTheProgramWithPlaceAndConditionInEveryBuild) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const int two = 2;
  EXPECT_DEATH(GRUS_ASSERT(two + two == 5), "error_test.cpp:[0-9]+: assertion failed: two \\+ two == 5");
}

TEST(Assert, EvaluatesItsConditionOnce) {
  int evaluated = 0;
  GRUS_ASSERT(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

// A NaN compares false, so an assertion on a range refuses it.
TEST(AssertDeathTest, RefusesNaN) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const double x = std::nan("");
  EXPECT_DEATH(GRUS_ASSERT(x >= 0.0), "assertion failed");
}

#ifdef GRUS_VALIDATE
TEST(CheckDeathTest, EndsTheProgramInTheValidateTier) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(GRUS_CHECK(1 + 1 == 3), "assertion failed");
}
#else
TEST(Check, CostsNothingOutsideTheValidateTier) {
  int evaluated = 0;
  GRUS_CHECK(++evaluated > 0);
  EXPECT_EQ(evaluated, 0);
}
#endif

}  // namespace
}  // namespace grus::error_test
