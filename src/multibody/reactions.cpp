#include "multibody/reactions.hpp"

namespace grus {

void find_reactions(const Mechanism& mechanism, const IntegratorOptions& integrator, const Vec3& gravity,
                    std::span<const Real> independent, std::span<const Real> impulse, ReducedMechanism& reduced,
                    Reactions& reactions) {
  using Vector = Eigen::Map<Eigen::VectorXd>;
  using ConstVector = Eigen::Map<const Eigen::VectorXd>;
  const Real h = integrator.step;
  const auto n = static_cast<Eigen::Index>(mechanism.velocity_count);
  const auto count = static_cast<std::size_t>(mechanism.velocity_count);
  reactions.acceleration.resize(count);
  reactions.residual.resize(count);
  Vector a(reactions.acceleration.data(), n), e(reactions.residual.data(), n);
  const ConstVector end(independent.data(), static_cast<Eigen::Index>(independent.size()));

  reduced.work = (end - reduced.independent_start) / h;
  a.noalias() = reduced.end.T * reduced.work;
  a += ConstVector(reduced.bias_acceleration.data(), n);
  inverse_dynamics(mechanism, reduced.kinematics, reactions.acceleration, gravity, reduced.dynamics,
                   reactions.residual);
  if (reduced.has_implicit) {
    e.noalias() += reduced.implicit_mass * reduced.affine_change;
    e.noalias() += reduced.implicit_mass * (reduced.end.T * reduced.work);
  }
  e -= ConstVector(reduced.applied.data(), n);
  e -= ConstVector(impulse.data(), n) / h;

  reactions.loop.resize(mechanism.closed_count);
  if (mechanism.closed_count == 0) return;
  for (Index i = 0; i < mechanism.closed_count; ++i) reactions.loop[i] = e[reduced.partition.dependent[i]];
  reactions.loop = reduced.loops.lu_v.transpose().solve(reactions.loop).eval();
  e.noalias() -= reduced.loops.J.transpose() * reactions.loop;
}

namespace {

ConditionGradient gradient_of(const JointCondition& condition, const MechanismKinematics& kinematics) {
  const auto pose = [&](Index link) { return link == no_index ? Pose{} : kinematics.X_WB[link]; };
  return condition_gradient(condition, pose(condition.a), pose(condition.b));
}

}  // namespace

Wrench loop_wrench(const Mechanism& mechanism, const ReducedMechanism& reduced, const Reactions& reactions, Index cut) {
  Wrench wrench;
  Vec3 about = Vec3::Zero();
  bool is_first = true;
  for (Index i = 0; i < mechanism.closed_count; ++i) {
    if (mechanism.loops[i].group != cut) continue;
    const ConditionGradient g = gradient_of(mechanism.loops[i], reduced.kinematics);
    if (is_first) about = g.point;
    is_first = false;
    wrench.force += reactions.loop[i] * g.force;
    wrench.torque += reactions.loop[i] * (g.torque + (g.point - about).cross(g.force));
  }
  return wrench;
}

Wrench joint_wrench(const Mechanism& mechanism, const IntegratorOptions& integrator, Index link,
                    std::span<const LinkLoad> contacts, ReducedMechanism& reduced, const Reactions& reactions) {
  std::vector<LinkLoad> loads(contacts.begin(), contacts.end());
  append_force_loads(force_step(mechanism, integrator, reduced), reduced.bias_velocity, reduced.forces, loads);
  loads.insert(loads.end(), reduced.link_loads.begin(), reduced.link_loads.end());
  for (Index i = 0; i < mechanism.closed_count; ++i) {
    const JointCondition& condition = mechanism.loops[i];
    const ConditionGradient g = gradient_of(condition, reduced.kinematics);
    const Vec3 force = reactions.loop[i] * g.force, torque = reactions.loop[i] * g.torque;
    loads.push_back({condition.b, g.point, force, torque});
    loads.push_back({condition.a, g.point, -force, -torque});
  }

  // The inertia of the link and of all it carries, less what acts on these from outside.
  const Pose& X_WB = reduced.kinematics.X_WB[link];
  const Vec3 about = X_WB.position - X_WB.rotation * (mechanism.links[link].X_JB.rotation.conjugate() *
                                                      mechanism.links[link].X_JB.position);
  Wrench wrench{reduced.dynamics.force[link],
                reduced.dynamics.moment[link] + (X_WB.position - about).cross(reduced.dynamics.force[link])};
  for (const LinkLoad& load : loads) {
    Index carrier = load.link;
    while (carrier != no_index && carrier != link) carrier = mechanism.links[carrier].parent;
    if (carrier == no_index) continue;
    wrench.force -= load.force;
    wrench.torque -= load.torque + (load.point - about).cross(load.force);
  }
  return wrench;
}

}  // namespace grus
