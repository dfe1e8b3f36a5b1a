// The one list of the fields of State: state_hash and the checkpoint both walk it, so a new field cannot be
// hashed and not saved, or the other way round.
//
// The structured bindings are the guard: a field added to State or EnergyLedger and not listed here does not
// compile.
#pragma once

#include <utility>

#include "model/state.hpp"

namespace grus {

// Calls visit(name, field) in a fixed order; S is State or const State. A field is Real, std::int64_t or a
// std::vector of Real, std::uint32_t, Vec3, Quat or ContactKey.
template <class S, class Visit>
void visit_fields(S& state, Visit&& visit) {
  auto& [time, step, position, rotation, angle, velocity, angular_velocity, impulse_key, impulse, joint_position,
         joint_velocity, joint_dependent, memory, limit_impulse, friction_impulse, condition_impulse, held_force, input,
         input_start, input_end, input_rate, energy] = state;
  auto& [dissipated_contact, dissipated_joint, work_walls, work_drives, work_forces, recovery, work_conservative,
         gross_in, gross_out, kinetic_max] = energy;
  visit("time", time);
  visit("step", step);
  visit("position", position);
  visit("rotation", rotation);
  visit("angle", angle);
  visit("velocity", velocity);
  visit("angular_velocity", angular_velocity);
  visit("impulse_key", impulse_key);
  visit("impulse", impulse);
  visit("joint_position", joint_position);
  visit("joint_velocity", joint_velocity);
  visit("joint_dependent", joint_dependent);
  visit("memory", memory);
  visit("limit_impulse", limit_impulse);
  visit("friction_impulse", friction_impulse);
  visit("condition_impulse", condition_impulse);
  visit("held_force", held_force);
  visit("input", input);
  visit("input_start", input_start);
  visit("input_end", input_end);
  visit("input_rate", input_rate);
  visit("energy_dissipated_contact", dissipated_contact);
  visit("energy_dissipated_joint", dissipated_joint);
  visit("energy_work_walls", work_walls);
  visit("energy_work_drives", work_drives);
  visit("energy_work_forces", work_forces);
  visit("energy_recovery", recovery);
  visit("energy_work_conservative", work_conservative);
  visit("energy_gross_in", gross_in);
  visit("energy_gross_out", gross_out);
  visit("energy_kinetic_max", kinetic_max);
}

}  // namespace grus
