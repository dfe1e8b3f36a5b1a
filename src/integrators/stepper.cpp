#include "integrators/stepper.hpp"

#include "integrators/end_contacts.hpp"
#include "integrators/moreau_jean.hpp"

namespace grus {

Stepper::Stepper(const Model& model, State state, const Parallel& parallel)
    : model_(model), parallel_(parallel), state_(std::move(state)), work_(model) {}

const StepReport& Stepper::step(const Loads& loads) {
  step_without_look(loads);
  find_contacts();
  return report_;
}

const StepReport& Stepper::step_without_look(const Loads& loads) {
  return report_ = step_moreau_jean(model_, state_, work_, parallel_, loads);
}

void Stepper::find_contacts() { find_end_contacts(model_, state_, work_, report_, parallel_); }

void Stepper::forget() { work_ = Workspace(model_); }

}  // namespace grus
