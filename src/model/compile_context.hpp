// What the steps of compile() share. Private to src/model.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/compile.hpp"
#include "model/mass_properties.hpp"

namespace grus {

// A body at scale 1, in its own frame B (centre of mass, principal axes): of a named body, or the template that a
// generator scales.
struct Blueprint {
  std::vector<Collider> colliders;  // vertex_begin into `vertices`, geometry into `hulls` or `triangles`
  std::vector<Vec2> vertices;
  std::vector<std::shared_ptr<const ConvexHull>> hulls;
  std::vector<MeshTriangle> triangles;
  Real measure = 0.0;  // m3 or m2, volume (area) of its shapes
  Real mass = 0.0;
  Vec3 inertia = Vec3::Zero();
  Vec3 p_UB = Vec3::Zero();
  Quat R_UB = Quat::Identity();
  Real bound_radius = 0.0;  // about B; infinite with an unbounded shape
};

// A body to be: a blueprint at a place. Poses are of the body frame B.
struct BodyDraft {
  Index blueprint = 0;
  Real scale = 1.0;
  Vec3 position = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Real angle = 0.0;  // planar
  Vec3 velocity = Vec3::Zero();
  Vec3 angular_velocity = Vec3::Zero();
  Real release_time = 0.0;
  Index group = no_index;
  std::string name;
};

struct KinematicDraft {
  Index blueprint = 0;
  Motion motion;
  std::string name;
};

struct LinkedDraft {
  Index blueprint = 0;
  Index mechanism = 0;
  std::string name;
};

struct CompileContext {
  explicit CompileContext(const Spec& scene) : spec(scene) {}

  const Spec& spec;
  std::vector<Fault> faults;
  std::vector<std::string> warnings;

  InputNames inputs;
  std::vector<Input> input_models;
  std::vector<std::string> materials;
  std::map<std::string, Index, std::less<>> material_index;
  std::vector<std::string> groups;
  std::map<std::string, Index, std::less<>> group_index;
  std::map<std::string, SourceMark, std::less<>> body_marks;  // names taken, with the place of the first

  std::vector<Blueprint> blueprints;
  std::vector<BodyDraft> dynamic;
  std::vector<LinkedDraft> linked;
  std::vector<KinematicDraft> kinematic;
  std::vector<PairLaw> pair_laws;

  // Mechanisms and joints. Bodies are numbered as drafts: dynamic ones as in `dynamic`, then linked, then kinematic;
  // assemble_scene() sorts the dynamic ones and numbers anew.
  std::vector<Mechanism> mechanisms;
  std::vector<MechanismNames> mechanism_names;
  std::vector<Real> joint_position, joint_velocity;  // the guess written by the user
  std::vector<JointCondition> joint_conditions;
  std::vector<std::string> joint_names;
  std::vector<std::pair<Index, Index>> excluded_pairs;

  bool grains_missing = false;  // a faulty generator made none: probes of its grains are not at fault

  void fault(const SourceMark& where, std::string message) { faults.push_back({where, std::move(message)}); }
  void warn(const SourceMark& where, std::string message) {
    warnings.push_back(to_string(Fault{where, std::move(message)}));
  }
  // The mark of a setting such as "integrator.theta", of the first one below it, or the whole file.
  SourceMark mark_of(const std::string& path) const;
  Index add_group(const std::string& name);
};

// Steps of compile(), in order. Each adds its faults and goes on.
void check_settings(CompileContext& context);
void compile_inputs(CompileContext& context);  // before all that has functions of time
void compile_materials(CompileContext& context);
void compile_bodies(CompileContext& context);
void compile_generators(CompileContext& context);
void compile_mechanisms(CompileContext& context);  // after all other bodies: joins and exclusions name them
void compile_pairs(CompileContext& context);
// Only after all above found no fault.
CompiledScene assemble_scene(CompileContext& context);
// Probes and checks name bodies and groups of the assembled scene; before one exists they are checked against the
// drafts' names.
std::vector<Probe> compile_probes(CompileContext& context, const ModelNames& names, const Model* model);
void check_checks(CompileContext& context);
void check_figures(CompileContext& context);
void add_warnings(CompileContext& context, const Model& model, const State& initial);

// Shared by bodies and generators: shapes and mass to a blueprint. Adds faults and returns false when anything is
// wrong. `what` names the owner in messages, e.g. "body 'ball'".
struct BlueprintRequest {
  const std::vector<ShapeSpec>& shapes;
  const std::string& material;
  const std::optional<Real>& density;
  const SourceMark& mark;
  std::string what;
  bool needs_mass = true;           // dynamic or linked
  bool may_be_unbounded = false;    // linked: planes, tubes and rings beside a given mass
  const BodySpec* given = nullptr;  // mass, centre and inertia that override the shapes'
};
bool make_blueprint(CompileContext& context, const BlueprintRequest& request, Blueprint& blueprint);

// The shapes that stand for one as written: a mesh becomes its hull or its pieces, polygons and polyhedra sit at their
// centroids. Adds a fault and gives none when there is no such polygon or hull.
std::vector<ShapeSpec> canonical_shapes(CompileContext& context, const ShapeSpec& shape, const std::string& what);

// True when the number is finite (positive, not negative); adds "<what> is <x>, expected ..." otherwise.
bool check_finite(CompileContext& context, const SourceMark& where, std::string_view what, Real x);
bool check_positive(CompileContext& context, const SourceMark& where, std::string_view what, Real x);
bool check_not_negative(CompileContext& context, const SourceMark& where, std::string_view what, Real x);
bool check_vector(CompileContext& context, const SourceMark& where, std::string_view what, const Vec3& v);
bool check_unit(CompileContext& context, const SourceMark& where, std::string_view what, const Quat& q);

// Typed quaternions are units to some digits only.
inline Quat unit(const Quat& q) { return q.normalized(); }

// The continuous angle of a planar body: `angle` where given, else that of its rotation.
Real planar_angle(CompileContext& context, const SourceMark& where, const std::string& what, const Quat& rotation,
                  Real angle);
bool check_rotation(CompileContext& context, const SourceMark& where, const std::string& what, const Quat& rotation,
                    Real angle);

// In a planar scene v lies in the xy plane (q turns about z); anything goes in a spatial one.
bool check_in_plane(CompileContext& context, const SourceMark& where, std::string_view what, const Vec3& v);
bool check_in_plane(CompileContext& context, const SourceMark& where, std::string_view what, const Quat& q);

}  // namespace grus
