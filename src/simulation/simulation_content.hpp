// What a Simulation holds, and how it steps: with callbacks and loads, back to where it stood when a step fails, and
// unusable after an error of Grus itself.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/error.hpp"
#include "grus/simulation.hpp"
#include "integrators/energy.hpp"
#include "integrators/stepper.hpp"
#include "simulation/carried_bodies.hpp"
#include "simulation/not_finite_words.hpp"
#include "simulation/observe.hpp"
#include "simulation/recorder.hpp"

namespace grus {

inline Vec3 vector_of(const Vector3& v) { return {v[0], v[1], v[2]}; }

[[noreturn]] inline void refuse_call(const std::string& message) { throw std::invalid_argument(message); }

inline void check_index(std::int32_t index, std::size_t count, const char* what) {
  if (index < 0 || static_cast<std::size_t>(index) >= count)
    refuse_call(fmt::format("there is no {} number {}, the scene has {}", what, index, count));
}

struct SavedState::Content {
  std::uint64_t scene_hash = 0;
  State state;
};

struct Simulation::Content {
  Content(std::shared_ptr<const Spec> written, std::shared_ptr<const CompiledScene> compiled, State state,
          const Parallel& threads)
      : spec(std::move(written)),
        scene(std::move(compiled)),
        start(mechanical_energy(scene->model, scene->initial)),
        stepper(scene->model, std::move(state), threads),
        columns(series_column_names(scene->probes)) {
    for (const MechanismNames& mechanism : scene->names.mechanism) {
      mechanisms.push_back(mechanism.name);
      coordinates.insert(coordinates.end(), mechanism.coordinate.begin(), mechanism.coordinate.end());
    }
    stepper.find_contacts();
    describe_step();
  }

  const Model& model() const { return scene->model; }
  const State& state() const { return stepper.state(); }

  void describe_step() {
    const StepReport& report = stepper.report();
    last = {report.contacts,
            report.pairs,
            report.sweeps,
            report.converged,
            report.residual,
            report.residual_velocity,
            report.residual_mechanism,
            report.penetration_max,
            report.loop_error,
            report.lost};
  }

  // What is computed goes through here: after a broken invariant of Grus nothing of this simulation is to be trusted.
  template <class Work>
  auto attempt(const Work& work) -> decltype(work()) {
    try {
      return work();
    } catch (const InternalError& error) {
      broken = error.what();
      throw;
    }
  }

  // What is computed from the state when it is asked for.
  void state_changed() {
    carried_is_placed = false;
    row_is_observed = false;
  }
  const CarriedBodies& carried_bodies() {
    if (!carried_is_placed) attempt([&] { place_carried_bodies(model(), state(), carried); });
    carried_is_placed = true;
    return carried;
  }
  std::span<const double> observed() {
    if (!row_is_observed)
      attempt([&] { observe(*scene, start, state(), carried_bodies(), stepper.work(), stepper.report(), row); });
    row_is_observed = true;
    return row;
  }

  // Body frame B (centre of mass) in the world, and the frame of the user.
  Pose pose_of_B(Index body) {
    if (model().is_dynamic(body)) return {state().position[body], state().rotation[body]};
    const CarriedBodies& bodies = carried_bodies();
    const Index i = body - model().dynamic_count;
    return {bodies.position[i], bodies.rotation[i]};
  }
  Vec3 to_B(Index body, const Vector3& point) const {
    const auto i = static_cast<std::size_t>(body);
    return model().R_UB[i].conjugate() * (vector_of(point) - model().p_UB[i]);
  }

  void check_body(std::int32_t body) const { check_index(body, scene->names.body.size(), "body"); }
  void check_free(std::int32_t body, const char* what) const {
    check_body(body);
    if (!model().is_dynamic(body))
      refuse_call(fmt::format("{}: '{}' is not a free body", what, scene->names.body[static_cast<std::size_t>(body)]));
  }
  void check_not_in_callback(const char* what) const {
    if (in_callback) refuse_call(fmt::format("{} cannot be called by a callback of a step", what));
  }

  void add_load(std::int32_t body, const BodyLoad& load) {
    check_body(body);
    if (model().is_kinematic(body))
      refuse_call(fmt::format("'{}' moves on a given path, which no force changes",
                              scene->names.body[static_cast<std::size_t>(body)]));
    if (!(load.force + load.torque + load.at).allFinite()) refuse_call("a load is not a finite number");
    (in_callback ? step_loads : call_loads).bodies.push_back(load);
  }

  void call(const std::vector<Callback>& callbacks, Simulation& simulation) {
    const auto leave = [&](void*) { in_callback = false; };
    const std::unique_ptr<void, decltype(leave)> guard(this, leave);
    in_callback = true;
    for (std::size_t i = 0; i < callbacks.size(); ++i) callbacks[i](simulation);
  }

  // The loads of the call and of this step together.
  const Loads& all_loads() {
    if (step_loads.empty()) return call_loads;
    step_loads.bodies.insert(step_loads.bodies.end(), call_loads.bodies.begin(), call_loads.bodies.end());
    if (step_loads.joints.empty()) {
      step_loads.joints = call_loads.joints;
    } else {
      for (std::size_t k = 0; k < call_loads.joints.size(); ++k) step_loads.joints[k] += call_loads.joints[k];
    }
    return step_loads;
  }

  // An exception on the way leaves a state that belongs to no time, and the simulation says so.
  void place(const State& to) {
    is_between_states = true;
    stepper.state() = to;
    stepper.forget();
    stepper.find_contacts();
    state_changed();
    is_between_states = false;
  }

  // A step, or nothing: also when memory runs out in its middle.
  void step_or_take_back() {
    undo = state();
    try {
      stepper.step(all_loads());
    } catch (const InternalError&) {
      throw;
    } catch (const NumericalError& error) {
      const std::string words = not_finite_words(*scene, state());
      place(undo);
      throw NumericalError(words.empty() ? error.what() : words);
    } catch (...) {
      place(undo);
      throw;
    }
    state_changed();
    describe_step();
  }

  // Loads end with the call, however it ends.
  template <class Steps>
  void with_loads(const Steps& steps) {
    const auto clear = [&](void*) { call_loads = {}; };
    const std::unique_ptr<void, decltype(clear)> guard(this, clear);
    steps();
  }

  // Callbacks are the host's: an InternalError of another simulation that passes through them is not one of this.
  void one_step(Simulation& simulation) {
    step_loads = {};
    if (!before.empty()) call(before, simulation);
    attempt([&] {
      step_or_take_back();
      if (recorder) recorder->after_step();
    });
    if (!after.empty()) call(after, simulation);
  }

  std::shared_ptr<const Spec> spec;
  std::shared_ptr<const CompiledScene> scene;
  Energy start;
  Stepper stepper;
  std::vector<std::string> columns, mechanisms, coordinates;
  StepSummary last;
  std::vector<Callback> before, after;
  Loads call_loads, step_loads;
  bool in_callback = false;
  State undo;
  std::string broken;  // what InternalError said; empty: it is usable
  bool is_between_states = false;

  std::optional<Recorder> recorder;  // goes before what it looks at

  CarriedBodies carried;
  bool carried_is_placed = false;
  std::vector<Real> row;
  bool row_is_observed = false;
};

// For tests, which break an invariant to see what follows.
struct SimulationAccess {
  static Stepper& stepper(const Simulation& simulation) { return simulation.content().stepper; }
};

}  // namespace grus
