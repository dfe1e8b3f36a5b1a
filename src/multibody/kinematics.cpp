#include "multibody/kinematics.hpp"

#include "math/rotation.hpp"

namespace grus {

namespace {

Pose operator*(const Pose& a, const Pose& b) { return {a.position + a.rotation * b.position, a.rotation * b.rotation}; }

// A frame that walks from a body outwards along the motions of a joint: its velocity and its acceleration with v' = 0,
// both of the material point at `point`.
struct MovingFrame {
  Vec3 point = Vec3::Zero(), velocity = Vec3::Zero(), omega = Vec3::Zero();
  Vec3 acceleration = Vec3::Zero(), alpha = Vec3::Zero();

  void shift(const Vec3& to) {
    const Vec3 arm = to - point;
    const Vec3 swing = omega.cross(arm);
    velocity += swing;
    acceleration += alpha.cross(arm) + omega.cross(swing);
    point = to;
  }
  // The direction of the motion is fixed in the frame before it: Coriolis.
  void slide(const Vec3& rate) {
    acceleration += 2.0 * omega.cross(rate);
    velocity += rate;
  }
  void turn(const Vec3& pivot, const Vec3& rate) {
    shift(pivot);
    alpha += omega.cross(rate);
    omega += rate;
  }
};

// The motions of one joint: X is the frame before them, then after them.
void place_joint(const Mechanism& mechanism, const Link& link, std::span<const Real> q, MechanismKinematics& kinematics,
                 Pose& X, Real& angle) {
  for (Index j = link.axis_begin; j < link.axis_end; ++j) {
    const JointAxis& motion = mechanism.axes[j];
    const Real* const x = &q[motion.position];
    const Index k = motion.velocity;
    switch (motion.kind) {
      case AxisKind::slide:
        kinematics.linear[k] = X.rotation * motion.axis;
        kinematics.angular[k].setZero();
        X.position += x[0] * kinematics.linear[k];
        kinematics.point[k] = X.position;
        break;
      case AxisKind::turn:
        kinematics.linear[k].setZero();
        kinematics.angular[k] = X.rotation * motion.axis;
        kinematics.point[k] = X.position;
        X.rotation = X.rotation * exp_rotation(x[0] * motion.axis);
        angle += motion.axis.z() < 0.0 ? -x[0] : x[0];
        break;
      case AxisKind::ball: {
        X.rotation = X.rotation * Quat(x[0], x[1], x[2], x[3]);
        const Mat3 R = X.rotation.toRotationMatrix();
        for (Index i = 0; i < 3; ++i) {
          kinematics.linear[k + i].setZero();
          kinematics.angular[k + i] = R.col(i);
          kinematics.point[k + i] = X.position;
        }
        break;
      }
    }
  }
}

}  // namespace

void place(const Mechanism& mechanism, std::span<const Real> q, MechanismKinematics& kinematics) {
  kinematics.X_WB.resize(mechanism.links.size());
  kinematics.angle.resize(mechanism.links.size());
  kinematics.linear.resize(mechanism.coordinates.size());
  kinematics.angular.resize(mechanism.coordinates.size());
  kinematics.point.resize(mechanism.coordinates.size());
  for (Index i = 0; i < mechanism.link_count(); ++i) {
    const Link& link = mechanism.links[i];
    const bool grounded = link.parent == no_index;
    Pose X = grounded ? link.X_PJ : kinematics.X_WB[link.parent] * link.X_PJ;
    Real angle = link.angle + (grounded ? 0.0 : kinematics.angle[link.parent]);
    place_joint(mechanism, link, q, kinematics, X, angle);
    kinematics.X_WB[i] = X * link.X_JB;
    kinematics.X_WB[i].rotation.normalize();
    kinematics.angle[i] = angle;
  }
}

void move(const Mechanism& mechanism, std::span<const Real> v, MechanismKinematics& kinematics) {
  kinematics.velocity.resize(mechanism.links.size());
  kinematics.omega.resize(mechanism.links.size());
  kinematics.bias_acceleration.resize(mechanism.links.size());
  kinematics.bias_alpha.resize(mechanism.links.size());
  for (Index i = 0; i < mechanism.link_count(); ++i) {
    const Link& link = mechanism.links[i];
    MovingFrame frame;
    if (const Index p = link.parent; p != no_index) {
      frame = {kinematics.X_WB[p].position, kinematics.velocity[p], kinematics.omega[p],
               kinematics.bias_acceleration[p], kinematics.bias_alpha[p]};
    }
    for (Index j = link.axis_begin; j < link.axis_end; ++j) {
      const JointAxis& motion = mechanism.axes[j];
      const Index k = motion.velocity;
      switch (motion.kind) {
        case AxisKind::slide:
          frame.slide(v[k] * kinematics.linear[k]);
          break;
        case AxisKind::turn:
          frame.turn(kinematics.point[k], v[k] * kinematics.angular[k]);
          break;
        case AxisKind::ball:
          frame.turn(kinematics.point[k], v[k] * kinematics.angular[k] + v[k + 1] * kinematics.angular[k + 1] +
                                              v[k + 2] * kinematics.angular[k + 2]);
          break;
      }
    }
    frame.shift(kinematics.X_WB[i].position);
    kinematics.velocity[i] = frame.velocity;
    kinematics.omega[i] = frame.omega;
    kinematics.bias_acceleration[i] = frame.acceleration;
    kinematics.bias_alpha[i] = frame.alpha;
  }
}

void integrate_positions(const Mechanism& mechanism, std::span<const Real> v, Real h, std::span<Real> q) {
  for (const JointAxis& motion : mechanism.axes) {
    Real* const x = &q[motion.position];
    const Real* const rate = &v[motion.velocity];
    if (motion.kind != AxisKind::ball) {
      x[0] += h * rate[0];
      continue;
    }
    const Quat after = (Quat(x[0], x[1], x[2], x[3]) * exp_rotation(h * Vec3(rate[0], rate[1], rate[2]))).normalized();
    x[0] = after.w();
    x[1] = after.x();
    x[2] = after.y();
    x[3] = after.z();
  }
}

void add_generalised_force(const Mechanism& mechanism, const MechanismKinematics& kinematics, Index link, const Vec3& p,
                           const Vec3& force, const Vec3& torque, Real scale, std::span<Real> generalised) {
  for (Index i = link; i != no_index; i = mechanism.links[i].parent) {
    const auto [begin, end] = velocities_of(mechanism, i);
    for (Index k = begin; k < end; ++k) {
      const Vec3 moment = torque + (p - kinematics.point[k]).cross(force);
      generalised[k] += scale * (kinematics.linear[k].dot(force) + kinematics.angular[k].dot(moment));
    }
  }
}

Vec3 point_velocity(const MechanismKinematics& kinematics, Index link, const Vec3& p) {
  if (link == no_index) return Vec3::Zero();
  return kinematics.velocity[link] + kinematics.omega[link].cross(p - kinematics.X_WB[link].position);
}

}  // namespace grus
