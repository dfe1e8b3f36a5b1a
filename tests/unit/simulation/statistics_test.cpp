#include "simulation/statistics.hpp"

#include <gtest/gtest.h>

namespace grus::testing::statistics_test {
namespace {

StepReport step_with(Real residual, Index contacts) {
  StepReport report;
  report.residual = residual;
  report.contacts = contacts;
  report.converged = residual <= 1e-4;
  report.penetration_points = contacts;
  report.penetration_sum = 2e-6 * contacts;
  report.penetration_max = 5e-6;
  return report;
}

Statistics thousand_steps() {
  Statistics statistics;
  for (int k = 1; k <= 1000; ++k) statistics.add(step_with(1e-6 * k, k % 7));
  return statistics;
}

TEST(Statistics, QuantileIsWithinABinOfTheTruth) {
  const Statistics statistics = thousand_steps();
  EXPECT_NEAR(statistics.residual_quantile(0.99), 990e-6, 0.037 * 990e-6);
  EXPECT_NEAR(statistics.residual_quantile(0.5), 500e-6, 0.037 * 500e-6);
  EXPECT_DOUBLE_EQ(statistics.residual_max(), 1e-3);
  EXPECT_EQ(statistics.unconverged_steps(), 900);
}

TEST(Statistics, ZeroResidualsHaveQuantileZero) {
  Statistics statistics;
  for (int k = 0; k < 10; ++k) statistics.add(step_with(0.0, 0));
  EXPECT_EQ(statistics.residual_quantile(0.99), 0.0);
  EXPECT_EQ(statistics.penetration_mean(), 0.0);
}

TEST(Statistics, SurviveACheckpoint) {
  const Statistics before = thousand_steps();
  std::map<std::string, std::vector<double>> fields;
  before.save(fields);
  Statistics after;
  after.load(fields);
  EXPECT_EQ(after.contacts_mean(), before.contacts_mean());
  EXPECT_EQ(after.residual_quantile(0.99), before.residual_quantile(0.99));
  EXPECT_NEAR(after.penetration_mean(), 2e-6, 1e-18);
}

}  // namespace
}  // namespace grus::testing::statistics_test
