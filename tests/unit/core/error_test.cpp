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

std::string words_of_failure(double x) {
  try {
    GRUS_ASSERT(x >= 0.0);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

TEST(Assert, ThrowsPlaceAndConditionInEveryBuild) {
  EXPECT_THAT(words_of_failure(-1.0), testing::ContainsRegex("error_test.cpp:[0-9]+: assertion failed: x >= 0.0"));
  EXPECT_EQ(words_of_failure(1.0), "");
}

// A NaN compares false, so an assertion on a range refuses it.
TEST(Assert, RefusesNaN) { EXPECT_NE(words_of_failure(std::nan("")), ""); }

TEST(Assert, EvaluatesItsConditionOnce) {
  int evaluated = 0;
  GRUS_ASSERT(++evaluated == 1);
  EXPECT_EQ(evaluated, 1);
}

// As in the command-line program.
TEST(AssertDeathTest, EndsTheProgramWhenAskedTo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const int two = 2;
  const auto fail = [&] {
    set_assertion_handler(abort_on_assertion);
    GRUS_ASSERT(two + two == 5);
  };
  EXPECT_DEATH(fail(), "error_test.cpp:[0-9]+: assertion failed: two \\+ two == 5");
}

int handled = 0;
void count_and_return(const char*, const char*, int) { ++handled; }
struct ErrorOfTheHost : InternalError {
  using InternalError::InternalError;
};
void throw_its_own(const char* condition, const char*, int) { throw ErrorOfTheHost(condition); }

TEST(Assert, CallsTheHandlerOfTheHost) {
  EXPECT_EQ(set_assertion_handler(count_and_return), nullptr);
  EXPECT_NE(words_of_failure(-1.0), "");  // a handler that returns does not let the program go on
  EXPECT_EQ(handled, 1);
  EXPECT_EQ(set_assertion_handler(throw_its_own), count_and_return);
  EXPECT_EQ(words_of_failure(-1.0), "x >= 0.0");
  EXPECT_EQ(set_assertion_handler(nullptr), throw_its_own);
}

#ifdef GRUS_VALIDATE
TEST(Check, IsAnAssertionInTheValidateTier) { EXPECT_THROW(GRUS_CHECK(1 + 1 == 3), InternalError); }
#else
TEST(Check, CostsNothingOutsideTheValidateTier) {
  int evaluated = 0;
  GRUS_CHECK(++evaluated > 0);
  EXPECT_EQ(evaluated, 0);
}
#endif

}  // namespace
}  // namespace grus::error_test
