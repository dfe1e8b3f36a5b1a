// A simulation in the hand: step it, look at it, push it, set its inputs, go back, copy it.
//
//   grus::Simulation excavator("excavator.yaml", {.threads = 2});
//   excavator.before_step([](grus::Simulation& s) { s.set_input("boom", control(s.value("boom.angle"))); });
//   excavator.advance(10.0);
//
// Stepping gives bit for bit the states of `grus run`. A simulation is used by one thread at a time; several of them,
// copies included, run in different threads and do not know of each other.
//
// Vectors are (x, y, z), rotations unit quaternions (x, y, z, w), everything in SI units and world axes. Bodies are
// numbered: free ones first, then those of mechanisms (linked), then walls and other bodies on given paths
// (prescribed). A name that does not exist, a value out of its range and a call that makes no sense throw
// std::invalid_argument and change nothing. A step that breaks down throws NumericalError (grus/error.hpp), and the
// simulation stands where it stood before the step. After InternalError, an error of Grus itself, it is not usable:
// every further call throws InternalError, and all that is left is to destroy it. Others go on.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace grus {

using Vector3 = std::array<double, 3>;
using Quaternion = std::array<double, 4>;  // x, y, z, w

struct SimulationOptions {
  std::vector<std::string> overrides = {};  // "name=value", as --set
  std::string run = {};                     // of a study: this one
  int threads = 1;                          // 0: all cores
  std::function<void(const std::string&)> message =
      {};  // warnings of the scene, and how a bed is made when it needs one
};

// What the last step says about itself.
struct StepSummary {
  std::int64_t contacts = 0, pairs = 0, sweeps = 0;
  bool converged = true;
  double residual = 0.0;         // scaled natural map
  double worst_contact = 0.0;    // m/s, what the worst contact is off by
  double machine_error = 0.0;    // m/s, the same of the worst contact or row of a mechanism
  double penetration_max = 0.0;  // m, at the end of the step
  double loop_error = 0.0;       // m
  std::int64_t lost_bodies = 0;
};

enum class BodyKind : std::uint8_t { free, linked, prescribed };

struct BodyPose {
  Vector3 position{};  // m, of the origin of the body as the scene describes it
  Quaternion rotation{0, 0, 0, 1};
};

struct BodyVelocity {
  Vector3 linear{};   // m/s, of the centre of mass; of a prescribed body: of its origin
  Vector3 angular{};  // rad/s
};

// A contact point of the last step. The normal points from a to b, the impulse acts on b.
struct ContactOfStep {
  std::int32_t body_a = -1, body_b = -1;
  Vector3 point{}, normal{}, impulse{};  // m, 1, N s
  double gap = 0.0;                      // m, in the middle configuration of the step; negative: overlap
};

// A matrix by rows.
struct Matrix {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  // [rows * columns]
  double operator()(std::size_t i, std::size_t j) const { return values[i * columns + j]; }
};

// A state of one scene, kept in memory: cheap to copy, for any simulation of the same scene.
class SavedState {
 public:
  double time() const;

 private:
  friend class Simulation;
  struct Content;
  std::shared_ptr<const Content> content_;
};

class Simulation {
 public:
  // Reads the scene and its beds. Throws InputError with all faults.
  explicit Simulation(const std::string& scene, const SimulationOptions& options = {});
  ~Simulation();
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  // Another one of the same scene in the same state. Callbacks and loads are not copied.
  Simulation clone() const;

  // --- time
  double time() const;
  double time_step() const;
  double end() const;  // time.end of the scene
  std::int64_t step_count() const;
  const StepSummary& step();
  // Whole steps until the time is reached; the last one may end up to one step after it.
  const StepSummary& advance(double until);
  const StepSummary& last_step() const;
  // Called around every step, in the order they were added. A callback may set inputs and add loads before a step, and
  // look at anything; it may not step, restore or move bodies.
  using Callback = std::function<void(Simulation&)>;
  void before_step(Callback callback);
  void after_step(Callback callback);

  // --- what there is
  const std::vector<std::string>& body_names() const;
  const std::vector<std::string>& coordinate_names() const;  // of joints: "crank.angle"
  const std::vector<std::string>& mechanism_names() const;
  const std::vector<std::string>& material_names() const;
  const std::vector<std::string>& input_names() const;
  const std::vector<std::string>& column_names() const;  // those of series.csv: the standard ones, inputs, probes
  std::int32_t body(const std::string& name) const;
  std::int32_t coordinate(const std::string& name) const;
  std::int32_t input(const std::string& name) const;
  std::int32_t column(const std::string& name) const;
  BodyKind kind(std::int32_t body) const;

  // --- state, without copying; valid until the next call that is not const
  std::int32_t free_body_count() const;
  std::span<const double> positions() const;           // m, centres of mass of the free bodies [3 each]
  std::span<const double> rotations() const;           // of their principal axes, (x, y, z, w)  [4 each]
  std::span<const double> velocities() const;          // m/s                                    [3 each]
  std::span<const double> angular_velocities() const;  // rad/s                                  [3 each]
  std::span<const double> joint_positions() const;     // all mechanisms; a joint that turns in space has a quaternion
  std::span<const double> joint_velocities() const;    // [coordinate_names]
  std::span<const double> impulses() const;            // N s, of the contacts of the last step  [3 each]
  // Of any body, free or not.
  BodyPose pose(std::int32_t body) const;
  BodyVelocity velocity(std::int32_t body) const;
  double joint_position(std::int32_t coordinate) const;
  double joint_velocity(std::int32_t coordinate) const;
  std::vector<ContactOfStep> contacts() const;

  // The row of series.csv of now, and one number of it.
  std::span<const double> values() const;
  double value(const std::string& column) const;
  double value(std::int32_t column) const;

  // --- a mechanism in its present configuration, in all its joint velocities, loops not closed
  Matrix mass_matrix(const std::string& mechanism) const;        // M(q)
  std::vector<double> bias(const std::string& mechanism) const;  // c(q, v) - gravity: what M a + bias = forces needs
  // Velocity of a point of a linked body and its angular velocity per joint velocity of its mechanism [6 x n]; the
  // point is given in the frame of the body as the scene describes it.
  Matrix jacobian(std::int32_t body, const Vector3& point = {}) const;

  // --- loads from outside: they act in all steps of the next call of step() or advance() and are cleared then; those
  // added by a callback act in that step. `at` is a point in the frame of the body, which moves with it.
  void add_force(std::int32_t body, const Vector3& force, const Vector3& at);
  void add_force(std::int32_t body, const Vector3& force);  // at the centre of mass
  void add_torque(std::int32_t body, const Vector3& torque);
  void add_joint_force(std::int32_t coordinate, double force);  // N or N m

  // --- inputs of the scene: they stay until they are set again, and are part of the state
  void set_input(const std::string& name, double value);
  void set_input(std::int32_t input, double value);
  double input_value(std::int32_t input) const;  // as set

  // --- changing the state
  void set_pose(std::int32_t body, const BodyPose& pose);              // of free bodies
  void set_velocity(std::int32_t body, const BodyVelocity& velocity);  // of free bodies
  // Loops are closed again by the coordinates that are not named here, and their velocities follow; refused with the
  // name of the loop that cannot close. Driven coordinates cannot be set.
  struct JointValue {
    std::int32_t coordinate = -1;
    double position = 0.0, velocity = 0.0;
  };
  void set_joints(std::span<const JointValue> values);
  void set_joint(std::int32_t coordinate, double position, double velocity = 0.0);

  SavedState state() const;
  void restore(const SavedState& state);
  void save(const std::string& path) const;  // as checkpoint.h5; throws IoError
  void load(const std::string& path);        // also the checkpoint of `grus run`; throws InputError
  std::string state_hash() const;            // as in summary.json

  // --- files: from now on everything is written to a run's folder as by `grus run`, for the viewer to follow. A folder
  // with other files is refused (InputError). The summary and the report are written by stop_recording(), or when the
  // simulation is destroyed; errors are then lost.
  void record(const std::string& directory);
  void stop_recording();

 private:
  friend struct SimulationAccess;
  struct Content;
  explicit Simulation(std::unique_ptr<Content> content);
  Content& content() const;  // throws when it is not usable
  std::unique_ptr<Content> content_;
};

}  // namespace grus
