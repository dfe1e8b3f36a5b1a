#include "solvers/registry.hpp"

#include <gtest/gtest.h>

#include <set>

namespace grus::registry_test {
namespace {

TEST(Registry, NamesAreUniqueAndFoundAgain) {
  std::set<std::string_view> names;
  for (const SolverEntry& entry : solver_registry()) {
    EXPECT_TRUE(names.insert(entry.name).second);
    EXPECT_FALSE(entry.summary.empty());
    ASSERT_TRUE(solver_kind(entry.name).has_value());
    EXPECT_EQ(*solver_kind(entry.name), entry.kind);
    EXPECT_EQ(solver_name(entry.kind), entry.name);
  }
  EXPECT_TRUE(names.contains("nlgs"));
  EXPECT_FALSE(solver_kind("NLGS").has_value());
  EXPECT_FALSE(solver_kind("").has_value());
}

}  // namespace
}  // namespace grus::registry_test
