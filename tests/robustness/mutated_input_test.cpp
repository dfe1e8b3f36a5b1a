// Every reader of the table in tests/fuzz/readers.cpp on its corpus and on mutations of it with fixed seeds: read or
// refused in words, without a crash, within patience and memory.
//
//   GRUS_FUZZ_INPUTS   mutations of each reader, instead of the tier's number and the reader's share of it
//   GRUS_FUZZ_SEED     another sequence of them
// The input at hand lies in fuzz-READER.input in the temporary folder while the test runs: it stays there when the
// process dies of it.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "fuzz/mutator.hpp"
#include "fuzz/readers.hpp"

namespace grus::mutated_input_test {
namespace {

using namespace grus::testing;

constexpr std::chrono::seconds patience{10};
// A reader may take this much besides the file's own size.
constexpr long most_memory_kib = 1L << 20;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// A file in memory that outlives the process.
class BlackBox {
 public:
  explicit BlackBox(const std::string& reader)
      : path_(std::filesystem::temp_directory_path() / ("fuzz-" + reader + ".input")) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    EXPECT_GE(file_, 0) << path_;
    EXPECT_EQ(::ftruncate(file_, longest_input), 0);
    bytes_ = static_cast<char*>(::mmap(nullptr, longest_input, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
    EXPECT_NE(bytes_, MAP_FAILED);
  }
  ~BlackBox() {
    ::munmap(bytes_, longest_input);
    ::close(file_);
    if (!kept_) std::filesystem::remove(path_);
  }
  BlackBox(const BlackBox&) = delete;
  BlackBox& operator=(const BlackBox&) = delete;

  // Behind the input lie zeros, or what is left of longer ones; its number gives it exactly.
  void record(const std::string& input) { std::memcpy(bytes_, input.data(), std::min(input.size(), longest_input)); }
  // The input exactly.
  const std::string& keep(const std::string& input) {
    record(input);
    EXPECT_EQ(::ftruncate(file_, static_cast<off_t>(input.size())), 0);
    kept_ = true;
    return path_;
  }

 private:
  std::string path_;
  int file_ = -1;
  char* bytes_ = nullptr;
  bool kept_ = false;
};

long peak_memory_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// What went wrong, empty when nothing did.
std::string fault_of(const Reader& reader, const std::string& input, std::uint64_t& read) {
  const auto start = std::chrono::steady_clock::now();
  const long before = peak_memory_kib();
  ::alarm(2 * static_cast<unsigned>(patience.count()));  // ends the process of a reader that does not return
  std::string fault;
  try {
    read += feed(reader, input) ? 1 : 0;
  } catch (const std::exception& error) {
    fault = std::string("ended with another exception: ") + error.what();
  }
  ::alarm(0);
  if (std::chrono::steady_clock::now() - start > patience) fault += " took more than 10 s";
  if (peak_memory_kib() - before > most_memory_kib) fault += " took more than 1 GiB";
  return fault;
}

class MutatedInput : public ::testing::TestWithParam<std::string> {};

TEST_P(MutatedInput, IsReadOrRefused) {
  const Reader& reader = fuzzed_reader(GetParam());
  Mutator mutator(reader.grammar, inputs_of(reader));
  BlackBox box(reader.name);
  std::vector<std::size_t> good_seeds;
  for (std::size_t i = 0; i < mutator.seeds().size(); ++i) {
    const std::string& seed = mutator.seeds()[i];
    box.record(seed);
    std::uint64_t read = 0;
    ASSERT_EQ(fault_of(reader, seed, read), "") << "a seed, kept in " << box.keep(seed);
    if (read > 0) good_seeds.push_back(i);
  }
  EXPECT_FALSE(good_seeds.empty()) << "no seed is read: mutations would only meet the first check";
  mutator.prefer(std::move(good_seeds));
  const std::uint64_t tier_count =
      std::uint64_t{GRUS_FUZZ_INPUTS} * static_cast<unsigned>(reader.share_in_percent) / 100;
  const std::uint64_t count = from_environment("GRUS_FUZZ_INPUTS", tier_count);
  const std::uint64_t sequence = from_environment("GRUS_FUZZ_SEED", 1);
  std::uint64_t read = 0;
  for (std::uint64_t number = 0; number < count; ++number) {
    Random random(sequence * 1'000'000'007 + number);
    const std::string input = mutator.next(random);
    box.record(input);
    const std::string fault = fault_of(reader, input, read);
    ASSERT_EQ(fault, "") << "mutation " << number << ", kept in " << box.keep(input);
  }
  std::cout << reader.name << ": " << count << " mutations of " << mutator.seeds().size() << " inputs, " << read
            << " of them read\n";
}

std::vector<std::string> reader_names() {
  std::vector<std::string> names;
  for (const Reader& reader : fuzzed_readers()) names.push_back(reader.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Readers, MutatedInput, ::testing::ValuesIn(reader_names()),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace grus::mutated_input_test
