// A small scene in memory, stepped by hand: what the physics tests stand on.
#pragma once

#include "core/parallel.hpp"
#include "integrators/stepper.hpp"
#include "model/compile.hpp"
#include "model/spec.hpp"

namespace grus::testing {

// One material "m" of density 1000, one pair law for it, tight solver, no recovery.
Spec bare_spec(Real h, Real friction, Real restitution);

ShapeSpec sphere_shape(Real radius);
ShapeSpec disk_shape(Real radius);
ShapeSpec box_shape(const Vec3& size);
ShapeSpec capsule_shape(Real radius, Real length);

BodySpec& add_body(Spec& spec, const ShapeSpec& shape, const Vec3& position, const Vec3& velocity = Vec3::Zero(),
                   const Vec3& angular_velocity = Vec3::Zero());

// A fixed half space through `point` with outward normal `normal`.
BodySpec& add_plane(Spec& spec, const Vec3& point, const Vec3& normal);

// A compiled scene with all it needs to step.
struct Rig {
  explicit Rig(const Spec& spec, int threads = 1);
  ~Rig();

  const StepReport& step(const Loads& loads = {});
  void run(Real duration);
  Real kinetic() const;
  Real energy() const;
  Vec3 momentum() const;
  Vec3 angular_momentum() const;  // about the origin

  CompiledScene scene;
  Parallel parallel;
  Stepper stepper;
  State& state;
  Workspace& work;
  const StepReport& report;
};

}  // namespace grus::testing
