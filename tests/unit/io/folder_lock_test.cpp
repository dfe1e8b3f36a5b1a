#include "io/folder_lock.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "core/error.hpp"
#include "temporary_directory.hpp"

namespace grus::folder_lock_test {
namespace {

TEST(FolderLock, LetsOneInAtATime) {
  const test::TemporaryDirectory directory;
  std::optional<FolderLock> first(std::in_place, directory.path());
  EXPECT_THROW(FolderLock{directory.path()}, InputError);
  first.reset();
  EXPECT_NO_THROW(FolderLock{directory.path()});
}

}  // namespace
}  // namespace grus::folder_lock_test
