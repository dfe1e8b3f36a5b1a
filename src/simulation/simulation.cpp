#include "grus/simulation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/nearest_name.hpp"
#include "grus/version.hpp"
#include "integrators/energy.hpp"
#include "integrators/stepper.hpp"
#include "io/checkpoint.hpp"
#include "math/rotation.hpp"
#include "multibody/dynamics.hpp"
#include "multibody/make_scene.hpp"
#include "multibody/set_joints.hpp"
#include "simulation/carried_bodies.hpp"
#include "simulation/load_run.hpp"
#include "simulation/not_finite_words.hpp"
#include "simulation/observe.hpp"
#include "simulation/recorder.hpp"

namespace grus {

namespace {

Vector3 plain(const Vec3& v) { return {v.x(), v.y(), v.z()}; }
Quaternion plain(const Quat& q) { return {q.x(), q.y(), q.z(), q.w()}; }
Vec3 vector_of(const Vector3& v) { return {v[0], v[1], v[2]}; }

[[noreturn]] void refuse_call(const std::string& message) { throw std::invalid_argument(message); }

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

void check_index(std::int32_t index, std::size_t count, const char* what) {
  if (index < 0 || static_cast<std::size_t>(index) >= count)
    refuse_call(fmt::format("there is no {} number {}, the scene has {}", what, index, count));
}

template <class T>
std::span<const double> flat(const std::vector<T>& values) {
  return {reinterpret_cast<const double*>(values.data()), values.size() * (sizeof(T) / sizeof(double))};
}

}  // namespace

struct SavedState::Content {
  std::uint64_t scene_hash = 0;
  State state;
};

double SavedState::time() const { return content_ ? content_->state.time : 0.0; }

struct Simulation::Content {
  Content(std::shared_ptr<const Spec> written, std::shared_ptr<const CompiledScene> compiled, State state,
          const Parallel& threads)
      : spec(std::move(written)),
        scene(std::move(compiled)),
        start(mechanical_energy(scene->model, scene->initial)),
        stepper(scene->model, std::move(state), threads),
        columns(series_column_names(scene->probes)) {
    for (const MechanismNames& mechanism : scene->names.mechanism) {
      mechanisms.push_back(mechanism.name);
      coordinates.insert(coordinates.end(), mechanism.coordinate.begin(), mechanism.coordinate.end());
    }
    stepper.find_contacts();
    describe_step();
  }

  const Model& model() const { return scene->model; }
  const State& state() const { return stepper.state(); }

  void describe_step() {
    const StepReport& report = stepper.report();
    last = {report.contacts,
            report.pairs,
            report.sweeps,
            report.converged,
            report.residual,
            report.residual_velocity,
            report.residual_mechanism,
            report.penetration_max,
            report.loop_error,
            report.lost};
  }

  // What is computed from the state when it is asked for.
  void state_changed() {
    carried_is_placed = false;
    row_is_observed = false;
  }
  const CarriedBodies& carried_bodies() {
    if (!carried_is_placed) place_carried_bodies(model(), state(), carried);
    carried_is_placed = true;
    return carried;
  }
  std::span<const double> observed() {
    if (!row_is_observed) observe(*scene, start, state(), carried_bodies(), stepper.work(), stepper.report(), row);
    row_is_observed = true;
    return row;
  }

  // Body frame B (centre of mass) in the world, and the frame of the user.
  Pose pose_of_B(Index body) {
    if (model().is_dynamic(body)) return {state().position[body], state().rotation[body]};
    const CarriedBodies& bodies = carried_bodies();
    const Index i = body - model().dynamic_count;
    return {bodies.position[i], bodies.rotation[i]};
  }
  Vec3 to_B(Index body, const Vector3& point) const {
    const auto i = static_cast<std::size_t>(body);
    return model().R_UB[i].conjugate() * (vector_of(point) - model().p_UB[i]);
  }

  void check_body(std::int32_t body) const { check_index(body, scene->names.body.size(), "body"); }
  void check_free(std::int32_t body, const char* what) const {
    check_body(body);
    if (!model().is_dynamic(body))
      refuse_call(fmt::format("{}: '{}' is not a free body", what, scene->names.body[static_cast<std::size_t>(body)]));
  }
  void check_not_in_callback(const char* what) const {
    if (in_callback) refuse_call(fmt::format("{} cannot be called by a callback of a step", what));
  }

  void add_load(std::int32_t body, const BodyLoad& load) {
    check_body(body);
    if (model().is_kinematic(body))
      refuse_call(fmt::format("'{}' moves on a given path, which no force changes",
                              scene->names.body[static_cast<std::size_t>(body)]));
    if (!(load.force + load.torque + load.at).allFinite()) refuse_call("a load is not a finite number");
    (in_callback ? step_loads : call_loads).bodies.push_back(load);
  }

  void call(const std::vector<Callback>& callbacks, Simulation& simulation) {
    const auto leave = [&](void*) { in_callback = false; };
    const std::unique_ptr<void, decltype(leave)> guard(this, leave);
    in_callback = true;
    for (std::size_t i = 0; i < callbacks.size(); ++i) callbacks[i](simulation);
  }

  // The loads of the call and of this step together.
  const Loads& all_loads() {
    if (step_loads.empty()) return call_loads;
    step_loads.bodies.insert(step_loads.bodies.end(), call_loads.bodies.begin(), call_loads.bodies.end());
    if (step_loads.joints.empty()) {
      step_loads.joints = call_loads.joints;
    } else {
      for (std::size_t k = 0; k < call_loads.joints.size(); ++k) step_loads.joints[k] += call_loads.joints[k];
    }
    return step_loads;
  }

  // Loads end with the call, however it ends.
  template <class Steps>
  void with_loads(const Steps& steps) {
    const auto clear = [&](void*) { call_loads = {}; };
    const std::unique_ptr<void, decltype(clear)> guard(this, clear);
    steps();
  }

  void one_step(Simulation& simulation) {
    step_loads = {};
    if (!before.empty()) call(before, simulation);
    undo = state();
    try {
      stepper.step(all_loads());
    } catch (const NumericalError& error) {
      const std::string words = not_finite_words(*scene, state());
      stepper.state() = undo;
      stepper.forget();
      stepper.find_contacts();
      state_changed();
      throw NumericalError(words.empty() ? error.what() : words);
    }
    state_changed();
    describe_step();
    if (recorder) recorder->after_step();
    if (!after.empty()) call(after, simulation);
  }

  std::shared_ptr<const Spec> spec;
  std::shared_ptr<const CompiledScene> scene;
  Energy start;
  Stepper stepper;
  std::vector<std::string> columns, mechanisms, coordinates;
  StepSummary last;
  std::vector<Callback> before, after;
  Loads call_loads, step_loads;
  bool in_callback = false;
  State undo;

  std::optional<Recorder> recorder;  // goes before what it looks at

  CarriedBodies carried;
  bool carried_is_placed = false;
  std::vector<Real> row;
  bool row_is_observed = false;
};

Simulation::Simulation(const std::string& path, const SimulationOptions& options) {
  const SettleCallbacks callbacks{{}, options.message, {}};
  auto spec = std::make_shared<const Spec>(load_run(path, options.run, options.overrides, options.threads, callbacks));
  auto scene = std::make_shared<const CompiledScene>(make_scene(*spec));
  if (options.message)
    for (const std::string& warning : scene->warnings) options.message("warning: " + warning);
  State initial = scene->initial;
  content_ =
      std::make_unique<Content>(std::move(spec), std::move(scene), std::move(initial), Parallel(options.threads));
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

Simulation Simulation::clone() const {
  return Simulation(std::make_unique<Content>(content_->spec, content_->scene, content_->state(),
                                              Parallel(content_->stepper.parallel().threads())));
}

double Simulation::time() const { return content_->state().time; }
double Simulation::time_step() const { return content_->model().integrator.step; }
double Simulation::end() const { return content_->spec->end; }
std::int64_t Simulation::step_count() const { return content_->state().step; }

const StepSummary& Simulation::step() {
  content_->check_not_in_callback("step()");
  content_->with_loads([&] { content_->one_step(*this); });
  return content_->last;
}

const StepSummary& Simulation::advance(double until) {
  content_->check_not_in_callback("advance()");
  check_number(until, "the time to advance to");
  const std::int64_t last = steps_to(until, time_step());
  content_->with_loads([&] {
    while (step_count() < last) content_->one_step(*this);
  });
  return content_->last;
}

const StepSummary& Simulation::last_step() const { return content_->last; }
void Simulation::before_step(Callback callback) { content_->before.push_back(std::move(callback)); }
void Simulation::after_step(Callback callback) { content_->after.push_back(std::move(callback)); }

const std::vector<std::string>& Simulation::body_names() const { return content_->scene->names.body; }
const std::vector<std::string>& Simulation::coordinate_names() const { return content_->coordinates; }
const std::vector<std::string>& Simulation::mechanism_names() const { return content_->mechanisms; }
const std::vector<std::string>& Simulation::material_names() const { return content_->scene->names.material; }
const std::vector<std::string>& Simulation::input_names() const { return content_->scene->names.input; }
const std::vector<std::string>& Simulation::column_names() const { return content_->columns; }

std::int32_t Simulation::body(const std::string& name) const { return index_of(body_names(), name, "body"); }
std::int32_t Simulation::coordinate(const std::string& name) const {
  return index_of(coordinate_names(), name, "coordinate");
}
std::int32_t Simulation::input(const std::string& name) const { return index_of(input_names(), name, "input"); }
std::int32_t Simulation::column(const std::string& name) const { return index_of(column_names(), name, "column"); }

BodyKind Simulation::kind(std::int32_t body) const {
  content_->check_body(body);
  const Model& model = content_->model();
  return model.is_dynamic(body) ? BodyKind::free : (model.is_linked(body) ? BodyKind::linked : BodyKind::prescribed);
}

std::int32_t Simulation::free_body_count() const { return content_->model().dynamic_count; }
std::span<const double> Simulation::positions() const { return flat(content_->state().position); }
std::span<const double> Simulation::rotations() const { return flat(content_->state().rotation); }
std::span<const double> Simulation::velocities() const { return flat(content_->state().velocity); }
std::span<const double> Simulation::angular_velocities() const { return flat(content_->state().angular_velocity); }
std::span<const double> Simulation::joint_positions() const { return content_->state().joint_position; }
std::span<const double> Simulation::joint_velocities() const { return content_->state().joint_velocity; }
std::span<const double> Simulation::impulses() const { return flat(content_->state().impulse); }

BodyPose Simulation::pose(std::int32_t body) const {
  content_->check_body(body);
  const auto i = static_cast<std::size_t>(body);
  const Pose X_WB = content_->pose_of_B(body);
  const Quat R_WU = X_WB.rotation * content_->model().R_UB[i].conjugate();
  return {plain(Vec3(X_WB.position - R_WU * content_->model().p_UB[i])), plain(R_WU)};
}

BodyVelocity Simulation::velocity(std::int32_t body) const {
  content_->check_body(body);
  const State& state = content_->state();
  if (content_->model().is_dynamic(body)) return {plain(state.velocity[body]), plain(state.angular_velocity[body])};
  const CarriedBodies& carried = content_->carried_bodies();
  const Index i = body - content_->model().dynamic_count;
  return {plain(carried.velocity[i]), plain(carried.angular_velocity[i])};
}

double Simulation::joint_position(std::int32_t coordinate) const {
  check_index(coordinate, content_->coordinates.size(), "coordinate");
  return joint_coordinate_position(content_->model(), content_->state(), coordinate);
}

double Simulation::joint_velocity(std::int32_t coordinate) const {
  check_index(coordinate, content_->coordinates.size(), "coordinate");
  return content_->state().joint_velocity[static_cast<std::size_t>(coordinate)];
}

std::vector<ContactOfStep> Simulation::contacts() const {
  const Workspace& work = content_->stepper.work();
  std::vector<ContactOfStep> contacts;
  // A state that was set or restored has impulses, and the contacts they belonged to are gone.
  if (work.contacts.size() != content_->state().impulse.size()) return contacts;
  contacts.reserve(work.contacts.size());
  for (std::size_t c = 0; c < work.contacts.size(); ++c) {
    const ContactPoint& point = work.contacts[c];
    contacts.push_back({point.body_a, point.body_b, plain(point.position), plain(point.normal),
                        plain(content_->state().impulse[c]), point.gap});
  }
  return contacts;
}

std::span<const double> Simulation::values() const { return content_->observed(); }
double Simulation::value(const std::string& name) const { return value(column(name)); }
double Simulation::value(std::int32_t column) const {
  check_index(column, content_->columns.size(), "column");
  return content_->observed()[static_cast<std::size_t>(column)];
}

Matrix Simulation::mass_matrix(const std::string& name) const {
  const auto d = static_cast<std::size_t>(index_of(content_->mechanisms, name, "mechanism"));
  DynamicsScratch scratch;
  Eigen::MatrixXd mass;
  grus::mass_matrix(content_->model().mechanisms[d], content_->carried_bodies().linked.mechanisms[d], scratch, mass);
  const auto n = static_cast<std::size_t>(mass.rows());
  return {n, n, {mass.data(), mass.data() + mass.size()}};  // symmetric: by rows as by columns
}

std::vector<double> Simulation::bias(const std::string& name) const {
  const auto d = static_cast<std::size_t>(index_of(content_->mechanisms, name, "mechanism"));
  const Mechanism& mechanism = content_->model().mechanisms[d];
  const auto count = static_cast<std::size_t>(mechanism.velocity_count);
  DynamicsScratch scratch;
  const std::vector<Real> at_rest(count, 0.0);
  std::vector<double> forces(count);
  inverse_dynamics(mechanism, content_->carried_bodies().linked.mechanisms[d], at_rest, content_->model().gravity,
                   scratch, forces);
  return forces;
}

Matrix Simulation::jacobian(std::int32_t body, const Vector3& point) const {
  content_->check_body(body);
  const Model& model = content_->model();
  if (!model.is_linked(body))
    refuse_call(fmt::format("'{}' is not a body of a mechanism", body_names()[static_cast<std::size_t>(body)]));
  const Index d = model.mechanism_of_body(body);
  const Mechanism& mechanism = model.mechanisms[static_cast<std::size_t>(d)];
  const MechanismKinematics& kinematics = content_->carried_bodies().linked.mechanisms[static_cast<std::size_t>(d)];
  const Pose X_WB = content_->pose_of_B(body);
  const Vec3 p = X_WB.position + X_WB.rotation * content_->to_B(body, point);
  const auto n = static_cast<std::size_t>(mechanism.velocity_count);
  Matrix result{6, n, std::vector<double>(6 * n, 0.0)};
  for (int i = 0; i < 6; ++i) {
    const Vec3 force = i < 3 ? Vec3(Vec3::Unit(i)) : Vec3(Vec3::Zero());
    const Vec3 torque = i < 3 ? Vec3(Vec3::Zero()) : Vec3(Vec3::Unit(i - 3));
    add_generalised_force(mechanism, kinematics, body - mechanism.first_body, p, force, torque, 1.0,
                          std::span(result.values).subspan(static_cast<std::size_t>(i) * n, n));
  }
  return result;
}

void Simulation::add_force(std::int32_t body, const Vector3& force, const Vector3& at) {
  content_->check_body(body);
  content_->add_load(body, {body, vector_of(force), Vec3::Zero(), content_->to_B(body, at)});
}
void Simulation::add_force(std::int32_t body, const Vector3& force) {
  content_->add_load(body, {body, vector_of(force), Vec3::Zero(), Vec3::Zero()});
}
void Simulation::add_torque(std::int32_t body, const Vector3& torque) {
  content_->add_load(body, {body, Vec3::Zero(), vector_of(torque), Vec3::Zero()});
}

void Simulation::add_joint_force(std::int32_t coordinate, double force) {
  check_index(coordinate, content_->coordinates.size(), "coordinate");
  check_number(force, "a load");
  std::vector<Real>& joints = (content_->in_callback ? content_->step_loads : content_->call_loads).joints;
  if (joints.empty()) joints.assign(content_->coordinates.size(), 0.0);
  joints[static_cast<std::size_t>(coordinate)] += force;
}

void Simulation::set_input(const std::string& name, double value) { set_input(input(name), value); }

void Simulation::set_input(std::int32_t index, double value) {
  check_index(index, input_names().size(), "input");
  const auto i = static_cast<std::size_t>(index);
  const Input& input = content_->model().inputs[i];
  if (input.table) refuse_call(fmt::format("input '{}' follows the table of the scene", input_names()[i]));
  if (!(value >= input.lower && value <= input.upper))
    refuse_call(fmt::format("input '{}' is {}, expected a number from {:g} to {:g}", input_names()[i], value,
                            input.lower, input.upper));
  content_->stepper.state().input[i] = value;
}

double Simulation::input_value(std::int32_t input) const {
  check_index(input, input_names().size(), "input");
  return content_->state().input[static_cast<std::size_t>(input)];
}

void Simulation::set_pose(std::int32_t body, const BodyPose& pose) {
  content_->check_not_in_callback("set_pose()");
  content_->check_free(body, "set_pose()");
  check_numbers(pose.position, "a position");
  check_numbers(pose.rotation, "a rotation");
  Quat R_WU(pose.rotation[3], pose.rotation[0], pose.rotation[1], pose.rotation[2]);
  if (R_WU.norm() == 0.0) refuse_call("a rotation is a quaternion of zeros");
  R_WU.normalize();
  const Model& model = content_->model();
  if (model.planar && (std::hypot(R_WU.x(), R_WU.y()) > 1e-9 || pose.position[2] != 0.0))
    refuse_call("a pose leaves the plane of a planar scene");
  const auto i = static_cast<std::size_t>(body);
  State& state = content_->stepper.state();
  state.rotation[i] = (R_WU * model.R_UB[i]).normalized();
  state.position[i] = vector_of(pose.position) + R_WU * model.p_UB[i];
  if (model.planar) {
    const Real angle = 2.0 * std::atan2(state.rotation[i].z(), state.rotation[i].w());
    state.angle[i] += std::remainder(angle - state.angle[i], 2.0 * std::acos(-1.0));
    state.rotation[i] = rotation_about_z(state.angle[i]);
  }
  content_->state_changed();
}

void Simulation::set_velocity(std::int32_t body, const BodyVelocity& velocity) {
  content_->check_not_in_callback("set_velocity()");
  content_->check_free(body, "set_velocity()");
  check_numbers(velocity.linear, "a velocity");
  check_numbers(velocity.angular, "an angular velocity");
  if (content_->model().planar &&
      (velocity.linear[2] != 0.0 || velocity.angular[0] != 0.0 || velocity.angular[1] != 0.0))
    refuse_call("a velocity leaves the plane of a planar scene");
  State& state = content_->stepper.state();
  state.velocity[static_cast<std::size_t>(body)] = vector_of(velocity.linear);
  state.angular_velocity[static_cast<std::size_t>(body)] = vector_of(velocity.angular);
  content_->state_changed();
}

void Simulation::set_joint(std::int32_t coordinate, double position, double velocity) {
  const JointValue value{coordinate, position, velocity};
  set_joints({&value, 1});
}

void Simulation::set_joints(std::span<const JointValue> values) {
  content_->check_not_in_callback("set_joints()");
  std::vector<JointSetting> settings;
  for (const JointValue& value : values) {
    check_index(value.coordinate, content_->coordinates.size(), "coordinate");
    check_number(value.position, "a joint position");
    check_number(value.velocity, "a joint velocity");
    settings.push_back({value.coordinate, value.position, value.velocity});
  }
  State changed = content_->state();
  const std::string fault = grus::set_joints(content_->model(), content_->scene->names.mechanism, settings, changed);
  if (!fault.empty()) refuse_call(fault);
  content_->stepper.state() = std::move(changed);
  content_->state_changed();
}

SavedState Simulation::state() const {
  SavedState saved;
  saved.content_ =
      std::make_shared<const SavedState::Content>(SavedState::Content{content_->model().scene_hash, content_->state()});
  return saved;
}

void Simulation::restore(const SavedState& saved) {
  content_->check_not_in_callback("restore()");
  if (content_->recorder) refuse_call("restore() while a recording goes on: its rows would go back in time");
  if (!saved.content_) refuse_call("this saved state is empty");
  if (saved.content_->scene_hash != content_->model().scene_hash)
    refuse_call("this saved state belongs to another scene or other settings");
  content_->stepper.state() = saved.content_->state;
  content_->stepper.forget();
  content_->stepper.find_contacts();
  content_->describe_step();
  content_->state_changed();
}

void Simulation::save(const std::string& path) const {
  Checkpoint checkpoint;
  checkpoint.state = content_->state();
  checkpoint.scene_hash = content_->model().scene_hash;
  checkpoint.program_version = version();
  save_checkpoint(path, checkpoint);
}

void Simulation::load(const std::string& path) {
  std::optional<Checkpoint> found = load_checkpoint(path);
  if (!found) throw InputError({{{path, 0, 0}, "there is no such file, expected a checkpoint"}});
  if (found->scene_hash != content_->model().scene_hash)
    throw InputError({{{path, 0, 0}, "this checkpoint belongs to another scene or other settings"}});
  SavedState saved;
  saved.content_ =
      std::make_shared<const SavedState::Content>(SavedState::Content{found->scene_hash, std::move(found->state)});
  restore(saved);
}

void Simulation::record(const std::string& directory) {
  content_->check_not_in_callback("record()");
  stop_recording();
  RecorderOptions options;
  options.directory = directory;
  content_->recorder.emplace(*content_->spec, *content_->scene, content_->stepper, std::move(options));
}

void Simulation::stop_recording() {
  content_->check_not_in_callback("stop_recording()");
  if (!content_->recorder) return;
  const bool is_whole = step_count() >= steps_to(end(), time_step());
  content_->recorder->finish(is_whole ? RunStatus::done : RunStatus::interrupted);
  content_->recorder.reset();
}

std::string Simulation::state_hash() const { return to_hex(grus::state_hash(content_->state())); }

}  // namespace grus
