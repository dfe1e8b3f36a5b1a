// The compiled scene: constant, flat, without strings. Names live in ModelNames, for people.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/solver_options.hpp"
#include "math/vector.hpp"
#include "model/inputs.hpp"
#include "model/mechanism.hpp"
#include "model/motion.hpp"
#include "model/polyhedron.hpp"
#include "model/shape.hpp"

namespace grus {

enum class ContactLawKind : std::uint8_t {
  newton,  // Signorini-Coulomb with Newton restitution, active when the gap in q_m is closed (paper 000, eq. 32)
  gap,     // inelastic: u_N + max(g, 0)/(theta h) >= 0, for dense beds, theta = 1
};

struct PairLaw {
  Real friction = 0.0;
  Real restitution = 0.0;
  ContactLawKind kind = ContactLawKind::newton;
};

enum class BiasKind : std::uint8_t { explicit_euler, midpoint };

struct IntegratorOptions {
  Real step = 1e-3;  // h, s
  Real theta = 0.5;
  BiasKind bias = BiasKind::explicit_euler;
};

struct ContactOptions {
  Real recovery_speed = 0.05;  // m/s; 0 leaves penetration alone
  // Depth that is left alone, as a part of the smallest bound radius of the dynamic bodies: a resting
  // contact then stays closed instead of opening and closing.
  Real recovery_slop = 1e-4;
  // Gap law: pairs closer than this part of the smallest bound radius take part even when at rest.
  Real activation_skin = 0.01;
  // Depth beyond which a run warns, as a part of the smallest bound radius.
  Real penetration_warning = 0.05;
};

struct Model {
  bool planar = false;
  Vec3 gravity = Vec3::Zero();  // m/s2
  IntegratorOptions integrator;
  SolverOptions solver;
  ContactOptions contact;

  // Dynamic bodies (free: grains and loose parts) [0, dynamic_count), sorted by release time; then linked bodies, those
  // of mechanisms, [dynamic_count, kinematic_begin()); then kinematic bodies (fixed ones are kinematic without motion).
  Index dynamic_count = 0;
  Index linked_count = 0;
  Index body_count = 0;

  // Dynamic bodies. Body frame B: origin at the centre of mass, axes principal.
  std::vector<Real> mass;          // kg                 [dynamic_count]
  std::vector<Vec3> inertia;       // kg m2, principal   [dynamic_count]; planar: z only
  std::vector<Real> release_time;  // s                  [dynamic_count]
  std::vector<Quat> R_UB;          // body frame in the user's frame of the body [body_count]
  std::vector<Vec3> p_UB;          // m                  [body_count]

  // Linked bodies: those of mechanism 0, of mechanism 1, ...
  std::vector<Mechanism> mechanisms;
  std::vector<Index> mechanism_of;  // [linked_count]

  // The absolute lane: conditions between free bodies (or one and the world), at velocity level.
  std::vector<JointCondition> joint_conditions;

  // Pairs of bodies that do not touch: neighbours in a mechanism, the two sides of a joint, pairs the user named.
  std::vector<std::pair<Index, Index>> excluded_pairs;  // sorted, first < second

  std::vector<Input> inputs;  // named by ModelNames::input

  // Kinematic bodies: index k = body - kinematic_begin().
  std::vector<Motion> motion;  // [body_count - kinematic_begin()]

  // Shapes, sorted by body.
  std::vector<Collider> colliders;
  std::vector<Index> collider_begin;  // [body_count + 1]
  std::vector<Vec2> polygon_vertices;
  std::vector<Polyhedron> polyhedra;
  std::vector<MeshTriangle> triangles;
  Real smallest_bound_radius = 1.0;  // m, over colliders of dynamic bodies
  Real largest_bound_radius = 1.0;   // m

  // Pair laws: a full symmetric table over materials.
  Index material_count = 1;
  std::vector<PairLaw> pair_laws;  // [material_count * material_count]

  // Bodies outside this box count as lost.
  Vec3 domain_min = Vec3::Constant(-1e30);
  Vec3 domain_max = Vec3::Constant(1e30);

  std::uint64_t seed = 0;
  std::uint64_t scene_hash = 0;  // of the composed scene with its overrides, without time.end and outputs

  const PairLaw& pair_law(Index material_a, Index material_b) const {
    return pair_laws[static_cast<std::size_t>(material_a * material_count + material_b)];
  }
  Index kinematic_begin() const { return dynamic_count + linked_count; }
  bool is_dynamic(Index body) const { return body < dynamic_count; }
  bool is_linked(Index body) const { return body >= dynamic_count && body < kinematic_begin(); }
  bool is_kinematic(Index body) const { return body >= kinematic_begin(); }
  Index mechanism_of_body(Index linked) const { return mechanism_of[static_cast<std::size_t>(linked - dynamic_count)]; }
  Index active_count(Real time) const;  // dynamic bodies released by then
};

}  // namespace grus
