#include "contact/build.hpp"

#include <algorithm>

#include "contact/laws/gap_law.hpp"
#include "contact/laws/newton_law.hpp"
#include "solvers/cone.hpp"
#include "solvers/delassus.hpp"

namespace grus {

namespace {

// Contacts per task: enough work to pay for scheduling.
constexpr Index grain = 512;

Real normal_shift(const PairLaw& law, Real gap, Real start_velocity, Real theta_h) {
  switch (law.kind) {
    case ContactLawKind::newton:
      return NewtonLaw::normal_shift(law, gap, start_velocity, theta_h);
    case ContactLawKind::gap:
      return GapLaw::normal_shift(law, gap, start_velocity, theta_h);
  }
  return 0.0;
}

// Keeps the normal impulse and shortens the tangential one: the projection would raise the normal impulse of
// a contact that merely turned.
Vec3 clipped_to_cone(const Vec3& impulse, Real friction) {
  const Real normal = std::max(impulse.x(), 0.0);
  const Real tangential = tangential_norm(impulse), limit = friction * normal;
  const Real scale = tangential > limit ? limit / tangential : 1.0;
  return Vec3(normal, scale * impulse.y(), scale * impulse.z());
}

void resize_rows(ContactProblem& problem, ContactSolution& solution, ContactKinematics& kinematics, Index count) {
  const auto n = static_cast<std::size_t>(count);
  problem.contact_count = count;
  problem.block_a.resize(n);
  problem.block_b.resize(n);
  problem.normal.resize(n);
  problem.arm_a.resize(n);
  problem.arm_b.resize(n);
  problem.shift.resize(n);
  problem.friction.resize(n);
  solution.impulse.resize(n);
  kinematics.start_velocity.resize(n);
  kinematics.wall_start.resize(n);
  kinematics.wall_end.resize(n);
  kinematics.drive_end.resize(n);
}

}  // namespace

void build_rows(const BuildInput& input, ContactProblem& problem, ContactSolution& solution,
                ContactKinematics& kinematics, const Parallel& parallel) {
  const Model& model = input.model;
  const auto count = static_cast<Index>(input.contacts.size());
  const Real theta_h = model.integrator.theta * model.integrator.step;
  resize_rows(problem, solution, kinematics, count);

  parallel.each(count, grain, [&](Index c) {
    const ContactPoint& contact = input.contacts[c];
    const PairLaw& law = model.pair_laws[contact.law];
    problem.normal[c] = contact.normal;
    const ContactFrame frame = contact_frame(problem, c);

    // u = velocity of b - velocity of a at the contact point; what moves freely, by drives and by walls apart.
    Vec3 body_start = Vec3::Zero(), drive_end = Vec3::Zero(), wall_start = Vec3::Zero(), wall_end = Vec3::Zero();
    const auto side = [&](Index body, Real sign, Index& block, Vec3& arm) {
      arm = contact.position - input.pose_m[body].position;
      if (model.is_dynamic(body)) {
        block = body;
        body_start += sign * (input.start.linear[body] + input.start.angular[body].cross(arm));
        return;
      }
      const auto at_point = [&](const Twist& twist) -> Vec3 {
        return sign * (twist.linear + twist.angular.cross(arm));
      };
      if (model.is_linked(body)) {
        block = problem.block_count + model.mechanism_of_body(body);
        body_start += at_point(input.start.linked[body - model.dynamic_count]);
        drive_end += at_point(input.linked_drive[body - model.dynamic_count]);
        return;
      }
      block = no_index;
      wall_start += at_point(input.start.kinematic[body - model.kinematic_begin()]);
      wall_end += at_point(input.kinematic_end[body - model.kinematic_begin()]);
    };
    side(contact.body_a, -1.0, problem.block_a[c], problem.arm_a[c]);
    side(contact.body_b, 1.0, problem.block_b[c], problem.arm_b[c]);

    kinematics.wall_start[c] = to_frame(frame, wall_start);
    kinematics.wall_end[c] = to_frame(frame, wall_end);
    kinematics.drive_end[c] = to_frame(frame, drive_end);
    kinematics.start_velocity[c] = to_frame(frame, body_start) + kinematics.wall_start[c];

    problem.friction[c] = law.friction;
    Vec3 shift = kinematics.wall_end[c] + kinematics.drive_end[c];
    shift.x() += normal_shift(law, contact.gap, kinematics.start_velocity[c].x(), theta_h);

    // The carried impulse in the new frame, back inside the cone it may have left by the turn of the frame.
    Vec3 impulse = to_frame(frame, input.carried_impulse_W[c]);
    if (model.planar) {
      shift.z() = 0.0;
      impulse.z() = 0.0;
    }
    problem.shift[c] = shift;
    solution.impulse[c] = clipped_to_cone(impulse, law.friction);
  });
}

}  // namespace grus
