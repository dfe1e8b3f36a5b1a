#include "support/rig.hpp"

#include <cmath>
#include <string>

#include "integrators/energy.hpp"
#include "math/rotation.hpp"
#include "multibody/make_scene.hpp"

namespace grus::testing {

Spec bare_spec(Real h, Real friction, Real restitution) {
  Spec spec;
  spec.file = "test";
  spec.name = "test";
  spec.integrator.step = h;
  spec.integrator.theta = 0.5;
  spec.solver.tolerance = 1e-13;
  spec.solver.max_iterations = 100000;
  spec.contact.recovery_speed = 0.0;
  MaterialSpec material;
  material.name = "m";
  material.density = 1000.0;
  spec.materials.push_back(material);
  PairSpec pair;
  pair.a = pair.b = "m";
  pair.friction = friction;
  pair.restitution = restitution;
  spec.pairs.push_back(pair);
  return spec;
}

ShapeSpec sphere_shape(Real radius) {
  ShapeSpec shape;
  shape.kind = ShapeKind::sphere;
  shape.radius = radius;
  return shape;
}

ShapeSpec disk_shape(Real radius) {
  ShapeSpec shape = sphere_shape(radius);
  shape.kind = ShapeKind::disk;
  return shape;
}

ShapeSpec box_shape(const Vec3& size) {
  ShapeSpec shape;
  shape.kind = ShapeKind::box;
  shape.size = size;
  return shape;
}

ShapeSpec capsule_shape(Real radius, Real length) {
  ShapeSpec shape = sphere_shape(radius);
  shape.kind = ShapeKind::capsule;
  shape.length = length;
  return shape;
}

BodySpec& add_body(Spec& spec, const ShapeSpec& shape, const Vec3& position, const Vec3& velocity,
                   const Vec3& angular_velocity) {
  BodySpec body;
  body.name = "b" + std::to_string(spec.bodies.size());
  body.material = "m";
  body.shapes.push_back(shape);
  body.position = position;
  body.velocity = velocity;
  body.angular_velocity = angular_velocity;
  spec.bodies.push_back(body);
  return spec.bodies.back();
}

BodySpec& add_plane(Spec& spec, const Vec3& point, const Vec3& normal) {
  ShapeSpec shape;
  shape.kind = ShapeKind::plane;
  BodySpec& body = add_body(spec, shape, point);
  body.role = BodyRole::fixed;
  const Vec3 up = spec.planar ? Vec3(0, 1, 0) : Vec3(0, 0, 1);
  body.rotation = rotation_between(up, normal.normalized());
  return body;
}

Rig::Rig(const Spec& spec, int threads)
    : scene(make_scene(spec)),
      parallel(threads),
      stepper(scene.model, scene.initial, parallel),
      state(stepper.state()),
      work(stepper.work()),
      report(stepper.report()) {}

Rig::~Rig() = default;

const StepReport& Rig::step(const Loads& loads) { return stepper.step(loads); }

void Rig::run(Real duration) {
  const auto steps = std::llround(duration / scene.model.integrator.step);
  for (long long k = 0; k < steps; ++k) step();
}

Real Rig::kinetic() const { return mechanical_energy(scene.model, state).kinetic; }

Real Rig::energy() const {
  const Energy e = mechanical_energy(scene.model, state);
  return e.kinetic + e.potential;
}

Vec3 Rig::momentum() const {
  Vec3 sum = Vec3::Zero();
  for (Index i = 0; i < scene.model.dynamic_count; ++i) sum += scene.model.mass[i] * state.velocity[i];
  return sum;
}

Vec3 Rig::angular_momentum() const {
  Vec3 sum = Vec3::Zero();
  for (Index i = 0; i < scene.model.dynamic_count; ++i) {
    const Quat& R = state.rotation[i];
    const Vec3 spin = R * scene.model.inertia[i].cwiseProduct(R.conjugate() * state.angular_velocity[i]);
    sum += scene.model.mass[i] * state.position[i].cross(state.velocity[i]) + spin;
  }
  return sum;
}

}  // namespace grus::testing
