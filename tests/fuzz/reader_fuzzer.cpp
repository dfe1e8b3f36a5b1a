// libFuzzer on one reader of the table, by name: GRUS_FUZZED_READER. Half of the mutations are our own, which know the
// format, the other half libFuzzer's. `-seeds=FOLDER` writes the seeds of the reader there and ends.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "fuzz/readers.hpp"

using namespace grus::testing;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

const Reader& reader() {
  static const Reader& found = fuzzed_reader(GRUS_FUZZED_READER);
  return found;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  constexpr const char* option = "-seeds=";
  for (int i = 1; i < *count; ++i) {
    if (std::strncmp((*words)[i], option, std::strlen(option)) != 0) continue;
    const std::filesystem::path folder = (*words)[i] + std::strlen(option);
    int number = 0;
    for (const std::string& input : inputs_of(reader()))
      std::ofstream(folder / std::to_string(number++), std::ios::binary) << input;
    std::exit(0);
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  static const Mutator mutator(reader().grammar, inputs_of(reader()));
  if (seed % 2 == 0) return LLVMFuzzerMutate(data, size, most);
  grus::Random random(seed);
  const std::string input = mutator.mutate(std::string(reinterpret_cast<const char*>(data), size), random);
  const std::size_t kept = std::min(input.size(), most);
  std::memcpy(data, input.data(), kept);
  return kept;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  feed(reader(), std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
