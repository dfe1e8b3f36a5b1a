// The hash tells bits apart: values, their order, their number; and it is the same in every build.
#include "core/hash.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

#include "core/random.hpp"

namespace grus::hash_test {
namespace {

template <class... T>
std::uint64_t digest_of(T... values) {
  Hash hash;
  (hash.value(values), ...);
  return hash.digest();
}

std::uint64_t digest_of_bytes(const std::vector<unsigned char>& data) {
  Hash hash;
  hash.bytes(data.data(), data.size());
  return hash.digest();
}

TEST(Hash, IsAFunctionOfTheBits) {
  EXPECT_EQ(digest_of(1.0, 2.0), digest_of(1.0, 2.0));
  EXPECT_NE(digest_of(1.0, 2.0), digest_of(2.0, 1.0));
  EXPECT_NE(digest_of(1.0), digest_of(1.0, 0.0));
  EXPECT_NE(digest_of(), digest_of(0.0));
}

TEST(Hash, SeesTheLastBitOfADouble) {
  EXPECT_NE(digest_of(1.0), digest_of(std::nextafter(1.0, 2.0)));
  EXPECT_NE(digest_of(0.0), digest_of(-0.0));
  EXPECT_NE(digest_of(0.0), digest_of(std::numeric_limits<double>::denorm_min()));
}

TEST(Hash, OfADoubleIsThatOfItsBytes) {
  const double x = 0.1;
  Hash hash;
  hash.bytes(&x, sizeof x);
  EXPECT_EQ(hash.digest(), digest_of(x));
}

// Zero bytes at the end, and tails of every length, are not padded into each other.
TEST(Hash, TellsLengthsApart) {
  std::set<std::uint64_t> seen;
  for (std::size_t size = 0; size <= 64; ++size) seen.insert(digest_of_bytes(std::vector<unsigned char>(size, 0)));
  EXPECT_EQ(seen.size(), 65u);
}

// Every input bit should flip about half of the output: a mean within 32 +- 1.5 over all 1024 bits of a message
// (the standard error of the mean is 4/sqrt(1024) = 0.125), and no bit that flips fewer than 8.
TEST(Hash, SpreadsEveryBit) {
  Random random(1);
  std::vector<unsigned char> message(128);
  for (unsigned char& byte : message) byte = static_cast<unsigned char>(random.below(256));
  const std::uint64_t before = digest_of_bytes(message);
  double total = 0.0;
  for (std::size_t bit = 0; bit < 8 * message.size(); ++bit) {
    std::vector<unsigned char> changed = message;
    changed[bit / 8] = static_cast<unsigned char>(changed[bit / 8] ^ (1u << (bit % 8)));
    const int flipped = std::popcount(before ^ digest_of_bytes(changed));
    EXPECT_GE(flipped, 8) << "bit " << bit;
    total += flipped;
  }
  EXPECT_NEAR(total / (8.0 * static_cast<double>(message.size())), 32.0, 1.5);
}

// Files written by one build are compared with another's: the function must not change unnoticed.
TEST(Hash, IsPinned) {
  EXPECT_EQ(to_hex(digest_of()), "e220a8397b1dcdaf");
  EXPECT_EQ(to_hex(digest_of(1.0, -2.5, std::uint32_t{7})), "d91ed2bcd2379cc2");
}

TEST(Hash, ReadsAsSixteenHexadecimalDigits) {
  EXPECT_EQ(to_hex(0), "0000000000000000");
  EXPECT_EQ(to_hex(0xfedcba9876543210ULL), "fedcba9876543210");
}

}  // namespace
}  // namespace grus::hash_test
