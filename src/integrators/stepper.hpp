// A scene in motion: its state, what a step needs to lead it on, and the one way to make a step.
#pragma once

#include "core/parallel.hpp"
#include "integrators/step_report.hpp"
#include "integrators/workspace.hpp"
#include "model/loads.hpp"
#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

class Stepper {
 public:
  // The model outlives the stepper. `state` is where it starts.
  Stepper(const Model& model, State state, const Parallel& parallel);

  // One step, then the contacts at its end (end_contacts.hpp). Throws NumericalError when the result is not finite; the
  // state is then spoiled.
  const StepReport& step(const Loads& loads = {});
  // Without the contacts at the end: for who changes the state first and calls find_contacts() then.
  const StepReport& step_without_look(const Loads& loads = {});

  // Contacts where it stands, for a report before the first step and after the state was changed.
  void find_contacts();

  // After the model has changed: a cache must not outlive what it was computed from.
  void forget();

  const State& state() const { return state_; }
  State& state() { return state_; }
  Workspace& work() { return work_; }
  const Workspace& work() const { return work_; }
  const StepReport& report() const { return report_; }
  const Parallel& parallel() const { return parallel_; }

 private:
  const Model& model_;
  Parallel parallel_;
  State state_;
  Workspace work_;
  StepReport report_;
};

}  // namespace grus
