#include "analysis/contact_network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "io/file_fault.hpp"

namespace grus {

namespace {

constexpr Real no_number = std::numeric_limits<Real>::quiet_NaN();

// Points whose normals agree within this cosine (8 degrees) are of one flat. A box on a floor has one normal; a grain
// in a corner of a container, which is one body, has several far apart.
constexpr Real same_flat = 0.99;

// Contacts weaker than this part of the mean carry nothing: what is left of an opened contact at the solver's tolerance
// and the rounding of stored impulses.
constexpr Real weakest = 1e-6;

constexpr Real unit_tolerance = 1e-3;  // of a normal's length, stored as float32

Vec3 vector_of(const std::vector<float>& values, std::size_t i) {
  return {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
}

// One contact point, the lower body first.
struct NetworkPoint {
  Index body_a, body_b;
  Vec3 position, normal, impulse;
};

std::vector<NetworkPoint> pressing_points(const FrameScene& scene, const Frame& frame) {
  std::vector<NetworkPoint> points;
  for (std::size_t i = 0; i < frame.contact_count(); ++i) {
    Index a = frame.contact_body_a[i], b = frame.contact_body_b[i];
    Vec3 normal = vector_of(frame.contact_normal, i), impulse = vector_of(frame.contact_impulse, i);
    if (a > b) {
      std::swap(a, b);
      normal = -normal;
      impulse = -impulse;
    }
    if (a < 0 || a >= scene.dynamic_count || a == b || impulse.isZero(0.0)) continue;
    // Points of a pair are joined by their normals, of which only so many are far apart when they are directions.
    if (!(std::abs(normal.norm() - 1.0) < unit_tolerance))
      throw file_fault("frames", fmt::format("contact {} of the frame at {:g} s: found a normal of length {:g}", i,
                                             frame.time, normal.norm()));
    points.push_back({a, b, vector_of(frame.contact_position, i), normal, impulse});
  }
  // Stable: points of a pair stay in the order of the frame, so sums are formed in one order.
  std::stable_sort(points.begin(), points.end(), [](const NetworkPoint& p, const NetworkPoint& q) {
    return p.body_a != q.body_a ? p.body_a < q.body_a : p.body_b < q.body_b;
  });
  return points;
}

// Joins the points of one pair to contacts by their normals.
void join_flats(std::span<const NetworkPoint> pair, Real step, std::vector<NetworkContact>& contacts) {
  const std::size_t begin = contacts.size();
  std::vector<Index> sizes;
  for (const NetworkPoint& point : pair) {
    std::size_t k = begin;
    while (k < contacts.size() && contacts[k].normal.dot(point.normal) < same_flat) ++k;
    if (k == contacts.size()) {
      contacts.push_back({point.body_a, point.body_b, Vec3::Zero(), point.normal, Vec3::Zero()});
      sizes.push_back(0);
    }
    contacts[k].position += point.position;
    contacts[k].force += point.impulse / step;
    ++sizes[k - begin];
  }
  for (std::size_t k = begin; k < contacts.size(); ++k) contacts[k].position /= sizes[k - begin];
}

void remove_weak(std::vector<NetworkContact>& contacts) {
  Real sum = 0.0;
  for (const NetworkContact& c : contacts) sum += c.force.norm();
  const Real least = weakest * sum / static_cast<Real>(std::max<std::size_t>(1, contacts.size()));
  std::erase_if(contacts, [&](const NetworkContact& c) { return c.force.norm() <= least; });
}

}  // namespace

ContactNetwork contact_network(const FrameScene& scene, const Frame& frame, Real step) {
  ContactNetwork network;
  const std::vector<NetworkPoint> points = pressing_points(scene, frame);
  for (std::size_t begin = 0; begin < points.size();) {
    std::size_t end = begin;
    while (end < points.size() && points[end].body_a == points[begin].body_a &&
           points[end].body_b == points[begin].body_b)
      ++end;
    join_flats({&points[begin], end - begin}, step, network.contacts);
    begin = end;
  }
  remove_weak(network.contacts);

  const auto active = static_cast<std::size_t>(frame.active_count);
  network.neighbours.assign(active, 0);
  network.largest_force.assign(active, 0.0);
  for (std::size_t k = 0; k < network.contacts.size(); ++k) {
    const NetworkContact& c = network.contacts[k];
    const bool new_pair =
        k == 0 || network.contacts[k - 1].body_a != c.body_a || network.contacts[k - 1].body_b != c.body_b;
    for (const Index body : {c.body_a, c.body_b}) {
      const auto b = static_cast<std::size_t>(body);
      if (b >= active) continue;
      network.neighbours[b] += new_pair;
      network.largest_force[b] = std::max(network.largest_force[b], c.force.norm());
    }
  }
  return network;
}

Coordination coordination(std::span<const Index> neighbours) {
  Coordination z;
  z.bodies = static_cast<Index>(neighbours.size());
  Real sum = 0.0, sum_carrying = 0.0;
  for (const Index n : neighbours) {
    sum += n;
    if (n < 2) {
      ++z.rattlers;
    } else {
      sum_carrying += n;
    }
    if (static_cast<std::size_t>(n) >= z.histogram.size()) z.histogram.resize(static_cast<std::size_t>(n) + 1, 0);
    ++z.histogram[static_cast<std::size_t>(n)];
  }
  z.mean = z.bodies > 0 ? sum / z.bodies : no_number;
  z.mean_without_rattlers = z.bodies > z.rattlers ? sum_carrying / (z.bodies - z.rattlers) : no_number;
  return z;
}

Real quantile(std::span<const Real> sorted, Real part) {
  const Real rank = part * static_cast<Real>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<Real>(below)) * (sorted[above] - sorted[below]);
}

ForceStatistics force_statistics(std::vector<Real> forces) {
  ForceStatistics f;
  f.contacts = static_cast<Index>(forces.size());
  f.density.assign(force_bin_count, 0.0);
  if (forces.empty()) {
    f.mean = f.median = f.p90 = f.p99 = f.max = f.above_2 = f.above_5 = f.above_10 = no_number;
    return f;
  }
  std::sort(forces.begin(), forces.end());
  const auto count = static_cast<Real>(forces.size());
  f.mean = std::accumulate(forces.begin(), forces.end(), 0.0) / count;
  f.median = quantile(forces, 0.5);
  f.p90 = quantile(forces, 0.9);
  f.p99 = quantile(forces, 0.99);
  f.max = forces.back();
  const auto part_above = [&](Real times) {
    return static_cast<Real>(forces.end() - std::upper_bound(forces.begin(), forces.end(), times * f.mean)) / count;
  };
  f.above_2 = part_above(2.0);
  f.above_5 = part_above(5.0);
  f.above_10 = part_above(10.0);
  for (const Real force : forces) {
    const Real bin = force / (f.mean * force_bin_width);
    if (bin < force_bin_count) f.density[static_cast<std::size_t>(bin)] += 1.0 / (count * force_bin_width);
  }
  return f;
}

Fabric fabric(std::span<const NetworkContact> contacts, const Vec3& up, bool planar) {
  Fabric f;
  const int bins = planar ? planar_direction_bins : spatial_direction_bins;
  f.density.assign(static_cast<std::size_t>(bins), 0.0);
  if (contacts.empty()) {
    f.anisotropy = no_number;
    return f;
  }
  const auto count = static_cast<Real>(contacts.size());
  for (const NetworkContact& c : contacts) {
    f.tensor += c.normal * c.normal.transpose() / count;
    Real place = std::abs(c.normal.dot(up));
    if (planar) {
      const Real angle = std::atan2(c.normal.y(), c.normal.x()) / std::numbers::pi;
      place = angle < 0.0 ? angle + 1.0 : angle;
    }
    const auto bin = std::min(static_cast<std::size_t>(bins - 1), static_cast<std::size_t>(place * bins));
    f.density[bin] += bins / count;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(f.tensor);
  f.values = solver.eigenvalues().reverse();
  f.directions = solver.eigenvectors().rowwise().reverse();
  f.anisotropy = f.values[0] - f.values[planar ? 1 : 2];
  return f;
}

}  // namespace grus
