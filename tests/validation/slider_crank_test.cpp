// Case A: the slider-crank with a clearance guide (paper 000, section 5), its models 1, 2, 3 and 5.
//
// The reference is model 1 with midpoint velocities at a twentieth of the step. Until the first impacts differ the
// models are one machine; impacts amplify what they differ in, so the comparison ends with the first revolution.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "io/scene/scene.hpp"
#include "multibody/linked_bodies.hpp"
#include "support/paths.hpp"
#include "support/rig.hpp"

namespace grus::slider_crank_test {
namespace {

constexpr Real clearance = 1e-3;
constexpr Real half_length = 0.05, half_height = 0.025;

struct Trace {
  std::vector<Real> y;          // of the slider every `sample` seconds
  Real crank_angle = 0.0;       // at the end
  Real loop_error = 0.0;        // largest
  Real condition_error = 0.0;   // largest
  Real penetration_mean = 0.0;  // over the corners that end a step inside a wall
  Real penetration_max = 0.0;
  Real energy_rise = 0.0;  // largest rise above an earlier energy, as a part of the first
};

struct Slider {
  Vec3 position;
  Real angle;
};

Slider slider_of(const testing::Rig& rig, Real* crank_angle) {
  const Model& model = rig.scene.model;
  if (model.linked_count == 0) {
    *crank_angle = rig.state.angle[0];
    return {rig.state.position[2], rig.state.angle[2]};
  }
  LinkedBodies linked;
  place_linked_bodies(model, rig.state, linked);
  *crank_angle = linked.angle(model, model.dynamic_count);
  const Index slider = model.dynamic_count + 2;
  return {linked.pose(model, slider).position, linked.angle(model, slider)};
}

// Sampled every 1e-4 s to `end`, or to the end of the first revolution when end is zero.
Trace run(const std::string& scene, Real h, Real end, const std::vector<std::string>& more = {}) {
  std::vector<std::string> overrides{"time.step=" + std::to_string(h * 1e9) + "e-9"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  testing::Rig rig(load_scene(std::string(GRUS_SOURCE_DIR) + "/examples/slider-crank/" + scene + ".yaml", overrides));
  const auto per_sample = std::llround(1e-4 / h);
  Trace trace;
  Real depth_sum = 0.0, lowest = rig.energy();
  const Real first = lowest;
  long long depth_count = 0;
  for (long long step = 1;; ++step) {
    const StepReport& report = rig.step();
    trace.loop_error = std::max(trace.loop_error, report.loop_error);
    trace.condition_error = std::max(trace.condition_error, report.condition_error);
    const Slider slider = slider_of(rig, &trace.crank_angle);
    const Real s = std::sin(slider.angle), c = std::cos(slider.angle);
    for (const Real side : {-1.0, 1.0}) {
      for (const Real top : {-1.0, 1.0}) {
        const Real corner = slider.position.y() + side * half_length * s + top * half_height * c;
        const Real depth = std::abs(corner) - (half_height + clearance);
        if (depth <= 0.0) continue;
        depth_sum += depth;
        ++depth_count;
        trace.penetration_max = std::max(trace.penetration_max, depth);
      }
    }
    if (step % per_sample == 0) {
      trace.y.push_back(slider.position.y());
      const Real energy = rig.energy();
      trace.energy_rise = std::max(trace.energy_rise, (energy - lowest) / first);
      lowest = std::min(lowest, energy);
    }
    const Real t = static_cast<Real>(step) * h;
    if (end > 0.0 ? t > end - 0.5 * h : trace.crank_angle >= 2.0 * std::numbers::pi) break;
  }
  trace.penetration_mean = depth_count > 0 ? depth_sum / static_cast<Real>(depth_count) : 0.0;
  return trace;
}

Real rms_difference(const Trace& a, const Trace& b) {
  const std::size_t count = std::min(a.y.size(), b.y.size());
  Real sum = 0.0;
  for (std::size_t k = 0; k < count; ++k) sum += (a.y[k] - b.y[k]) * (a.y[k] - b.y[k]);
  return std::sqrt(sum / static_cast<Real>(count));
}

// One test for the three models, as they share the reference.
TEST(SliderCrank, TreeModelsAgreeWithTheReferenceOverTheFirstRevolution) {
  const Trace reference = run("chain", 5e-7, 0.0, {"integrator.bias=midpoint"});
  for (const char* model : {"chain", "cut-xy", "cut-y-free"}) {
    SCOPED_TRACE(model);
    const Trace coarse = run(model, 2e-5, 0.0), fine = run(model, 1e-5, 0.0), finer = run(model, 5e-6, 0.0);
    const Real error = rms_difference(fine, reference);
    RecordProperty(std::string("rms ") + model, std::to_string(error));
    EXPECT_LT(error, 0.05 * clearance);
    EXPECT_LT(error, rms_difference(coarse, reference));
    EXPECT_LT(rms_difference(finer, reference), error);
    EXPECT_LT(fine.loop_error, 1e-10);
    EXPECT_LT(fine.penetration_max, 0.02 * clearance);
  }
}

TEST(SliderCrank, OpenChainAndCutWithDependentXyAreOneMap) {
  const Trace chain = run("chain", 1e-5, 0.0), cut = run("cut-xy", 1e-5, 0.0);
  ASSERT_EQ(chain.y.size(), cut.y.size());
  for (std::size_t k = 0; k < chain.y.size(); ++k) EXPECT_NEAR(chain.y[k], cut.y[k], 1e-6) << k;
}

// Fig. 7, right: with y independent the contact operator is almost linear, and the slider does not sink into the wall.
TEST(SliderCrank, IndependentYKeepsTheSliderOutOfTheWallAtLargeSteps) {
  const Real h = 1e-4, end = 0.14;
  const Real free = run("cut-y-free", h, end).penetration_mean;
  EXPECT_GT(run("chain", h, end).penetration_mean, 5.0 * free);
  EXPECT_GT(run("cut-xy", h, end).penetration_mean, 5.0 * free);
}

TEST(SliderCrank, JointsAtVelocityLevelDrift) {
  const Real end = 0.04;
  const Real fine = run("absolute", 1e-5, end).condition_error, coarse = run("absolute", 4e-5, end).condition_error;
  EXPECT_GT(fine, 1e-9);
  EXPECT_GT(coarse, 2.0 * fine);
}

// Velocity-dependent forces at v_n cost a first-order error in the crank's angle; at the midpoint velocity a
// second-order one. Both go to the same answer.
TEST(SliderCrank, BothBiasRulesConvergeToOneCrankAngle) {
  const Real end = 0.2;
  const std::vector<std::string> euler{"integrator.bias=explicit"}, midpoint{"integrator.bias=midpoint"};
  const Real answer = run("flores", 2.5e-6, end, midpoint).crank_angle;
  const Real coarse = run("flores", 1e-5, end, euler).crank_angle - answer;
  const Real fine = run("flores", 2.5e-6, end, euler).crank_angle - answer;
  const Trace middle = run("flores", 1e-5, end, midpoint);
  EXPECT_LT(coarse, 0.0);
  EXPECT_LT(std::abs(fine), 0.35 * std::abs(coarse));
  EXPECT_LT(std::abs(middle.crank_angle - answer), 0.1 * std::abs(coarse));
  EXPECT_LT(middle.energy_rise, 1e-5);
}

}  // namespace
}  // namespace grus::slider_crank_test
