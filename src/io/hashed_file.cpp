#include "io/hashed_file.hpp"

#include <cstdint>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "core/hash.hpp"
#include "io/file_fault.hpp"
#include "io/foreign_file.hpp"
#include "io/reader_limits.hpp"
#include "io/whole_file.hpp"

namespace grus {
namespace {

constexpr std::string_view tail_magic = "GRUSHASH";
constexpr std::size_t tail_size = 16;

std::uint64_t hash_of(std::string_view bytes) {
  Hash hash;
  hash.bytes(bytes.data(), bytes.size());
  return hash.digest();
}

}  // namespace

void write_hashed_file(const std::string& path, std::string bytes) {
  const std::uint64_t digest = hash_of(bytes);
  bytes += tail_magic;
  bytes.append(reinterpret_cast<const char*>(&digest), sizeof digest);
  write_whole_file(path, bytes);
}

std::string read_hashed_file(const std::string& path, const std::string& what, const std::string& advice) {
  std::string bytes = read_foreign_file(path, most_hdf5_bytes);
  const std::string_view all(bytes);
  if (all.size() < tail_size || all.substr(all.size() - tail_size, tail_magic.size()) != tail_magic)
    throw file_fault(path, fmt::format("is truncated or no {}; {}", what, advice));
  std::uint64_t digest = 0;
  std::memcpy(&digest, all.data() + all.size() - sizeof digest, sizeof digest);
  if (hash_of(all.substr(0, all.size() - tail_size)) != digest)
    throw file_fault(path, fmt::format("is damaged: its bytes do not match their hash; {}", advice));
  bytes.resize(bytes.size() - tail_size);
  return bytes;
}

}  // namespace grus
