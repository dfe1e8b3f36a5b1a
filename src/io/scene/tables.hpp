// The tables of the schema, one function each, by the file that holds them.
#pragma once

#include "io/scene/schema.hpp"
#include "model/spec.hpp"

namespace grus::scene {

// scene_table.cpp; bound to Spec
const Object& scene_table();
void read_parameters(ValueReader& reader, const Entry& entry, Spec& spec);
// body_table.cpp; bound to BodySpec
const Object& body_table();
const Object& wall_table();
const Object& container_table();
// mechanism_table.cpp; bound to MechanismSpec, CutSpec
const Object& mechanism_table();
const Object& cut_table();
// joint_table.cpp; bound to JointSpec, CoordinateSpec
const Object& joint_table();
const Object& coordinate_table();
// urdf_table.cpp; bound to UrdfRequest
const Object& urdf_table();
// motion_table.cpp; bound to MotionSpec
const Object& motion_table();
// shape_table.cpp; bound to ShapeSpec
const Object& shape_table();
const Object& plane_table();
// mesh_table.cpp; bound to ShapeSpec
const Object& polyhedron_table();
const Object& mesh_table();
// settle_table.cpp; bound to SettleSpec
const Object& settle_table();
// generator_table.cpp; bound to GeneratorSpec
const Object& generator_table();
// analysis_table.cpp; bound to AnalysisSpec
const Object& analysis_table();
// output_table.cpp; bound to ProbeSpec, CheckSpec, FigureSpec, OutputSpec, RunSpec
const Object& probe_table();
const Object& check_table();
const Object& figure_table();
const Object& output_table();
const Object& run_table();

// Shapes and mass of a body, shared by all kinds of bodies.
void read_shape(ValueReader& reader, const Entry& entry, BodySpec& body);
void read_inertia(ValueReader& reader, const Entry& entry, BodySpec& body);
extern const char* const inertia_type;
void check_mass_keys(ValueReader& reader, const Node& node, const BodySpec& body);

// A map of name: coordinate, appended.
void read_coordinate_map(ValueReader& reader, const Entry& entry, std::vector<CoordinateSpec>& coordinates);
void read_urdf_key(ValueReader& reader, const Entry& entry, MechanismSpec& mechanism);

// A function of time: an expression, or a map with a table.
std::optional<TimeFunctionSpec> read_time_function(ValueReader& reader, const Entry& entry);
extern const char* const time_function_type;

// {axis, angle} or [w, x, y, z].
std::optional<Quat> read_rotation(ValueReader& reader, const Entry& entry);
extern const char* const rotation_type;
// Planar scenes: a turn about z.
std::optional<Real> read_planar_angle(ValueReader& reader, const Entry& entry);

// The path of the file that the entry names, relative to the file that names it; nothing after a fault.
std::optional<std::string> read_file_path(ValueReader& reader, const Entry& entry);

// The mesh in the file that the entry names; nothing after a fault.
std::shared_ptr<const TriangleMesh> read_mesh(ValueReader& reader, const Entry& entry);

// Turns a plane so that its solid side is away from `normal`.
Quat plane_rotation(const Vec3& normal, bool planar);

// Faults of a box whose key `max` does not lie above its key `min`.
void check_corners(ValueReader& reader, const Node& node, const Vec3& min, const Vec3& max);

// Faults of a table of (t, value) or the like whose first column must rise; returns whether it does.
bool check_rising(ValueReader& reader, const Entry& entry, const std::vector<std::pair<Real, Real>>& points);

}  // namespace grus::scene
