// The network of forces among the dynamic bodies of one frame.
//
// A contact is the flat that two bodies share: the contact points of one pair whose normals agree. Its force is the
// resultant of their impulses over the step. Points of one flat are redundant and share the force at will; the
// resultant is what the bodies feel. Contacts of dynamic bodies with each other and with everything else (walls,
// machines) count; those among walls and machines do not.
#pragma once

#include <span>
#include <vector>

#include "io/frames.hpp"

namespace grus {

struct NetworkContact {
  Index body_a = no_index;       // below body_b, so dynamic
  Index body_b = no_index;       // dynamic or not
  Vec3 position = Vec3::Zero();  // m, middle of its points
  Vec3 normal = Vec3::Zero();    // unit, from a to b
  Vec3 force = Vec3::Zero();     // N, on b
};

struct ContactNetwork {
  std::vector<NetworkContact> contacts;  // sorted by bodies
  std::vector<Index> neighbours;         // distinct bodies that press on a dynamic body          [active bodies]
  std::vector<Real> largest_force;       // N, of the contacts of a dynamic body, 0: none          [active bodies]
};

// `step`: s, the time over which the frame's impulses acted.
ContactNetwork contact_network(const FrameScene& scene, const Frame& frame, Real step);

// Numbers that do not exist (a mean over nothing) are NaN.
struct Coordination {
  Index bodies = 0;
  Real mean = 0.0;
  // Without rattlers: bodies with one neighbour or none carry nothing for the others (Thornton 2000, Geotechnique 50:
  // the mechanical coordination number (2 C - N_1)/(N - N_0 - N_1)).
  Real mean_without_rattlers = 0.0;
  Index rattlers = 0;
  std::vector<Index> histogram;  // bodies with k neighbours
};
Coordination coordination(std::span<const Index> neighbours);

struct ForceStatistics {
  Index contacts = 0;
  Real mean = 0.0;                                     // N
  Real median = 0.0, p90 = 0.0, p99 = 0.0, max = 0.0;  // N
  Real above_2 = 0.0, above_5 = 0.0, above_10 = 0.0;   // part of the contacts above so many times the mean
  // Density of f/mean in bins of force_bin_width from 0: times the width it sums to the part of contacts in the bins.
  std::vector<Real> density;
};
inline constexpr Real force_bin_width = 0.25;
inline constexpr int force_bin_count = 40;  // up to ten times the mean; the rest is above_10
ForceStatistics force_statistics(std::vector<Real> forces);

// Linear between the ranks; `sorted` is not empty.
Real quantile(std::span<const Real> sorted, Real part);

// Orientation of the normals: F = <n n^T> (Satake 1982), 1/3 (planar 1/2) on the diagonal when no direction is
// preferred.
struct Fabric {
  Mat3 tensor = Mat3::Zero();
  Vec3 values = Vec3::Zero();      // principal, largest first
  Mat3 directions = Mat3::Zero();  // columns
  Real anisotropy = 0.0;           // largest less smallest (planar: less second) principal value; NaN without contacts
  // Density over equal bins, 1 everywhere when no direction is preferred. In space: of |n . up| from 0 to 1, which is
  // uniform then; in the plane: of the angle between the normal and x, from 0 to pi.
  std::vector<Real> density;
};
inline constexpr int spatial_direction_bins = 10;
inline constexpr int planar_direction_bins = 18;
Fabric fabric(std::span<const NetworkContact> contacts, const Vec3& up, bool planar);

}  // namespace grus
