#include "model/size_distribution.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>

namespace grus::size_distribution_test {
namespace {

using Kind = SizeSpec::Kind;
using testing::HasSubstr;

SizeSpec make(Kind kind) {
  SizeSpec spec;
  spec.kind = kind;
  return spec;
}

SizeSpec sieve(std::vector<std::pair<Real, Real>> points) {
  SizeSpec spec = make(Kind::sieve);
  spec.points = std::move(points);
  return spec;
}

std::vector<Real> draw(const SizeSpec& spec, int count, bool planar = false) {
  EXPECT_EQ(size_error(spec), std::nullopt);
  const SizeDistribution sizes(spec, planar);
  Random random(11);
  std::vector<Real> result(static_cast<std::size_t>(count));
  for (Real& d : result) {
    d = sizes.sample(random);
    EXPECT_GE(d, sizes.smallest());
    EXPECT_LE(d, sizes.largest());
  }
  std::sort(result.begin(), result.end());
  return result;
}

// Largest distance between the sample's distribution function and F.
Real kolmogorov(const std::vector<Real>& sorted, const std::function<Real(Real)>& F) {
  Real worst = 0.0;
  const Real n = static_cast<Real>(sorted.size());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    const Real f = F(sorted[i]);
    worst = std::max({worst, std::abs(f - static_cast<Real>(i) / n), std::abs(f - static_cast<Real>(i + 1) / n)});
  }
  return worst;
}

constexpr int count = 20000;
// The distance exceeds 2/sqrt(n) for one true sample in a thousand (Kolmogorov: 2 exp(-8) = 7e-4).
const Real kolmogorov_bound = 2.0 / std::sqrt(static_cast<Real>(count));

Real normal_cdf(Real x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

TEST(SizeDistribution, Fixed) {
  SizeSpec spec = make(Kind::fixed);
  spec.diameter = 0.3;
  for (const Real d : draw(spec, 10)) EXPECT_EQ(d, 0.3);
}

TEST(SizeDistribution, Uniform) {
  SizeSpec spec = make(Kind::uniform);
  spec.min = 1.0;
  spec.max = 3.0;
  EXPECT_LT(kolmogorov(draw(spec, count), [](Real d) { return (d - 1.0) / 2.0; }), kolmogorov_bound);
}

TEST(SizeDistribution, TruncatedNormal) {
  SizeSpec spec = make(Kind::normal);
  spec.diameter = 2.0;
  spec.deviation = 0.5;
  spec.min = 1.8;
  spec.max = 3.0;
  const auto z = [](Real d) { return normal_cdf((d - 2.0) / 0.5); };
  EXPECT_LT(kolmogorov(draw(spec, count), [&](Real d) { return (z(d) - z(1.8)) / (z(3.0) - z(1.8)); }),
            kolmogorov_bound);
}

TEST(SizeDistribution, TruncatedLognormalByDefaultAtThreeDeviations) {
  SizeSpec spec = make(Kind::lognormal);
  spec.diameter = 2.0;
  spec.deviation = 0.4;
  const auto z = [](Real d) { return normal_cdf(std::log(d / 2.0) / 0.4); };
  const Real low = normal_cdf(-3.0), high = normal_cdf(3.0);
  EXPECT_LT(kolmogorov(draw(spec, count), [&](Real d) { return (z(d) - low) / (high - low); }), kolmogorov_bound);
}

TEST(SizeDistribution, DiscreteByNumber) {
  SizeSpec spec = make(Kind::discrete);
  spec.points = {{1.0, 3.0}, {4.0, 0.0}, {2.0, 1.0}};
  const auto sample = draw(spec, count);
  const auto of = [&](Real d) { return static_cast<Real>(std::count(sample.begin(), sample.end(), d)) / count; };
  EXPECT_NEAR(of(1.0), 0.75, kolmogorov_bound);
  EXPECT_NEAR(of(2.0), 0.25, kolmogorov_bound);
  EXPECT_EQ(of(4.0), 0.0);
}

class SieveCurve : public testing::TestWithParam<bool> {};

// The number distribution against its closed form, and the mass of the sample back against the curve.
TEST_P(SieveCurve, GivesBackItsMassFractions) {
  const bool planar = GetParam();
  const int k = planar ? 2 : 3;
  const std::vector<std::pair<Real, Real>> curve{{1.0, 0.0}, {1.5, 0.2}, {2.0, 0.2}, {3.0, 1.0}};
  const auto sample = draw(sieve(curve), count, planar);
  Real total = 0.0;
  for (const Real d : sample) total += std::pow(d, k);
  for (const auto& [diameter, passing] : curve) {
    Real mass = 0.0;
    for (const Real d : sample) mass += d <= diameter ? std::pow(d, k) : 0.0;
    EXPECT_NEAR(mass / total, passing, kolmogorov_bound) << diameter;
  }
  EXPECT_EQ(std::count_if(sample.begin(), sample.end(), [](Real d) { return d > 1.5 && d < 2.0; }), 0);
  // numbers: n(d) = P'(d)/d^k
  const Real m = 1.0 - k;
  const auto numbers = [&](Real a, Real b, Real share) { return share / (b - a) * (std::pow(a, m) - std::pow(b, m)); };
  const auto N = [&](Real d) {
    Real n = 0.0;
    for (std::size_t i = 0; i + 1 < curve.size(); ++i) {
      const auto& [a, p] = curve[i];
      const auto& [b, q] = curve[i + 1];
      if (d <= a) break;
      const Real end = std::min(b, d);
      n += numbers(a, end, (q - p) * (end - a) / (b - a));
    }
    return n;
  };
  EXPECT_LT(kolmogorov(sample, [&](Real d) { return N(d) / N(3.0); }), kolmogorov_bound);
}

INSTANTIATE_TEST_SUITE_P(PlanarAndSpatial, SieveCurve, testing::Bool());

TEST(SizeDistribution, Faults) {
  EXPECT_THAT(size_error(make(Kind::fixed)).value(), HasSubstr("diameter is 0"));
  SizeSpec uniform = make(Kind::uniform);
  uniform.min = 2.0;
  uniform.max = 1.0;
  EXPECT_THAT(size_error(uniform).value(), HasSubstr("in order"));
  SizeSpec normal = make(Kind::normal);
  normal.diameter = 1.0;
  normal.deviation = 0.5;  // three deviations reach below zero
  EXPECT_THAT(size_error(normal).value(), HasSubstr("must be positive"));
  normal.deviation = -1.0;
  EXPECT_THAT(size_error(normal).value(), HasSubstr("deviation is -1"));
  normal.deviation = 0.1;
  normal.min = 2.0;
  normal.max = 3.0;
  EXPECT_THAT(size_error(normal).value(), HasSubstr("almost nothing"));
  normal.deviation = 0.0;
  EXPECT_THAT(size_error(normal).value(), HasSubstr("outside"));
  EXPECT_THAT(size_error(make(Kind::discrete)).value(), HasSubstr("at least 1"));
  EXPECT_THAT(size_error(sieve({{1.0, 0.0}})).value(), HasSubstr("at least 2"));
  EXPECT_THAT(size_error(sieve({{2.0, 0.0}, {1.0, 1.0}})).value(), HasSubstr("must rise"));
  EXPECT_THAT(size_error(sieve({{1.0, 0.1}, {2.0, 1.0}})).value(), HasSubstr("from 0 to 1"));
  EXPECT_THAT(size_error(sieve({{1.0, 0.0}, {2.0, std::nan("")}})).value(), HasSubstr("share nan"));
  SizeSpec discrete = make(Kind::discrete);
  discrete.points = {{1.0, 0.0}};
  EXPECT_THAT(size_error(discrete).value(), HasSubstr("all weights are 0"));
  discrete.points = {{-1.0, 1.0}};
  EXPECT_THAT(size_error(discrete).value(), HasSubstr("diameter -1"));
}

}  // namespace
}  // namespace grus::size_distribution_test
