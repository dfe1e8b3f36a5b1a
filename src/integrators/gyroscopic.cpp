#include "integrators/gyroscopic.hpp"

#include <Eigen/LU>

namespace grus {

namespace {

Vec3 momentum(const Vec3& inertia, const Vec3& omega) { return inertia.cwiseProduct(omega); }

// Newton on F(w+) = J (w+ - w) + h m x J m. The start (w itself) is off by O(h), so three or four steps reach
// rounding for any h ||w|| below one; beyond it the time step is poor and the run warns.
Vec3 midpoint(const Vec3& omega, const Vec3& inertia, Real step) {
  constexpr int max_newton_steps = 12;
  constexpr Real relative_tolerance = 1e-15;
  const Mat3 J = inertia.asDiagonal();
  Vec3 next = omega;
  for (int k = 0; k < max_newton_steps; ++k) {
    const Vec3 mean = 0.5 * (omega + next);
    const Vec3 Jm = momentum(inertia, mean);
    const Vec3 F = momentum(inertia, next - omega) + step * mean.cross(Jm);
    const Mat3 dF = J + 0.5 * step * (cross_matrix(mean) * J - cross_matrix(Jm));
    const Vec3 correction = dF.inverse() * F;
    next -= correction;
    if (correction.norm() <= relative_tolerance * next.norm()) break;
  }
  return next;
}

}  // namespace

Vec3 free_angular_velocity(const Vec3& omega_B, const Vec3& inertia, Real step, BiasKind bias) {
  // Spheres and cubes: no gyroscopic torque, and no rounding from computing it.
  if (inertia.x() == inertia.y() && inertia.y() == inertia.z()) return omega_B;
  if (bias == BiasKind::midpoint) return midpoint(omega_B, inertia, step);
  const Vec3 torque = -omega_B.cross(momentum(inertia, omega_B));
  return omega_B + step * torque.cwiseQuotient(inertia);
}

}  // namespace grus
