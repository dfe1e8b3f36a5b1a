// What is said of a bed: shapes, sieve curve, density, contacts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collision/contact_point.hpp"
#include "model/bed.hpp"
#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

struct MeanAndDeviation {
  Real mean = 0.0, deviation = 0.0;
};

struct BedStatistics {
  Index stones = 0;
  Real mean_size = 0.0;                               // m, of the sieve sizes by number
  MeanAndDeviation elongation, flatness, sphericity;  // by number
  MeanAndDeviation vertices;
  std::vector<std::pair<Real, Real>> sieve;  // opening, m; part of the mass that passes
  Real solid_fraction = 0.0;                 // of the core without fixed bodies, by the exact volumes in it
  Vec3 core_min = Vec3::Zero(), core_max = Vec3::Zero();  // m
  Real coordination = 0.0;                                // stones that a stone presses on or carries, mean
  Real penetration_mean = 0.0;                            // over contact points, as a part of the mean size
  Real penetration_max = 0.0;
  Real rms_speed = 0.0;      // m/s
  Real settling_time = 0.0;  // s, simulated

  std::map<std::string, std::vector<double>> named() const;  // for the file
  std::vector<std::string> words() const;                    // for people
};

// Volume of the part of a polyhedron (at a scale, turned and placed) inside a box along the axes, exact.
Real volume_in_box(const Polyhedron& polyhedron, const BedStone& stone, const Vec3& low, const Vec3& high);

// A fixed body that takes room in the bed, such as a sleeper.
struct BedObstacle {
  Polyhedron shape;
  BedStone place;
};
// Boxes and polyhedra of fixed and driven bodies, where they are at `time`.
std::vector<BedObstacle> bed_obstacles(const Model& model, const State& state);

// `core`: distance from walls and surface of the region for the solid fraction; 0: one and a half mean stones. `up`:
// unit.
BedStatistics bed_statistics(const Bed& bed, const Vec3& up, Real core, const std::vector<BedObstacle>& obstacles);

// Contacts of the last step: coordination and penetration.
void add_contact_statistics(const std::vector<ContactPoint>& contacts, const State& state, const Model& model,
                            BedStatistics& statistics);

}  // namespace grus
