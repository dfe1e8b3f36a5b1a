#include "multibody/condition.hpp"

namespace grus {

namespace {

Vec3 point_of(const Pose& X, const Vec3& p) { return X.position + X.rotation * p; }

// Unit vector of d; any when the points meet, where the distance has no gradient.
Vec3 direction(const Vec3& d) {
  const Real length = d.norm();
  return length > 0.0 ? Vec3(d / length) : Vec3(Vec3::UnitX());
}

Vec3 velocity_at(const BodyMotion& body, const Vec3& p) {
  return body.velocity + body.omega.cross(p - body.X_WB.position);
}

Vec3 acceleration_at(const BodyMotion& body, const Vec3& p) {
  const Vec3 arm = p - body.X_WB.position;
  return body.bias_acceleration + body.bias_alpha.cross(arm) + body.omega.cross(body.omega.cross(arm));
}

}  // namespace

ConditionGradient condition_gradient(const JointCondition& condition, const Pose& X_WA, const Pose& X_WB) {
  ConditionGradient gradient;
  gradient.point = point_of(X_WB, condition.p_B);
  const Vec3 a = X_WA.rotation * condition.axis_A;
  const Vec3 d = gradient.point - point_of(X_WA, condition.p_A);
  switch (condition.kind) {
    case ConditionKind::along:
      gradient.value = a.dot(d);
      gradient.force = a;
      break;
    case ConditionKind::perpendicular: {
      const Vec3 b = X_WB.rotation * condition.axis_B;
      gradient.value = a.dot(b);
      gradient.torque = b.cross(a);
      break;
    }
    case ConditionKind::distance:
      gradient.value = d.norm() - condition.length;
      gradient.force = direction(d);
      break;
  }
  return gradient;
}

Real condition_bias(const JointCondition& condition, const BodyMotion& a, const BodyMotion& b) {
  const Vec3 p_B = point_of(b.X_WB, condition.p_B);
  const Vec3 axis = a.X_WB.rotation * condition.axis_A;
  switch (condition.kind) {
    case ConditionKind::along: {
      // p_B moves over A with u: its acceleration there lacks Coriolis', and the axis turns against u
      const Vec3 u = velocity_at(b, p_B) - velocity_at(a, p_B);
      return axis.dot(acceleration_at(b, p_B) - acceleration_at(a, p_B) - 2.0 * a.omega.cross(u));
    }
    case ConditionKind::perpendicular: {
      const Vec3 axis_b = b.X_WB.rotation * condition.axis_B;
      const Vec3 turning = b.omega.cross(axis_b).cross(axis) + axis_b.cross(a.omega.cross(axis));
      return (b.bias_alpha - a.bias_alpha).dot(axis_b.cross(axis)) + (b.omega - a.omega).dot(turning);
    }
    case ConditionKind::distance: {
      const Vec3 p_A = point_of(a.X_WB, condition.p_A);
      const Vec3 n = direction(p_B - p_A);
      const Vec3 rate = velocity_at(b, p_B) - velocity_at(a, p_A);
      const Vec3 across = rate - n.dot(rate) * n;
      const Real length = (p_B - p_A).norm();
      const Real centripetal = length > 0.0 ? across.squaredNorm() / length : 0.0;
      return n.dot(acceleration_at(b, p_B) - acceleration_at(a, p_A)) + centripetal;
    }
  }
  return 0.0;
}

}  // namespace grus
