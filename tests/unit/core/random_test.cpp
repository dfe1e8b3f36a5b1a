// The generator gives the published sequence of splitmix64, and its distributions have the right moments.
#include "core/random.hpp"

#include <gtest/gtest.h>

#include <array>

namespace grus::random_test {
namespace {

constexpr int samples = 200000;
// Five standard errors: a right generator fails once in two million seeds, and the seeds are fixed.
constexpr Real standard_errors = 5.0;

// Reference outputs of splitmix64 for this seed (Vigna's public-domain splitmix64.c).
TEST(Random, IsSplitmix64) {
  Random random(1234567);
  const std::array<std::uint64_t, 5> expected{6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                                              4593380528125082431ULL, 16408922859458223821ULL};
  for (const std::uint64_t word : expected) EXPECT_EQ(random.word(), word);
}

TEST(Random, RepeatsForASeedAndDiffersBetweenSeeds) {
  Random a(5), b(5), c(6);
  int equal_to_other_seed = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t word = a.word();
    EXPECT_EQ(word, b.word());
    equal_to_other_seed += word == c.word();
  }
  EXPECT_EQ(equal_to_other_seed, 0);
}

TEST(Random, UniformStaysInItsRangeWithMeanHalfAndVarianceOneTwelfth) {
  Random random(11);
  Real sum = 0.0, sum2 = 0.0;
  for (int i = 0; i < samples; ++i) {
    const Real x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    sum += x;
    sum2 += (x - 0.5) * (x - 0.5);
  }
  const Real variance = 1.0 / 12.0;
  EXPECT_NEAR(sum / samples, 0.5, standard_errors * std::sqrt(variance / samples));
  // Var[(x - 1/2)^2] = 1/80 - 1/144.
  EXPECT_NEAR(sum2 / samples, variance, standard_errors * std::sqrt((1.0 / 80.0 - 1.0 / 144.0) / samples));
}

TEST(Random, UniformOfARangeIsAffine) {
  Random a(3), b(3);
  for (int i = 0; i < 1000; ++i) {
    const Real x = a.uniform(-2.0, 6.0);
    EXPECT_EQ(x, -2.0 + 8.0 * b.uniform());
  }
}

// chi-squared over 16 cells: 15 degrees of freedom, 44.3 is exceeded once in ten thousand.
TEST(Random, BelowFillsItsCellsEvenly) {
  Random random(17);
  std::array<int, 16> count{};
  for (int i = 0; i < samples; ++i) ++count.at(random.below(count.size()));
  const Real expected = static_cast<Real>(samples) / static_cast<Real>(count.size());
  Real chi2 = 0.0;
  for (const int n : count) chi2 += (n - expected) * (n - expected) / expected;
  EXPECT_LT(chi2, 44.3);
}

// Moments of the standard normal: mean 0, variance 1, fourth moment 3 (variance of x^4: 105 - 9 = 96).
TEST(Random, NormalHasItsMoments) {
  Random random(23);
  Real sum = 0.0, sum2 = 0.0, sum4 = 0.0;
  for (int i = 0; i < samples; ++i) {
    const Real x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    sum2 += x * x;
    sum4 += x * x * x * x;
  }
  EXPECT_NEAR(sum / samples, 0.0, standard_errors * std::sqrt(1.0 / samples));
  EXPECT_NEAR(sum2 / samples, 1.0, standard_errors * std::sqrt(2.0 / samples));
  EXPECT_NEAR(sum4 / samples, 3.0, standard_errors * std::sqrt(96.0 / samples));
}

}  // namespace
}  // namespace grus::random_test
