// A plate that lies on every grain of the top layer of a bed: as a free body, or as the hand of an arm. What a
// mechanism costs is the ratio of the two.
#pragma once

#include <algorithm>
#include <chrono>
#include <ctime>
#include <limits>
#include <string>

#include "support/machine.hpp"

namespace grus::testing {

// side x side x layers equal spheres in rows, the plate on the top side*side of them. The arm: slewing base, boom on a
// cylinder (a loop), stick, plate on a ball joint; six independent velocities.
inline Spec pressed_bed(Index side, Index layers, bool linked) {
  Spec spec = bare_spec(5e-4, 0.5, 0.0);
  spec.law = ContactLawKind::gap;
  spec.integrator.theta = 1.0;
  spec.gravity = Vec3(0, 0, -9.81);
  const Real diameter = 0.02, width = diameter * static_cast<Real>(side);
  add_plane(spec, Vec3::Zero(), Vec3(0, 0, 1));
  for (const Real sign : {-1.0, 1.0}) {
    add_plane(spec, Vec3(sign * (width / 2 + 1e-4), 0, 0), Vec3(-sign, 0, 0));
    add_plane(spec, Vec3(0, sign * (width / 2 + 1e-4), 0), Vec3(0, -sign, 0));
  }
  GeneratorSpec grains;
  grains.kind = GeneratorSpec::Kind::lattice;
  grains.name = "grains";
  grains.material = "m";
  grains.shape = sphere_shape(diameter / 2);
  grains.size.diameter = diameter;
  grains.box_min = Vec3(-width / 2, -width / 2, 0);
  grains.box_max = Vec3(width / 2, width / 2, diameter * static_cast<Real>(layers));
  grains.cells = {side, side, layers};
  grains.spacing = diameter;
  spec.generators.push_back(grains);

  const ShapeSpec plate = box_shape(Vec3(width - 0.002, width - 0.002, 0.02));
  const Vec3 center(0, 0, diameter * static_cast<Real>(layers) + 0.01);
  if (!linked) {
    add_body(spec, plate, center);
    return spec;
  }
  MechanismSpec mechanism;
  mechanism.name = "arm";
  const Vec3 axis(0, -1, 0);
  const auto guess = [](Real start) {
    CoordinateSpec angle = coordinate("angle", start);
    angle.rate.reset();
    angle.role = CoordinateRole::dependent;
    return angle;
  };
  // as light as a free plate, so that both beds carry the same
  const auto add = [&](const char* name, const char* parent, JointKind kind, const Vec3& at, CoordinateSpec motion) {
    LinkSpec& link = add_link(mechanism, name, parent, kind, at, {std::move(motion)});
    link.body.mass = 0.01;
    link.body.inertia = Mat3(1e-3 * Mat3::Identity());
    link.joint.axis = kind == JointKind::prismatic ? Vec3(1, 0, 0) : axis;
  };
  const Vec3 foot = center + Vec3(-1.0, 0, 0.3);
  add("base", "ground", JointKind::revolute, foot, coordinate("angle"));
  mechanism.bodies.back().joint.axis = Vec3(0, 0, 1);
  add("boom", "base", JointKind::revolute, Vec3(0, 0, 0.2), guess(0.0));
  add("barrel", "base", JointKind::revolute, Vec3::Zero(), guess(0.4));
  add("rod", "barrel", JointKind::prismatic, Vec3::Zero(), coordinate("slide", std::hypot(0.5, 0.2)));
  add("stick", "boom", JointKind::revolute, Vec3(1, 0, 0), coordinate("angle"));
  LinkSpec& hand = add_link(mechanism, "plate", "stick", JointKind::spherical, Vec3(0, 0, -0.5), {});
  hand.body.mass.reset();
  hand.body.inertia.reset();
  hand.body.center_of_mass.reset();
  hand.body.shapes.push_back(plate);
  CutSpec pin = cut("pin", CutKind::components, "boom", Vec3(0.5, 0, 0), "rod", Vec3::Zero());
  pin.components = {"x", "z"};
  mechanism.loops.push_back(pin);
  spec.mechanisms.push_back(mechanism);
  return spec;
}

struct CostOfAMachine {
  Real free_ms = 0.0, machine_ms = 0.0;  // of one step, the best of the repeats
  Index touching_free = 0, touching_machine = 0;
  Index independent = 0;
  Real ratio() const { return machine_ms / free_ms; }
};

// Seconds of this process on its processor, whatever else the computer does; of several threads those on the wall.
inline Real spent_seconds(int threads) {
  if (threads == 1) return static_cast<Real>(std::clock()) / CLOCKS_PER_SEC;
  return std::chrono::duration<Real>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Steps of `sweeps` sweeps each, free and linked in turns, so that both see the same weather.
inline CostOfAMachine cost_of_a_machine(Index side, Index layers, Index sweeps, int threads, int repeats, int steps) {
  CostOfAMachine cost;
  cost.free_ms = cost.machine_ms = std::numeric_limits<Real>::infinity();
  const auto prepared = [&](bool linked) {
    Spec spec = pressed_bed(side, layers, linked);
    spec.solver.tolerance = 1e-15;
    spec.solver.max_iterations = sweeps;
    return spec;
  };
  Rig free(prepared(false), threads), machine(prepared(true), threads);
  const auto measure = [&](Rig& rig, Real& best) {
    const Real start = spent_seconds(threads);
    for (int k = 0; k < steps; ++k) rig.step();
    best = std::min(best, 1e3 * (spent_seconds(threads) - start) / steps);
  };
  free.step();
  machine.step();
  for (int k = 0; k < repeats; ++k) {
    measure(free, cost.free_ms);
    measure(machine, cost.machine_ms);
  }
  const auto touching = [](const Rig& rig, Index body) {
    return static_cast<Index>(
        std::count_if(rig.work.contacts.begin(), rig.work.contacts.end(),
                      [&](const ContactPoint& contact) { return contact.body_a == body || contact.body_b == body; }));
  };
  // the plate is the heaviest of the free bodies, and the last of the linked ones
  const auto plate = static_cast<Index>(std::max_element(free.scene.model.mass.begin(), free.scene.model.mass.end()) -
                                        free.scene.model.mass.begin());
  cost.touching_free = touching(free, plate);
  cost.touching_machine = touching(machine, machine.scene.model.kinematic_begin() - 1);
  cost.independent = static_cast<Index>(machine.work.mechanisms[0].free_velocity.size());
  return cost;
}

}  // namespace grus::testing
