#include "simulation/not_finite_words.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "model/finite_state.hpp"

namespace grus {

namespace {

// In steps from the time of the state, which is that of the start or of the end of the step that failed.
constexpr std::array<Real, 6> near_times{-1.0, -0.5, 0.0, 0.5, 1.0, 1.5};

// A time near that of the state at which the function is not finite.
const Real* odd_time(const TimeFunction& function, const Inputs& inputs,
                     const std::array<Real, near_times.size()>& times) {
  for (const Real& time : times)
    if (!std::isfinite(function(time, inputs))) return &time;
  return nullptr;
}

std::string function_words(const CompiledScene& scene, const Inputs& inputs, Real now) {
  const Model& model = scene.model;
  std::array<Real, near_times.size()> times{};
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = std::max(0.0, now + near_times[k] * model.integrator.step);
  const auto words = [](const char* what, const std::string& name, Real time) {
    return fmt::format("the {} of '{}' is not a number at t = {:.6g} s", what, name, time);
  };
  for (std::size_t k = 0; k < model.motion.size(); ++k) {
    const Motion& motion = model.motion[k];
    for (const TimeFunctionPtr& function :
         {motion.displacement[0], motion.displacement[1], motion.displacement[2], motion.angle}) {
      const Real* time = function ? odd_time(*function, inputs, times) : nullptr;
      if (time) return words("motion", scene.names.body[static_cast<std::size_t>(model.kinematic_begin()) + k], *time);
    }
  }
  for (std::size_t d = 0; d < model.mechanisms.size(); ++d) {
    const std::vector<Coordinate>& coordinates = model.mechanisms[d].coordinates;
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      const Real* time = coordinates[k].drive ? odd_time(*coordinates[k].drive, inputs, times) : nullptr;
      if (time) return words("drive", scene.names.mechanism[d].coordinate[k], *time);
    }
  }
  return {};
}

// The mechanism that holds element `index` of an array in which each begins at its `first`.
template <class First>
std::size_t mechanism_with(const Model& model, std::size_t index, const First& first) {
  std::size_t d = 0;
  while (d + 1 < model.mechanisms.size() && static_cast<std::size_t>(first(model.mechanisms[d + 1])) <= index) ++d;
  return d;
}

std::string coordinate_name(const CompiledScene& scene, std::string_view field, std::size_t index) {
  const Model& model = scene.model;
  if (field == "joint_position") {
    const std::size_t d = mechanism_with(model, index, [](const Mechanism& m) { return m.first_position; });
    const Mechanism& mechanism = model.mechanisms[d];
    const auto local = static_cast<Index>(index) - mechanism.first_position;
    for (std::size_t k = 0; k < mechanism.coordinates.size(); ++k)
      if (mechanism.coordinates[k].position == local) return scene.names.mechanism[d].coordinate[k];
    return scene.names.mechanism[d].name;  // of a ball
  }
  const std::size_t d = mechanism_with(model, index, [](const Mechanism& m) { return m.first_velocity; });
  return scene.names.mechanism[d].coordinate[index - static_cast<std::size_t>(model.mechanisms[d].first_velocity)];
}

std::string element_words(const CompiledScene& scene, const NotFinite& odd) {
  const std::string_view field = odd.field;
  std::string what(field);
  std::replace(what.begin(), what.end(), '_', ' ');
  for (const char* of_bodies : {"position", "rotation", "angle", "velocity", "angular_velocity"})
    if (field == of_bodies) return fmt::format("the {} of '{}'", what, scene.names.body[odd.index]);
  for (const char* of_coordinates : {"joint_position", "joint_velocity", "limit_impulse", "friction_impulse"})
    if (field == of_coordinates) return fmt::format("the {} of '{}'", what, coordinate_name(scene, field, odd.index));
  if (field == "condition_impulse") {
    const auto group = static_cast<std::size_t>(scene.model.joint_conditions[odd.index].group);
    return fmt::format("the impulse of the joint '{}'", scene.names.joint[group]);
  }
  if (field == "memory") {
    const std::size_t d = mechanism_with(scene.model, odd.index, [](const Mechanism& m) { return m.first_memory; });
    return fmt::format("a memory of '{}'", scene.names.mechanism[d].name);
  }
  for (const char* of_inputs : {"input", "input_start", "input_end", "input_rate"})
    if (field == of_inputs) return fmt::format("the input '{}'", scene.names.input[odd.index]);
  return "the " + what;
}

}  // namespace

std::string not_finite_words(const CompiledScene& scene, const State& state) {
  const std::string input = function_words(scene, constant_inputs(state.input_end), state.time);
  if (!input.empty()) return input;
  const auto odd = find_not_finite(state);
  if (!odd) return {};
  return fmt::format("{} is not a number at t = {:.6g} s", element_words(scene, *odd), state.time);
}

}  // namespace grus
