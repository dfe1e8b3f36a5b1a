#include "model/finite_state.hpp"

#include <algorithm>
#include <cmath>

#include "model/state_fields.hpp"

namespace grus {

namespace {

bool is_finite_number(Real value) { return std::isfinite(value); }
bool is_finite_number(const Vec3& value) { return value.allFinite(); }
bool is_finite_number(const Quat& value) { return value.coeffs().allFinite(); }
template <class T>
bool is_finite_number(const T&) {
  return true;  // counts and keys
}

struct FindField {
  std::optional<NotFinite>& found;

  template <class T>
  void operator()(const char* name, const T& value) const {
    if (!found && !is_finite_number(value)) found = NotFinite{name, 0};
  }
  template <class T>
  void operator()(const char* name, const std::vector<T>& values) const {
    if (found) return;
    const auto odd =
        std::find_if(values.begin(), values.end(), [](const T& value) { return !is_finite_number(value); });
    if (odd != values.end()) found = NotFinite{name, static_cast<std::size_t>(odd - values.begin())};
  }
};

Real sum_of(const std::vector<Real>& values) {
  Real sum = 0.0;
  for (const Real value : values) sum += value;
  return sum;
}

Real sum_of(const std::vector<Quat>& values) {
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  for (const Quat& value : values) sum += value.coeffs();
  return sum.sum();
}

Real sum_of(const EnergyLedger& e) {
  return e.dissipated_contact + e.dissipated_joint + e.work_walls + e.work_drives + e.work_forces + e.recovery +
         e.work_conservative + e.gross_in + e.gross_out + e.kinetic_max;
}

}  // namespace

std::optional<NotFinite> find_not_finite(const State& state) {
  std::optional<NotFinite> found;
  visit_fields(state, FindField{found});
  return found;
}

std::optional<NotFinite> find_not_finite_beside_bodies(const State& state) {
  const Real sum = state.time + sum_of(state.rotation) + sum_of(state.angle) + sum_of(state.joint_position) +
                   sum_of(state.joint_velocity) + sum_of(state.memory) + sum_of(state.limit_impulse) +
                   sum_of(state.friction_impulse) + sum_of(state.condition_impulse) + sum_of(state.energy) +
                   sum_of(state.input) + sum_of(state.input_start) + sum_of(state.input_end) + sum_of(state.input_rate);
  if (std::isfinite(sum)) return std::nullopt;
  return find_not_finite(state);
}

}  // namespace grus
