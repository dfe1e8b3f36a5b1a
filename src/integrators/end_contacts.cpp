#include "integrators/end_contacts.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "integrators/mechanism_stages.hpp"
#include "integrators/stages.hpp"

namespace grus {

namespace {

bool same_bits(const Real* a, const Real* b, std::size_t count) { return std::memcmp(a, b, count * sizeof(Real)) == 0; }

bool same_bits(const std::vector<Pose>& a, const std::vector<Pose>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Pose& x, const Pose& y) {
    return same_bits(x.position.data(), y.position.data(), 3) &&
           same_bits(x.rotation.coeffs().data(), y.rotation.coeffs().data(), 4);
  });
}

void swap_outset(Workspace& work, NextStep& next) {
  std::swap(work.active, next.active);
  work.kinematic_start.swap(next.kinematic_start);
  work.kinematic_end.swap(next.kinematic_end);
  work.linked_start.swap(next.linked_start);
  work.linked_drive.swap(next.linked_drive);
  work.pose_m.swap(next.pose_m);
  work.angle_m.swap(next.angle_m);
  work.reach.swap(next.reach);
  work.mechanisms.swap(next.mechanisms);
}

void make_room(const Workspace& work, NextStep& next) {
  next.kinematic_start.resize(work.kinematic_start.size());
  next.kinematic_end.resize(work.kinematic_end.size());
  next.linked_start.resize(work.linked_start.size());
  next.linked_drive.resize(work.linked_drive.size());
  next.pose_m.resize(work.pose_m.size());
  next.angle_m.resize(work.angle_m.size());
  next.reach.resize(work.reach.size(), 0.0);
  next.mechanisms.resize(work.mechanisms.size());
}

// Stages 1 to 4 of the next step, into work.next. False when it has none: a motion may end with the run, a machine may
// be in a position it cannot leave. The next step says so, should there be one.
bool prepare_next(const Model& model, const State& state, Workspace& work, const Parallel& parallel) {
  bool prepared = true;
  upcoming_inputs(model, state, work.next.input);
  work.next.input_rate.resize(work.next.input.size());
  for (std::size_t i = 0; i < work.next.input.size(); ++i)
    work.next.input_rate[i] = (state.input_end[i] - state.input_start[i]) / model.integrator.step;
  work.inputs = {state.input_end, work.next.input, state.time, model.integrator.step, work.next.input_rate};
  swap_outset(work, work.next);
  try {
    drive(model, state, work);
    predict(model, state, work, parallel);
    predict_mechanisms(model, state, work);
  } catch (const NumericalError&) {
    prepared = false;
  }
  swap_outset(work, work.next);
  return prepared;
}

void place_bodies(const Model& model, const State& state, NextStep& next) {
  next.active = model.active_count(state.time);
  for (Index i = 0; i < model.dynamic_count; ++i) next.pose_m[i] = {state.position[i], state.rotation[i]};
  place_linked_bodies(model, state, next.linked);
  for (Index body = model.dynamic_count; body < model.kinematic_begin(); ++body)
    next.pose_m[body] = next.linked.pose(model, body);
  for (std::size_t k = 0; k < model.motion.size(); ++k)
    next.pose_m[model.kinematic_begin() + static_cast<Index>(k)] =
        model.motion[k].at(state.time, constant_inputs(state.input_end));
}

}  // namespace

void find_end_contacts(const Model& model, const State& state, Workspace& work, StepReport& report,
                       const Parallel& parallel) {
  Timer timer;
  NextStep& next = work.next;
  make_room(work, next);
  next.is_detected = model.integrator.theta == 1.0 && prepare_next(model, state, work, parallel);
  if (!next.is_detected) place_bodies(model, state, next);
  const std::vector<Real>& reach = next.is_detected ? next.reach : work.reach;
  next.pair_count =
      detect(model, next.pose_m, next.active, {activation_skin(model), reach}, work.collision, next.contacts, parallel)
          .pair_count;
  report.penetration_points = static_cast<Index>(next.contacts.size());
  report.penetration_sum = report.penetration_max = 0.0;
  for (const ContactPoint& contact : next.contacts) {
    const Real depth = std::max(0.0, -contact.gap);
    report.penetration_sum += depth;
    report.penetration_max = std::max(report.penetration_max, depth);
  }
  report.seconds[static_cast<int>(Stage::detect)] += timer.lap();
}

bool take_end_contacts(Workspace& work, Index& pair_count) {
  NextStep& next = work.next;
  const bool same = next.is_detected && next.active == work.active && same_bits(next.pose_m, work.pose_m) &&
                    next.reach.size() == work.reach.size() &&
                    same_bits(next.reach.data(), work.reach.data(), work.reach.size());
  next.is_detected = false;
  if (!same) return false;
  work.contacts.swap(next.contacts);
  pair_count = next.pair_count;
  return true;
}

}  // namespace grus
