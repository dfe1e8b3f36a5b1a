#include "io/whole_file.hpp"

#include <sys/resource.h>

#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::whole_file_test {
namespace {

using testing::HasSubstr;

std::size_t file_count(const std::string& directory) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}

// While it lives, no file of the process may grow beyond `bytes`: a full disk, in one process.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    old_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, old_handler_);
  }

 private:
  rlimit old_{};
  void (*old_handler_)(int) = SIG_DFL;
};

TEST(WholeFile, ReadsBackEveryByte) {
  const test::TemporaryDirectory directory;
  std::string bytes;
  for (int i = 0; i < 100000; ++i) bytes += static_cast<char>(i % 251);
  write_whole_file(directory / "a", bytes);
  EXPECT_EQ(read_whole_file(directory / "a"), bytes);
  write_whole_file(directory / "a", "");
  EXPECT_EQ(read_whole_file(directory / "a"), "");
  EXPECT_EQ(file_count(directory.path()), 1u);
}

TEST(WholeFile, KeepsTheOldFileWhenTheDiskIsFull) {
  const test::TemporaryDirectory directory;
  write_whole_file(directory / "a", "old");
  const std::string large(1 << 20, 'x');
  {
    const FileSizeLimit limit(4096);
    try {
      write_whole_file(directory / "a", large);
      ADD_FAILURE() << "a write beyond the limit must throw";
    } catch (const IoError& e) {
      EXPECT_THAT(e.what(), HasSubstr(directory / "a"));
      EXPECT_THAT(e.what(), HasSubstr("File too large"));
    }
  }
  EXPECT_EQ(read_whole_file(directory / "a"), "old");
  EXPECT_EQ(file_count(directory.path()), 1u) << "a temporary file was left behind";
}

TEST(WholeFile, NamesThePathAndTheReason) {
  const test::TemporaryDirectory directory;
  try {
    write_whole_file(directory / "absent/a", "x");
    ADD_FAILURE();
  } catch (const IoError& e) {
    EXPECT_THAT(e.what(), HasSubstr(directory / "absent/a"));
    EXPECT_THAT(e.what(), HasSubstr("No such file or directory"));
  }
  EXPECT_THROW(read_whole_file(directory / "absent"), IoError);
  EXPECT_THROW(read_whole_file(directory.path()), IoError);
}

TEST(WholeFile, DoesNotReplaceADirectory) {
  const test::TemporaryDirectory directory;
  std::filesystem::create_directory(directory / "a");
  EXPECT_THROW(write_whole_file(directory / "a", "x"), IoError);
  EXPECT_EQ(file_count(directory.path()), 1u);
}

}  // namespace
}  // namespace grus::whole_file_test
