// The editable description of a scene: named, in SI units, made by the scene reader or by a program.
// compile() turns it into a Model. Field names are the keys of the YAML scene (docs/scene-reference.md).
//
// Every element keeps the mark of the place it was written at, so that faults found later (a material
// that does not exist, two bodies of one name) still point into the file.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.hpp"
#include "math/vector.hpp"
#include "model/bed.hpp"
#include "model/convex_hull.hpp"
#include "model/model.hpp"
#include "model/triangle_mesh.hpp"

namespace grus {

// A polyhedron is the hull of `points`, of a `mesh`, or a `hull` that others share; a triangle stands for all of a
// mesh.
struct ShapeSpec {
  SourceMark mark;
  ShapeKind kind = ShapeKind::sphere;
  Real radius = 0.0;           // sphere, disk, capsule, cylinder, tube, ring
  Real length = 0.0;           // capsule (between the centres of its caps), cylinder
  Vec3 size = Vec3::Zero();    // box: full sizes
  std::vector<Vec2> vertices;  // polygon
  std::vector<Vec3> points;    // polyhedron
  std::shared_ptr<const TriangleMesh> mesh;
  MeshUse mesh_use = MeshUse::hull;
  std::shared_ptr<const ConvexHull> hull;  // polyhedron
  Real scale = 1.0;                        // of points, mesh or hull
  Vec3 position = Vec3::Zero();            // in the body's user frame
  Quat rotation = Quat::Identity();
  std::optional<Real> density;  // overrides the material's, for clusters of several materials
  std::string material;         // empty: the body's
  bool collides = true;         // false: drawn and weighed, touches nothing
};

// A scalar function of time as written: expression or table, with the scene's parameters already replaced.
struct TimeFunctionSpec {
  SourceMark mark;
  std::string expression;                    // variables: t and the scene's parameters
  std::vector<std::pair<Real, Real>> table;  // (t, value), linear between, constant outside
  bool smooth = false;                       // table: monotone cubic instead of linear
};

// A number that is set from outside while the scene runs.
struct InputSpec {
  SourceMark mark;
  std::string name;
  Real start = 0.0;  // key: default
  std::string unit;  // for people
  Real lower = -std::numeric_limits<Real>::infinity(), upper = std::numeric_limits<Real>::infinity();
  std::optional<TimeFunctionSpec> table;  // a run takes its values from here; then nobody sets it
};

struct MotionSpec {
  SourceMark mark;
  std::array<std::optional<TimeFunctionSpec>, 3> displacement;  // x, y, z
  std::optional<TimeFunctionSpec> angle;
  Vec3 axis = Vec3(0, 0, 1);
  std::optional<Vec3> pivot;  // default: the body's position
};

enum class BodyRole : std::uint8_t { dynamic, fixed, kinematic };

struct BodySpec {
  SourceMark mark;
  std::string name;
  std::string group;  // probes over groups; generated grains carry their generator's name
  BodyRole role = BodyRole::dynamic;
  std::vector<ShapeSpec> shapes;
  std::string material;
  Vec3 position = Vec3::Zero();  // of the user frame
  Quat rotation = Quat::Identity();
  Real angle = 0.0;              // planar scenes: start of the continuous angle
  Vec3 velocity = Vec3::Zero();  // of the centre of mass
  Vec3 angular_velocity = Vec3::Zero();
  std::optional<Real> density;         // overrides the material's
  std::optional<Real> mass;            // given: shapes only collide
  std::optional<Vec3> center_of_mass;  // in the user frame
  std::optional<Mat3> inertia;         // about the centre of mass, user axes
  std::optional<MotionSpec> motion;    // kinematic
  Real release_time = 0.0;
};

struct MaterialSpec {
  SourceMark mark;
  std::string name;
  std::optional<Real> density;  // kg/m3; planar scenes: times Spec::thickness
};

struct PairSpec {
  SourceMark mark;
  std::string a, b;  // material names; "any" matches every material and yields to named pairs
  std::optional<Real> friction;
  std::optional<Real> restitution;
  std::optional<ContactLawKind> law;
};

// Sizes of grains: diameter of spheres and disks; of stones the sieve size; for other shapes the factor that scales the
// template so that twice its bound radius is the diameter.
struct SizeSpec {
  SourceMark mark;
  enum class Kind : std::uint8_t { fixed, uniform, normal, lognormal, discrete, sieve } kind = Kind::fixed;
  Real diameter = 0.0;                        // fixed; mean of normal; median of lognormal
  Real min = 0.0, max = 0.0;                  // uniform; truncation of normal and lognormal
  Real deviation = 0.0;                       // normal: standard deviation, m; lognormal: of the logarithm
  std::vector<std::pair<Real, Real>> points;  // discrete: (diameter, weight by number);
                                              // sieve: (diameter, fraction passing by mass, rising from 0 to 1)
};

// A ratio drawn for each stone: normal about the mean, cut at min and max; uniform between these when the deviation is
// infinite; the mean itself when it is 0.
struct RatioSpec {
  Real mean = 1.0, deviation = 0.0, min = 0.0, max = 1.0;
};

// Random convex stones (stone_library.hpp).
struct StoneSpec {
  SourceMark mark;
  Index vertices = 25;                         // about
  RatioSpec elongation{0.72, 0.1, 0.5, 0.95};  // width over length
  RatioSpec flatness{0.70, 0.12, 0.4, 0.95};   // thickness over width
  Real roundness = 0.0;                        // 0: flat faces and sharp corners, 1: corners on an ellipsoid
  Index variants = 100;                        // different stones
};

struct GeneratorSpec {
  SourceMark mark;
  enum class Kind : std::uint8_t { fill, lattice, rain, bed } kind = Kind::fill;
  std::string name;                                // group of its grains, named name[0], name[1], ...
  ShapeSpec shape;                                 // template; radius and sizes scaled by the size distribution
  std::vector<ShapeSpec> cluster;                  // template with several shapes, instead of `shape`
  std::optional<StoneSpec> stone;                  // a library of random stones, instead of `shape`
  std::shared_ptr<const TriangleMesh> stone_mesh;  // a library of digitised ones: the hull of every object
  SizeSpec size;
  std::string material;
  std::optional<Real> density;
  std::optional<Index> count;   // fill: at most this many; rain: exactly
  Vec3 box_min = Vec3::Zero();  // region (fill, rain source) or corner of the lattice
  Vec3 box_max = Vec3::Zero();
  std::optional<Vec3> cylinder_axis;  // fill: keep to the cylinder inscribed in the box about this axis
  // fill: random sequential placement until the box holds `solid_fraction` or no place is found
  std::optional<Real> solid_fraction;
  // lattice
  enum class Lattice : std::uint8_t { cubic, hexagonal } lattice = Lattice::cubic;
  std::array<Index, 3> cells{0, 0, 0};
  Real spacing = 0.0;    // m; 0: the largest grain plus `clearance`
  Real jitter = 0.0;     // part of the free space used to displace grains at random
  Real clearance = 0.0;  // m between grains at the start
  bool random_rotation = false;
  // rain
  Real rate = 0.0;               // grains per second
  Real start = 0.0;              // s
  Vec3 velocity = Vec3::Zero();  // m/s at the start, all kinds
  Real velocity_spread = 0.0;    // m/s, uniform in each component, all kinds
  // bed: stones at rest
  std::string bed_file;                               // a file of `grus bed`, or
  std::string bed_scene;                              // the scene that makes one
  std::vector<std::pair<std::string, Real>> bed_set;  // settings of that scene
  std::shared_ptr<const Bed> bed;                     // read or made, in time for compile()
  bool bed_is_unknown = false;                        // checks only: it is not made yet, and its stones are not known
  Vec3 bed_position = Vec3::Zero();                   // m, shift
};

// When a scene that makes a bed is done, and how it gets there (grus bed).
struct SettleSpec {
  SourceMark mark;
  Real speed = 1e-3;  // m/s, of the RMS and of 99 % of the stones
  Index steps = 100;  // that long, without a stone faster than g h
  Real limit = 20.0;  // s of simulated time
  // 1/s, taken off all velocities until the bed is quiet; it must stay so without. At 0 a stone that swings in its
  // cavity swings on: one bed of 60 stones in 60 did not come to rest.
  Real damping = 5.0;
  std::optional<Real> level;  // m, along the way up: stones that reach above it are taken off
  Real growth_from = 1.0;     // stones start at this part of their size
  Real growth_time = 0.5;     // s, until they have all of it
  Real core = 0.0;            // m, distance from the walls of the region that the solid fraction is taken over
};

// How a joint coordinate starts, what drives, stops and brakes it.
struct ForceLawSpec {
  SourceMark mark;
  Real stiffness = 0.0, damping = 0.0;
  std::optional<TimeFunctionSpec> rest, rate;
  std::vector<std::pair<Real, Real>> table;  // (position, force)
  std::string expression;                    // of t and every coordinate of the mechanism, "crank.angle",
                                             // "crank.angle.rate"
  std::optional<Real> limit;
  bool implicit = false;
};

struct CoordinateSpec {
  SourceMark mark;
  std::string name;  // of the joint's kind: angle, slide, x, y, z, angle_1, angle_2, rx, ry, rz
  std::optional<Real> start, rate;
  CoordinateRole role = CoordinateRole::automatic;
  std::optional<TimeFunctionSpec> drive;
  std::optional<Real> lower, upper;
  Real restitution = 0.0;
  Real friction = 0.0;
  std::vector<ForceLawSpec> forces;  // springs, motors and expressions act together
};

enum class JointKind : std::uint8_t { fixed, revolute, prismatic, cylindrical, universal, spherical, planar, free };

struct JointSpec {
  SourceMark mark;
  JointKind kind = JointKind::revolute;
  Vec3 at = Vec3::Zero();            // in the parent's user frame
  Quat rotation = Quat::Identity();  // of the child's user frame in the parent's at zero coordinates
  Real angle = 0.0;                  // planar scenes
  std::optional<Vec3> axis, axis_2;  // in the joint frame; axis_2: universal
  std::vector<CoordinateSpec> coordinates;
};

// A body of a mechanism. Its user frame is the joint frame after the joint's motion.
struct LinkSpec {
  BodySpec body;  // name, shapes, material, mass properties
  std::string parent = "ground";
  JointSpec joint;
};

struct AnchorSpec {  // a point of a body
  SourceMark mark;
  std::string body = "ground";
  Vec3 at = Vec3::Zero();            // in its user frame
  Quat rotation = Quat::Identity();  // of the frame there; the axes of a cut are those of its side a
};

enum class CutKind : std::uint8_t { ball, pin, rod, rigid, components };

// A loop cut of a mechanism, or a joint of the absolute lane (Spec::joints).
struct CutSpec {
  SourceMark mark;
  std::string name;
  CutKind kind = CutKind::ball;
  AnchorSpec a, b;
  Vec3 axis = Vec3(0, 0, 1);            // pin: in the frame of a
  std::optional<Real> length;           // rod
  std::vector<std::string> components;  // out of x, y, z, rx, ry, rz
};

struct PointForceSpec {
  SourceMark mark;
  std::string name;
  AnchorSpec a, b;
  ForceLawSpec law;
};

struct AppliedForceSpec {
  SourceMark mark;
  std::string name;
  AnchorSpec at;
  std::array<std::string, 3> force, torque;  // expressions; empty: zero
  bool in_body_axes = false;
};

struct MemorySpec {  // a value kept from a moment on
  SourceMark mark;
  std::string name;  // in expressions of forces
  std::string of;    // expression of t, parameters and every coordinate of the mechanism
  Real at = 0.0;     // s
};

struct MechanismSpec {
  SourceMark mark;
  std::string name;
  std::vector<LinkSpec> bodies;
  std::vector<CutSpec> loops;
  std::vector<PointForceSpec> springs;
  std::vector<AppliedForceSpec> forces;
  std::vector<MemorySpec> memories;
  std::vector<std::pair<std::string, std::string>> exclude;  // pairs of bodies that do not touch
};

struct ProbeSpec {
  SourceMark mark;
  std::string column;  // header in series.csv
  // Exactly one of: body, group, coordinate, joint, spring, expression.
  std::string body;
  std::optional<Vec3> at;  // body: a point of it, in its user frame, instead of the centre of mass
  std::string coordinate;  // of a mechanism, "crank.angle"; quantity position, rate, force (of its drive)
  std::string joint;       // of a body of a mechanism ("crank"), a loop or a joint of `joints`; quantity force.x, ...
  std::string spring;      // point-to-point; quantity length, rate, force
  std::string group;       // a generator's or body's group, "all" for every dynamic body
  std::string expression;  // of t, parameters and columns defined before
  std::string quantity;    // e.g. position.z, velocity.x, speed, angle, force.x; groups: mean.z, max.x, ...
  std::string container;   // outside of a group: the body whose walls enclose it
  // surface_angle of a group: horizontal axis, up axis
  std::string along = "x";
  std::string up = "z";
};

struct CheckSpec {
  SourceMark mark;
  std::string name;
  std::string of;  // a column of series.csv, or a key of summary.json (penetration_max, ...)
  enum class Reduce : std::uint8_t {
    last,
    first,
    min,
    max,
    mean,
    range,
    rise,    // largest rise above an earlier value
    period,  // mean time between rising crossings of the middle of the range
    change_per_period,
    max_error,
    rms_error
  } reduce = Reduce::last;
  // Expression of t, parameters and columns. max_error, rms_error: the expected value; change_per_period: what swings.
  std::string against;
  Real from = -1e300, to = 1e300;  // window of t
  std::optional<Real> below, above, near;
  Real tolerance = 0.0;  // with near

  bool needs_against() const {
    return reduce == Reduce::max_error || reduce == Reduce::rms_error || reduce == Reduce::change_per_period;
  }
};

// A figure of the report, as the scene's paper has it: columns over time or over another column.
struct FigureSpec {
  SourceMark mark;
  std::string title;
  std::string x = "t";
  std::vector<std::string> y;
  bool log = false;
};

struct OutputSpec {
  Real series_interval = 0.0;  // s; 0: every step
  Real frame_interval = 0.0;   // s; 0: no frames but the first and the last
  bool frames = true;
  bool contacts_in_frames = true;
  bool vtk = false;
  Real checkpoint_seconds = 10.0;           // wall time between checkpoints
  std::optional<Real> checkpoint_interval;  // simulated time between checkpoints, instead
  Real frame_part_megabytes = 32.0;
};

struct RegionSpec {  // a box with a name
  SourceMark mark;
  std::string name;
  Vec3 min = Vec3::Zero(), max = Vec3::Zero();  // m
};

struct AnalysisSpec {
  // s; the nearest frame is looked at. Minus and plus infinity: the first and the last frame.
  std::vector<Real> times = {-std::numeric_limits<Real>::infinity(), std::numeric_limits<Real>::infinity()};
  std::optional<std::pair<Vec3, Vec3>> box;  // m, of the map; nothing: about the dynamic bodies
  std::optional<Real> cell;                  // m, side of a cell; nothing: twice the mean size of the dynamic bodies
  Index samples = 10;                        // points along the side of a cell
  int across = 1;                            // axis the map is averaged over
  std::optional<Real> strength;              // N, largest contact force a body bears
  std::vector<RegionSpec> regions;
};

struct RunSpec {  // one run of a study
  SourceMark mark;
  std::string name;
  std::vector<std::pair<std::string, std::string>> set;
};

struct AboutSpec {
  std::string title;  // one line: what it shows
  std::string paper;
  Real seconds = 0.0;  // run time on two cores
  bool leads = false;  // speaks for its folder in the gallery
};

struct Spec {
  std::string file;  // main scene file as given
  std::string name;
  AboutSpec about;
  bool planar = false;
  Real thickness = 1.0;  // m, planar scenes: depth that turns density into mass
  Vec3 gravity = Vec3::Zero();
  Real end = 1.0;  // time.end, s
  std::map<std::string, Real> parameters;
  std::vector<InputSpec> inputs;
  IntegratorOptions integrator;
  std::string integrator_kind = "moreau-jean";
  SolverOptions solver;
  ContactOptions contact;
  ContactLawKind law = ContactLawKind::newton;  // contact.law: of every pair that does not name one
  std::uint64_t seed = 1;
  std::optional<std::pair<Vec3, Vec3>> domain;
  std::vector<MaterialSpec> materials;
  std::vector<PairSpec> pairs;
  std::vector<BodySpec> bodies;  // walls and containers are bodies of role fixed or kinematic
  std::vector<MechanismSpec> mechanisms;
  std::vector<CutSpec> joints;  // the absolute lane: bilateral rows between free bodies, at velocity level
  std::vector<GeneratorSpec> generators;
  std::optional<SettleSpec> settle;  // the scene makes a bed
  std::vector<ProbeSpec> probes;
  std::vector<CheckSpec> checks;
  std::vector<FigureSpec> figures;
  OutputSpec outputs;
  std::optional<AnalysisSpec> analysis;     // at the end of the run
  std::vector<RunSpec> runs;                // a study when not empty
  std::string text;                         // the composed scene with its overrides, for reports
  std::uint64_t hash = 0;                   // of the composed text, see Model::scene_hash
  std::map<std::string, SourceMark> marks;  // of scalar settings by path, e.g. "integrator.theta"
};

}  // namespace grus
