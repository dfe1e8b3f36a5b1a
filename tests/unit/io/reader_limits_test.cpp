// The table of limits in docs/security.md is the one that readers use.
#include "io/reader_limits.hpp"

#include <string>

#include <gmock/gmock.h>

#include "io/whole_file.hpp"
#include "support/paths.hpp"

namespace grus::reader_limits_test {
namespace {

TEST(ReaderLimits, AreThoseOfTheDocument) {
  const std::string page = read_whole_file(GRUS_SOURCE_DIR "/docs/security.md");
  for (const ReaderLimit& limit : reader_limits) {
    const std::string row =
        "| " + std::string(limit.file) + " | " + std::string(limit.what) + " | " + std::to_string(limit.most) + " |\n";
    EXPECT_THAT(page, testing::HasSubstr(row));
  }
}

}  // namespace
}  // namespace grus::reader_limits_test
