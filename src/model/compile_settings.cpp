// Scalar settings of the scene, and the small checks the other steps share.
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/nearest_name.hpp"
#include "model/compile_context.hpp"

namespace grus {

SourceMark CompileContext::mark_of(const std::string& path) const {
  const auto found = spec.marks.find(path);
  if (found != spec.marks.end()) return found->second;
  const auto below = spec.marks.lower_bound(path + ".");
  if (below != spec.marks.end() && below->first.starts_with(path + ".")) return below->second;
  return {spec.file, 0, 0};
}

Index CompileContext::add_group(const std::string& name) {
  if (name.empty()) return no_index;
  const auto [entry, is_new] = group_index.emplace(name, static_cast<Index>(groups.size()));
  if (is_new) groups.push_back(name);
  return entry->second;
}

bool check_finite(CompileContext& context, const SourceMark& where, std::string_view what, Real x) {
  if (std::isfinite(x)) return true;
  context.fault(where, fmt::format("{} is {}, expected a finite number", what, x));
  return false;
}

bool check_positive(CompileContext& context, const SourceMark& where, std::string_view what, Real x) {
  if (std::isfinite(x) && x > 0.0) return true;
  context.fault(where, fmt::format("{} is {}, expected a number greater than 0", what, x));
  return false;
}

bool check_not_negative(CompileContext& context, const SourceMark& where, std::string_view what, Real x) {
  if (std::isfinite(x) && x >= 0.0) return true;
  context.fault(where, fmt::format("{} is {}, expected 0 or more", what, x));
  return false;
}

bool check_vector(CompileContext& context, const SourceMark& where, std::string_view what, const Vec3& v) {
  if (v.allFinite()) return true;
  context.fault(where, fmt::format("{} is ({}, {}, {}), expected finite numbers", what, v.x(), v.y(), v.z()));
  return false;
}

bool check_unit(CompileContext& context, const SourceMark& where, std::string_view what, const Quat& q) {
  constexpr Real tolerance = 1e-6;  // rounding of a typed quaternion; compile() works with the normalised one
  if (std::abs(q.norm() - 1.0) <= tolerance) return true;
  context.fault(where, fmt::format("{} is not a unit quaternion (norm {})", what, q.norm()));
  return false;
}

bool check_in_plane(CompileContext& context, const SourceMark& where, std::string_view what, const Vec3& v) {
  if (!context.spec.planar || v.z() == 0.0) return true;
  context.fault(where, fmt::format("{} leaves the xy plane (z = {}) in a planar scene", what, v.z()));
  return false;
}

bool check_in_plane(CompileContext& context, const SourceMark& where, std::string_view what, const Quat& q) {
  constexpr Real rounding = 1e-12;
  if (!context.spec.planar || std::hypot(q.x(), q.y()) <= rounding) return true;
  context.fault(where, fmt::format("{} turns out of the xy plane in a planar scene, expected a turn about z", what));
  return false;
}

namespace {

void check_name(CompileContext& context, const std::string& path, const std::string& found,
                const std::vector<std::string>& known) {
  for (const std::string& name : known) {
    if (name == found) return;
  }
  context.fault(context.mark_of(path), fmt::format("unknown {} '{}'{}", path, found, name_hint(found, known)));
}

void check_integrator(CompileContext& context) {
  const Spec& spec = context.spec;
  check_name(context, "integrator.kind", spec.integrator_kind, {"moreau-jean"});
  check_positive(context, context.mark_of("time.step"), "time.step", spec.integrator.step);
  check_not_negative(context, context.mark_of("time.end"), "time.end", spec.end);
  const Real theta = spec.integrator.theta;
  // below 1/2 the scheme is unstable
  if (!(theta >= 0.5 && theta <= 1.0))
    context.fault(context.mark_of("integrator.theta"),
                  fmt::format("integrator.theta is {}, expected a number from 0.5 to 1", theta));
}

// The residual is that of the round cone, and the cone of facets stays away from it.
void check_facets(CompileContext& context) {
  const Spec& spec = context.spec;
  if (!has_facets(spec.solver.kind) || spec.planar || spec.solver.facets < 3) return;
  // Half of what the middle of a facet lacks of the radius: what sliding beds were found to be left with.
  const Real reach = 0.5 * (1.0 - std::cos(std::numbers::pi / static_cast<Real>(spec.solver.facets)));
  if (spec.solver.tolerance >= 0.9 * reach) return;
  // where the user chose too little, else where the facets were chosen
  const bool own_tolerance = spec.marks.contains("solver.tolerance");
  context.warn(
      context.mark_of(own_tolerance ? "solver.tolerance" : "solver.kind"),
      fmt::format("solver.tolerance is {:g}, but a cone of {} facets obeys the round one to about {:.1g} only: steps "
                  "in which contacts slide will count as not converged",
                  spec.solver.tolerance, spec.solver.facets, reach));
}

void check_solver(CompileContext& context) {
  const Spec& spec = context.spec;
  check_positive(context, context.mark_of("solver.tolerance"), "solver.tolerance", spec.solver.tolerance);
  if (spec.solver.machine_tolerance)
    check_positive(context, context.mark_of("solver.machine_tolerance"), "solver.machine_tolerance",
                   *spec.solver.machine_tolerance);
  if (spec.solver.max_iterations < 1)
    context.fault(context.mark_of("solver.max_iterations"),
                  fmt::format("solver.max_iterations is {}, expected 1 or more", spec.solver.max_iterations));
  // What has no effect is a mistake of who wrote it.
  if (spec.solver.order != SweepOrder::forward && !sweeps_assembled(spec.solver.kind))
    context.fault(context.mark_of("solver.order"),
                  "solver.order is of nlgs-anderson, nlgs-newton, nlgs-projection, nlgs-lemke and nlgs-qp; the "
                  "solver.kind of this scene has an order of its own");
  if (spec.solver.facets < 3)
    context.fault(context.mark_of("solver.facets"),
                  fmt::format("solver.facets is {}, expected 3 or more", spec.solver.facets));
  if (spec.solver.facets != default_facets && !has_facets(spec.solver.kind))
    context.fault(context.mark_of("solver.facets"),
                  "solver.facets is of nlgs-lemke and nlgs-qp; the solver.kind of this scene has a round cone");
  check_facets(context);
}

void check_contact(CompileContext& context) {
  const ContactOptions& contact = context.spec.contact;
  const auto check = [&](const char* path, Real x) { check_not_negative(context, context.mark_of(path), path, x); };
  check("contact.recovery_speed", contact.recovery_speed);
  check("contact.recovery_slop", contact.recovery_slop);
  check("contact.activation_skin", contact.activation_skin);
  check("contact.penetration_warning", contact.penetration_warning);
}

void check_outputs(CompileContext& context) {
  const OutputSpec& outputs = context.spec.outputs;
  const auto check = [&](const char* path, Real x) { check_not_negative(context, context.mark_of(path), path, x); };
  check("outputs.series", outputs.series_interval);
  check("outputs.frames", outputs.frame_interval);
  check("outputs.checkpoint_seconds", outputs.checkpoint_seconds);
  if (outputs.checkpoint_interval)
    check_positive(context, context.mark_of("outputs.checkpoint"), "outputs.checkpoint", *outputs.checkpoint_interval);
  check_positive(context, context.mark_of("outputs.frame_part_megabytes"), "outputs.frame_part_megabytes",
                 outputs.frame_part_megabytes);
}

void check_domain(CompileContext& context) {
  if (!context.spec.domain) return;
  const auto& [low, high] = *context.spec.domain;
  const SourceMark where = context.mark_of("domain");
  if (!check_vector(context, where, "the lower corner of the domain", low)) return;
  if (!check_vector(context, where, "the upper corner of the domain", high)) return;
  for (int axis = 0; axis < (context.spec.planar ? 2 : 3); ++axis) {
    if (low[axis] < high[axis]) continue;
    context.fault(where, fmt::format("the domain is empty along {}: {} to {}", "xyz"[axis], low[axis], high[axis]));
  }
}

}  // namespace

void check_settings(CompileContext& context) {
  const Spec& spec = context.spec;
  check_integrator(context);
  check_solver(context);
  check_contact(context);
  check_outputs(context);
  check_domain(context);
  if (check_vector(context, context.mark_of("gravity"), "gravity", spec.gravity))
    check_in_plane(context, context.mark_of("gravity"), "gravity", spec.gravity);
  if (spec.planar) check_positive(context, context.mark_of("thickness"), "thickness", spec.thickness);
}

}  // namespace grus
