#include "io/packed.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "core/random.hpp"
#include "unit/io/unpacked.hpp"

namespace grus::packed_test {
namespace {

TEST(Packed, IntegersComeBack) {
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min(),
                         most = std::numeric_limits<std::int32_t>::max();
  const std::vector<std::int32_t> values = {0, 1, -1, 255, -256, 65536, most, least};
  EXPECT_EQ(test::unpacked_integers(packed_integers(values)), values);
  EXPECT_TRUE(test::unpacked_integers(packed_integers({})).empty());
}

TEST(Packed, SmallIntegersAreSmall) {
  Random random(1);
  std::vector<std::int32_t> values(10000);
  for (std::int32_t& v : values) v = static_cast<std::int32_t>(random.uniform(-4.0, 4.0));
  EXPECT_LT(packed_integers(values).size(), values.size()) << "less than a byte each, as base64";
}

TEST(Packed, RealsKeepWhatAPlotShows) {
  constexpr Real inf = std::numeric_limits<Real>::infinity();
  const std::vector<Real> special = {1.0, -inf, inf, std::nan(""), 0.0};
  const std::vector<Real> back = test::unpacked_reals(packed_reals(special));
  EXPECT_EQ(back[0], 1.0);
  EXPECT_EQ(back[1], -inf);
  EXPECT_EQ(back[2], inf);
  EXPECT_TRUE(std::isnan(back[3]));

  // a small motion on a large value; values over many decades
  std::vector<Real> drift, decades;
  for (int i = 0; i <= 1000; ++i) {
    drift.push_back(1.0e3 + 1.0e-9 * std::sin(0.01 * i));
    decades.push_back(std::pow(10.0, -0.01 * i));
  }
  const std::vector<Real> drift_back = test::unpacked_reals(packed_reals(drift));
  const std::vector<Real> decades_back = test::unpacked_reals(packed_reals(decades));
  for (std::size_t i = 0; i < drift.size(); ++i) {
    EXPECT_EQ(drift_back[i], drift[i]) << "its range needs every digit";
    EXPECT_NEAR(decades_back[i], decades[i], 1e-7 * decades[i]);
  }
}

}  // namespace
}  // namespace grus::packed_test
