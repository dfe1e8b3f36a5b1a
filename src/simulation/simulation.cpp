#include "grus/simulation.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/hash.hpp"
#include "core/nearest_name.hpp"
#include "grus/version.hpp"
#include "io/checkpoint.hpp"
#include "math/rotation.hpp"
#include "multibody/dynamics.hpp"
#include "multibody/make_scene.hpp"
#include "multibody/set_joints.hpp"
#include "simulation/load_run.hpp"
#include "simulation/simulation_content.hpp"

namespace grus {

namespace {

Vector3 plain(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Quaternion plain(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }

void check_number(double value, const char* what) {
  if (!std::isfinite(value)) refuse_call(fmt::format("{} is {}, expected a finite number", what, value));
}
void check_numbers(std::span<const double> values, const char* what) {
  for (const double value : values) check_number(value, what);
}

std::int32_t index_of(const std::vector<std::string>& names, const std::string& name, const char* what) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) refuse_call(fmt::format("no {} is called '{}'{}", what, name, name_hint(name, names)));
  return static_cast<std::int32_t>(found - names.begin());
}

template <class T>
std::span<const double> flat(const std::vector<T>& values) {
  return {reinterpret_cast<const double*>(values.data()), values.size() * (sizeof(T) / sizeof(double))};
}

}  // namespace

double SavedState::time() const { return content_ ? content_->state.time : 0.0; }

Simulation::Simulation(const std::string& path, const SimulationOptions& options) {
  const Parallel parallel(options.threads);
  const SettleCallbacks callbacks{{}, options.message, {}};
  auto spec = std::make_shared<const Spec>(load_run(path, options.run, options.overrides, options.threads, callbacks));
  auto scene = std::make_shared<const CompiledScene>(make_scene(*spec));
  if (options.message)
    for (const std::string& warning : scene->warnings) options.message("warning: " + warning);
  State initial = scene->initial;
  content_ = std::make_unique<Content>(std::move(spec), std::move(scene), std::move(initial), parallel);
}

Simulation::Simulation(std::unique_ptr<Content> content) : content_(std::move(content)) {}

Simulation::~Simulation() {
  if (!content_) return;
  try {
    stop_recording();
  } catch (const std::exception&) {
    // documented: who wants to know calls stop_recording()
  }
}

Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;

Simulation::Content& Simulation::content() const {
  if (!content_) refuse_call("this simulation was moved to another variable");
  if (!content_->broken.empty())
    throw InternalError(fmt::format("this simulation is not usable after an error inside Grus ({})", content_->broken));
  if (content_->is_between_states)
    throw InternalError("this simulation is not usable: its state could not be replaced as a whole");
  return *content_;
}

Simulation Simulation::clone() const {
  return Simulation(std::make_unique<Content>(content().spec, content().scene, content().state(),
                                              Parallel(content().stepper.parallel().threads())));
}

double Simulation::time() const { return content().state().time; }
double Simulation::time_step() const { return content().model().integrator.step; }
double Simulation::end() const { return content().spec->end; }
std::int64_t Simulation::step_count() const { return content().state().step; }

const StepSummary& Simulation::step() {
  content().check_not_in_callback("step()");
  content().with_loads([&] { content().one_step(*this); });
  return content().last;
}

const StepSummary& Simulation::advance(double until) {
  content().check_not_in_callback("advance()");
  check_number(until, "the time to advance to");
  const std::int64_t last = steps_to(until, time_step());
  content().with_loads([&] {
    while (step_count() < last) content().one_step(*this);
  });
  return content().last;
}

const StepSummary& Simulation::last_step() const { return content().last; }
void Simulation::before_step(Callback callback) { content().before.push_back(std::move(callback)); }
void Simulation::after_step(Callback callback) { content().after.push_back(std::move(callback)); }

const std::vector<std::string>& Simulation::body_names() const { return content().scene->names.body; }
const std::vector<std::string>& Simulation::coordinate_names() const { return content().coordinates; }
const std::vector<std::string>& Simulation::mechanism_names() const { return content().mechanisms; }
const std::vector<std::string>& Simulation::material_names() const { return content().scene->names.material; }
const std::vector<std::string>& Simulation::input_names() const { return content().scene->names.input; }
const std::vector<std::string>& Simulation::column_names() const { return content().columns; }

std::int32_t Simulation::body(const std::string& name) const { return index_of(body_names(), name, "body"); }
std::int32_t Simulation::coordinate(const std::string& name) const {
  return index_of(coordinate_names(), name, "coordinate");
}
std::int32_t Simulation::input(const std::string& name) const { return index_of(input_names(), name, "input"); }
std::int32_t Simulation::column(const std::string& name) const { return index_of(column_names(), name, "column"); }

BodyKind Simulation::kind(std::int32_t body) const {
  content().check_body(body);
  const Model& model = content().model();
  return model.is_dynamic(body) ? BodyKind::free : (model.is_linked(body) ? BodyKind::linked : BodyKind::prescribed);
}

std::int32_t Simulation::free_body_count() const { return content().model().dynamic_count; }
std::span<const double> Simulation::positions() const { return flat(content().state().position); }
std::span<const double> Simulation::rotations() const { return flat(content().state().rotation); }
std::span<const double> Simulation::velocities() const { return flat(content().state().velocity); }
std::span<const double> Simulation::angular_velocities() const { return flat(content().state().angular_velocity); }
std::span<const double> Simulation::joint_positions() const { return content().state().joint_position; }
std::span<const double> Simulation::joint_velocities() const { return content().state().joint_velocity; }
std::span<const double> Simulation::impulses() const { return flat(content().state().impulse); }

BodyPose Simulation::pose(std::int32_t body) const {
  content().check_body(body);
  const auto i = static_cast<std::size_t>(body);
  const Pose X_WB = content().pose_of_B(body);
  const Quat R_WU = X_WB.rotation * content().model().R_UB[i].conjugate();
  return {plain(Vec3(X_WB.position - R_WU * content().model().p_UB[i])), plain(R_WU)};
}

BodyVelocity Simulation::velocity(std::int32_t body) const {
  content().check_body(body);
  const State& state = content().state();
  if (content().model().is_dynamic(body)) return {plain(state.velocity[body]), plain(state.angular_velocity[body])};
  const CarriedBodies& carried = content().carried_bodies();
  const Index i = body - content().model().dynamic_count;
  return {plain(carried.velocity[i]), plain(carried.angular_velocity[i])};
}

double Simulation::joint_position(std::int32_t coordinate) const {
  check_index(coordinate, content().coordinates.size(), "coordinate");
  return joint_coordinate_position(content().model(), content().state(), coordinate);
}

double Simulation::joint_velocity(std::int32_t coordinate) const {
  check_index(coordinate, content().coordinates.size(), "coordinate");
  return content().state().joint_velocity[static_cast<std::size_t>(coordinate)];
}

std::vector<ContactOfStep> Simulation::contacts() const {
  const Workspace& work = content().stepper.work();
  std::vector<ContactOfStep> contacts;
  // A state that was set or restored has impulses, and the contacts they belonged to are gone.
  if (work.contacts.size() != content().state().impulse.size()) return contacts;
  contacts.reserve(work.contacts.size());
  for (std::size_t c = 0; c < work.contacts.size(); ++c) {
    const ContactPoint& point = work.contacts[c];
    contacts.push_back({point.body_a, point.body_b, plain(point.position), plain(point.normal),
                        plain(content().state().impulse[c]), point.gap});
  }
  return contacts;
}

std::span<const double> Simulation::values() const { return content().observed(); }
double Simulation::value(const std::string& name) const { return value(column(name)); }
double Simulation::value(std::int32_t column) const {
  check_index(column, content().columns.size(), "column");
  return content().observed()[static_cast<std::size_t>(column)];
}

Matrix Simulation::mass_matrix(const std::string& name) const {
  const auto d = static_cast<std::size_t>(index_of(content().mechanisms, name, "mechanism"));
  DynamicsScratch scratch;
  Eigen::MatrixXd mass;
  content().attempt([&] {
    grus::mass_matrix(content().model().mechanisms[d], content().carried_bodies().linked.mechanisms[d], scratch, mass);
  });
  const auto n = static_cast<std::size_t>(mass.rows());
  return {n, n, {mass.data(), mass.data() + mass.size()}};  // symmetric: by rows as by columns
}

std::vector<double> Simulation::bias(const std::string& name) const {
  const auto d = static_cast<std::size_t>(index_of(content().mechanisms, name, "mechanism"));
  const Mechanism& mechanism = content().model().mechanisms[d];
  const auto count = static_cast<std::size_t>(mechanism.velocity_count);
  DynamicsScratch scratch;
  const std::vector<Real> at_rest(count, 0.0);
  std::vector<double> forces(count);
  content().attempt([&] {
    inverse_dynamics(mechanism, content().carried_bodies().linked.mechanisms[d], at_rest, content().model().gravity,
                     scratch, forces);
  });
  return forces;
}

Matrix Simulation::jacobian(std::int32_t body, const Vector3& point) const {
  content().check_body(body);
  const Model& model = content().model();
  if (!model.is_linked(body))
    refuse_call(fmt::format("'{}' is not a body of a mechanism", body_names()[static_cast<std::size_t>(body)]));
  const Index d = model.mechanism_of_body(body);
  const Mechanism& mechanism = model.mechanisms[static_cast<std::size_t>(d)];
  const MechanismKinematics& kinematics = content().carried_bodies().linked.mechanisms[static_cast<std::size_t>(d)];
  const Pose X_WB = content().pose_of_B(body);
  const Vec3 p = X_WB.position + X_WB.rotation * content().to_B(body, point);
  const auto n = static_cast<std::size_t>(mechanism.velocity_count);
  Matrix result{6, n, std::vector<double>(6 * n, 0.0)};
  for (int i = 0; i < 6; ++i) {
    const Vec3 force = i < 3 ? Vec3(Vec3::Unit(i)) : Vec3(Vec3::Zero());
    const Vec3 torque = i < 3 ? Vec3(Vec3::Zero()) : Vec3(Vec3::Unit(i - 3));
    content().attempt([&] {
      add_generalised_force(mechanism, kinematics, body - mechanism.first_body, p, force, torque, 1.0,
                            std::span(result.values).subspan(static_cast<std::size_t>(i) * n, n));
    });
  }
  return result;
}

void Simulation::add_force(std::int32_t body, const Vector3& force, const Vector3& at) {
  content().check_body(body);
  content().add_load(body, {body, vector_of(force), Vec3::Zero(), content().to_B(body, at)});
}
void Simulation::add_force(std::int32_t body, const Vector3& force) {
  content().add_load(body, {body, vector_of(force), Vec3::Zero(), Vec3::Zero()});
}
void Simulation::add_torque(std::int32_t body, const Vector3& torque) {
  content().add_load(body, {body, Vec3::Zero(), vector_of(torque), Vec3::Zero()});
}

void Simulation::add_joint_force(std::int32_t coordinate, double force) {
  check_index(coordinate, content().coordinates.size(), "coordinate");
  check_number(force, "a load");
  std::vector<Real>& joints = (content().in_callback ? content().step_loads : content().call_loads).joints;
  if (joints.empty()) joints.assign(content().coordinates.size(), 0.0);
  joints[static_cast<std::size_t>(coordinate)] += force;
}

void Simulation::set_input(const std::string& name, double value) { set_input(input(name), value); }

void Simulation::set_input(std::int32_t index, double value) {
  check_index(index, input_names().size(), "input");
  const auto i = static_cast<std::size_t>(index);
  const Input& input = content().model().inputs[i];
  if (input.table) refuse_call(fmt::format("input '{}' follows the table of the scene", input_names()[i]));
  if (!(value >= input.lower && value <= input.upper))
    refuse_call(fmt::format("input '{}' is {}, expected a number from {:g} to {:g}", input_names()[i], value,
                            input.lower, input.upper));
  content().stepper.state().input[i] = value;
}

double Simulation::input_value(std::int32_t input) const {
  check_index(input, input_names().size(), "input");
  return content().state().input[static_cast<std::size_t>(input)];
}

void Simulation::set_pose(std::int32_t body, const BodyPose& pose) {
  content().check_not_in_callback("set_pose()");
  content().check_free(body, "set_pose()");
  check_numbers(pose.position, "a position");
  check_numbers(pose.rotation, "a rotation");
  Quat R_WU(pose.rotation[3], pose.rotation[0], pose.rotation[1], pose.rotation[2]);
  if (R_WU.norm() == 0.0) refuse_call("a rotation is a quaternion of zeros");
  R_WU.normalize();
  const Model& model = content().model();
  if (model.planar && (std::hypot(R_WU.x(), R_WU.y()) > 1e-9 || pose.position[2] != 0.0))
    refuse_call("a pose leaves the plane of a planar scene");
  const auto i = static_cast<std::size_t>(body);
  State& state = content().stepper.state();
  state.rotation[i] = (R_WU * model.R_UB[i]).normalized();
  state.position[i] = vector_of(pose.position) + R_WU * model.p_UB[i];
  if (model.planar) {
    const Real angle = 2.0 * std::atan2(state.rotation[i].z(), state.rotation[i].w());
    state.angle[i] += std::remainder(angle - state.angle[i], 2.0 * std::acos(-1.0));
    state.rotation[i] = rotation_about_z(state.angle[i]);
  }
  content().state_changed();
}

void Simulation::set_velocity(std::int32_t body, const BodyVelocity& velocity) {
  content().check_not_in_callback("set_velocity()");
  content().check_free(body, "set_velocity()");
  check_numbers(velocity.linear, "a velocity");
  check_numbers(velocity.angular, "an angular velocity");
  if (content().model().planar &&
      (velocity.linear[2] != 0.0 || velocity.angular[0] != 0.0 || velocity.angular[1] != 0.0))
    refuse_call("a velocity leaves the plane of a planar scene");
  State& state = content().stepper.state();
  state.velocity[static_cast<std::size_t>(body)] = vector_of(velocity.linear);
  state.angular_velocity[static_cast<std::size_t>(body)] = vector_of(velocity.angular);
  content().state_changed();
}

void Simulation::set_joint(std::int32_t coordinate, double position, double velocity) {
  const JointValue value{coordinate, position, velocity};
  set_joints({&value, 1});
}

void Simulation::set_joints(std::span<const JointValue> values) {
  content().check_not_in_callback("set_joints()");
  std::vector<JointSetting> settings;
  for (const JointValue& value : values) {
    check_index(value.coordinate, content().coordinates.size(), "coordinate");
    check_number(value.position, "a joint position");
    check_number(value.velocity, "a joint velocity");
    settings.push_back({value.coordinate, value.position, value.velocity});
  }
  State changed = content().state();
  const std::string fault = content().attempt(
      [&] { return grus::set_joints(content().model(), content().scene->names.mechanism, settings, changed); });
  if (!fault.empty()) refuse_call(fault);
  content().stepper.state() = std::move(changed);
  content().state_changed();
}

SavedState Simulation::state() const {
  SavedState saved;
  saved.content_ =
      std::make_shared<const SavedState::Content>(SavedState::Content{content().model().scene_hash, content().state()});
  return saved;
}

void Simulation::restore(const SavedState& saved) {
  content().check_not_in_callback("restore()");
  if (content().recorder) refuse_call("restore() while a recording goes on: its rows would go back in time");
  if (!saved.content_) refuse_call("this saved state is empty");
  if (saved.content_->scene_hash != content().model().scene_hash)
    refuse_call("this saved state belongs to another scene or other settings");
  content().attempt([&] {
    content().place(saved.content_->state);
    content().describe_step();
  });
}

void Simulation::save(const std::string& path) const {
  Checkpoint checkpoint;
  checkpoint.state = content().state();
  checkpoint.scene_hash = content().model().scene_hash;
  checkpoint.program_version = version();
  save_checkpoint(path, checkpoint);
}

void Simulation::load(const std::string& path) {
  std::optional<Checkpoint> found = load_checkpoint(path);
  if (!found) throw InputError({{{path, 0, 0}, "there is no such file, expected a checkpoint"}});
  if (found->scene_hash != content().model().scene_hash)
    throw InputError({{{path, 0, 0}, "this checkpoint belongs to another scene or other settings"}});
  check_fits(*found, content().model(), content().scene->initial, path);
  SavedState saved;
  saved.content_ =
      std::make_shared<const SavedState::Content>(SavedState::Content{found->scene_hash, std::move(found->state)});
  restore(saved);
}

void Simulation::record(const std::string& directory) {
  content().check_not_in_callback("record()");
  stop_recording();
  RecorderOptions options;
  options.directory = directory;
  Content& recorded = content();
  recorded.attempt(
      [&] { recorded.recorder.emplace(*recorded.spec, *recorded.scene, recorded.stepper, std::move(options)); });
}

void Simulation::stop_recording() {
  content().check_not_in_callback("stop_recording()");
  if (!content().recorder) return;
  const bool is_whole = step_count() >= steps_to(end(), time_step());
  content().attempt([&] { content().recorder->finish(is_whole ? RunStatus::done : RunStatus::interrupted); });
  content().recorder.reset();
}

std::string Simulation::state_hash() const { return to_hex(grus::state_hash(content().state())); }

}  // namespace grus
