// Where the warnings of a run begin: just below a threshold nothing is said, just above it what and where.
#include "simulation/warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/rig.hpp"

namespace grus::testing::warnings_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A floor and two balls of 0.1 m, named.
CompiledScene two_balls() {
  Spec spec = bare_spec(1e-3, 0.0, 0.0);
  spec.gravity = Vec3(0, 0, -9.81);
  add_body(spec, sphere_shape(0.1), Vec3(0, 0, 0.1)).name = "low";
  add_body(spec, sphere_shape(0.1), Vec3(0, 0, 0.3)).name = "high";
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1)).name = "floor";
  return Rig(spec).scene;
}

// As Session sums it up: `error` joules of 200 turned over.
SummaryEnergy balance_off_by(Real error, Real error_potential = 0.0) {
  SummaryEnergy energy;
  energy.kinetic_start = 200.0;
  energy.turned_over = 200.0;
  energy.balance_error = error;
  energy.balance_error_potential = error_potential;
  energy.balance_error_part = std::abs(error) / energy.turned_over;
  return energy;
}

std::vector<std::string> of_energy(const SummaryEnergy& energy) { return run_warnings(two_balls(), {}, energy); }

TEST(Warnings, BalanceIsPoorAboveAHundredthOfTheEnergyTurnedOver) {
  EXPECT_THAT(of_energy(balance_off_by(1.99)), IsEmpty());
  EXPECT_THAT(of_energy(balance_off_by(-1.99)), IsEmpty());
  EXPECT_THAT(of_energy(balance_off_by(2.01)), ElementsAre(AllOf(HasSubstr("the energy balance does not close: 2.01 J"),
                                                                 HasSubstr("came from nowhere, 1 % of the 200 J"))));
  EXPECT_THAT(of_energy(balance_off_by(-2.01)), ElementsAre(HasSubstr("2.01 J are missing")));
}

TEST(Warnings, BalanceNamesTheSideThatDoesNotClose) {
  EXPECT_THAT(of_energy(balance_off_by(4.0, 2.1)), ElementsAre(HasSubstr("a spring that is stiff")));
  EXPECT_THAT(of_energy(balance_off_by(4.0, 1.9)), ElementsAre(HasSubstr("turns far in one time.step")));
}

// Of energies of 1e13 J two joules are rounding, however little is turned over.
TEST(Warnings, BalanceWithinRoundingIsNoError) {
  SummaryEnergy energy = balance_off_by(4.0);
  energy.potential_start = 3.9e12;
  EXPECT_THAT(of_energy(energy), ElementsAre(HasSubstr("energy balance")));
  energy.potential_start = 4.1e12;
  EXPECT_THAT(of_energy(energy), IsEmpty());
}

std::vector<std::string> of_steps(const std::vector<StepReport>& steps) {
  Statistics statistics;
  for (const StepReport& step : steps) statistics.add(step);
  return run_warnings(two_balls(), statistics, {});
}

TEST(Warnings, PoorContactIsTheWorstOfTheRunWithItsBodiesAndTime) {
  StepReport good, poor, worst;
  poor.time = 0.25;
  poor.poor_body_a = 2;
  poor.poor_body_b = 0;
  poor.poor_velocity = 0.5;
  poor.poor_speed = 4.0;
  worst = poor;
  worst.time = 0.75;
  worst.poor_body_a = 0;
  worst.poor_body_b = 1;
  worst.poor_velocity = 0.625;
  EXPECT_THAT(of_steps({good, good}), IsEmpty());
  EXPECT_THAT(of_steps({good, poor}),
              ElementsAre(AllOf(HasSubstr("the contact between floor and low was off by 0.5 m/s at t = 0.25 s"),
                                HasSubstr("below 4 m/s; 1 of 2 steps"))));
  EXPECT_THAT(of_steps({poor, worst, poor, good}),
              ElementsAre(AllOf(HasSubstr("the contact between low and high was off by 0.62 m/s at t = 0.75 s"),
                                HasSubstr("3 of 4 steps"))));
}

TEST(Warnings, TravelPenetrationAndConvergenceHaveThresholds) {
  StepReport step;
  step.travel_max = 0.249;
  EXPECT_THAT(of_steps({step}), IsEmpty());
  step.travel_max = 0.251;
  EXPECT_THAT(of_steps({step}), ElementsAre(HasSubstr("poor time step: a body moved 0.25 of its radius")));

  const Real allowed = two_balls().model.contact.penetration_warning * 0.1;
  step = {};
  step.penetration_max = 0.999 * allowed;
  EXPECT_THAT(of_steps({step}), IsEmpty());
  step.penetration_max = 1.001 * allowed;
  EXPECT_THAT(of_steps({step}), ElementsAre(HasSubstr("large penetration")));

  std::vector<StepReport> steps(100);
  steps[3].converged = false;
  EXPECT_THAT(of_steps(steps), IsEmpty());
  steps[7].converged = false;
  EXPECT_THAT(of_steps(steps), ElementsAre(HasSubstr("2 of 100 steps did not reach solver.tolerance")));
}

TEST(Warnings, MachineBeyondItsToleranceIsNamed) {
  const Real bound = *two_balls().model.solver.machine_tolerance;
  StepReport step;
  step.residual_mechanism = 0.999 * bound;
  EXPECT_THAT(of_steps({step}), IsEmpty());
  step.residual_mechanism = 1.001 * bound;
  EXPECT_THAT(of_steps({step}), ElementsAre(HasSubstr("more than solver.machine_tolerance")));
}

}  // namespace
}  // namespace grus::testing::warnings_test
