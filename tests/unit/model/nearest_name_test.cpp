#include "core/nearest_name.hpp"

#include <gtest/gtest.h>

namespace grus::nearest_name_test {
namespace {

TEST(NearestName, DistanceCountsEditsAndSwaps) {
  EXPECT_EQ(edit_distance("granite", "granite"), 0);
  EXPECT_EQ(edit_distance("granit", "granite"), 1);
  EXPECT_EQ(edit_distance("garnite", "granite"), 1);
  EXPECT_EQ(edit_distance("Granite", "granite"), 0);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(NearestName, OnlySlipsAreGuessed) {
  EXPECT_EQ(nearest_name("granit", {"steel", "granite"}), "granite");
  EXPECT_EQ(nearest_name("wood", {"steel", "granite"}), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(NearestName, HintListsWhatIsKnown) {
  EXPECT_EQ(name_hint("granit", {"steel", "granite"}), " (did you mean 'granite'?)");
  EXPECT_EQ(name_hint("wood", {"steel", "granite"}), " (known: steel, granite)");
  EXPECT_EQ(name_hint("wood", {}), "");
}

}  // namespace
}  // namespace grus::nearest_name_test
