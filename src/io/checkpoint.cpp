#include "io/checkpoint.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_fault.hpp"
#include "io/hashed_file.hpp"
#include "io/hdf5_arrays.hpp"
#include "io/hdf5_memory.hpp"
#include "model/state_fields.hpp"

namespace grus {
namespace {

// Grows when a field of State changes its meaning or a field is added: an old checkpoint is then refused.
constexpr std::int64_t layout = 6;
constexpr const char* advice = "remove it to start the run anew";

// Reals per element; every element type of State is made of them without padding (asserted in model/state.cpp).
template <class T>
constexpr std::size_t reals_in = sizeof(T) / sizeof(Real);

std::string state_path(const char* name) { return std::string("/state/") + name; }

struct SaveField {
  Hdf5Memory& file;
  void operator()(const char* name, const Real& value) const { file.write(state_path(name), &value, 1, 1); }
  void operator()(const char* name, const std::int64_t& value) const { file.write(state_path(name), &value, 1, 1); }
  void operator()(const char* name, const std::vector<ContactKey>& keys) const {
    file.write(state_path(name), reinterpret_cast<const std::uint32_t*>(keys.data()), keys.size(), 3);
  }
  void operator()(const char* name, const std::vector<std::uint32_t>& values) const {
    file.write(state_path(name), values.data(), values.size(), 1);
  }
  template <class T>
  void operator()(const char* name, const std::vector<T>& values) const {
    file.write(state_path(name), reinterpret_cast<const Real*>(values.data()), values.size(), reals_in<T>);
  }
};

struct LoadField {
  const Hdf5Arrays& file;

  template <class T>
  static T single(const std::vector<T>& values, const char* name) {
    if (values.size() != 1) throw Hdf5Error(fmt::format("cannot read {}: one value was expected", name));
    return values.front();
  }
  // memcpy: the bits, also of values that have no element type of their own in HDF5.
  template <class T, class Raw>
  static void copy(const std::vector<Raw>& raw, std::vector<T>& values) {
    values.resize(raw.size() * sizeof(Raw) / sizeof(T));
    if (!raw.empty()) std::memcpy(static_cast<void*>(values.data()), raw.data(), raw.size() * sizeof(Raw));
  }

  void operator()(const char* name, Real& value) const { value = single(file.read_real(state_path(name), 1), name); }
  void operator()(const char* name, std::int64_t& value) const {
    value = single(file.read_int(state_path(name), 1), name);
  }
  void operator()(const char* name, std::vector<ContactKey>& keys) const {
    copy(file.read_index(state_path(name), 3), keys);
  }
  void operator()(const char* name, std::vector<std::uint32_t>& values) const {
    values = file.read_index(state_path(name), 1);
  }
  template <class T>
  void operator()(const char* name, std::vector<T>& values) const {
    copy(file.read_real(state_path(name), reals_in<T>), values);
  }
};

bool lengths_agree(const State& s) {
  const std::size_t bodies = s.position.size();
  return s.rotation.size() == bodies && s.velocity.size() == bodies && s.angular_velocity.size() == bodies &&
         (s.angle.empty() || s.angle.size() == bodies) && s.impulse_key.size() == s.impulse.size() &&
         s.joint_dependent.size() == s.joint_velocity.size() && s.limit_impulse.size() == s.joint_velocity.size() &&
         s.friction_impulse.size() == s.joint_velocity.size();
}

// Lengths of the arrays of a state, by name; the impulses of contacts come and go.
struct FieldLengths {
  std::map<std::string, std::size_t> length;
  void operator()(const char*, const Real&) {}
  void operator()(const char*, const std::int64_t&) {}
  template <class T>
  void operator()(const char* name, const std::vector<T>& values) {
    if (!std::string_view(name).starts_with("impulse")) length[name] = values.size();
  }
};

// The first field that holds a number that is none; empty: all are finite.
struct FirstOddField {
  std::string name;
  void note(const char* field, bool finite) {
    if (!finite && name.empty()) name = field;
  }
  void operator()(const char* field, const Real& value) { note(field, std::isfinite(value)); }
  void operator()(const char*, const std::int64_t&) {}
  void operator()(const char*, const std::vector<ContactKey>&) {}
  void operator()(const char*, const std::vector<std::uint32_t>&) {}
  void operator()(const char* field, const std::vector<Real>& values) {
    note(field, std::all_of(values.begin(), values.end(), [](Real x) { return std::isfinite(x); }));
  }
  void operator()(const char* field, const std::vector<Vec3>& values) {
    note(field, std::all_of(values.begin(), values.end(), [](const Vec3& v) { return v.allFinite(); }));
  }
  // A rotation is a unit quaternion, up to rounding.
  void operator()(const char* field, const std::vector<Quat>& values) {
    note(field,
         std::all_of(values.begin(), values.end(), [](const Quat& q) { return std::abs(q.norm() - 1.0) < 1e-6; }));
  }
};

std::string lengths_misfit(const State& state, const State& initial) {
  FieldLengths found, expected;
  visit_fields(state, found);
  visit_fields(initial, expected);
  for (const auto& [name, length] : expected.length) {
    if (found.length[name] != length)
      return fmt::format("{}: found {} values, the scene has {}", name, found.length[name], length);
  }
  return "";
}

std::string mechanisms_misfit(const Model& model, const State& state) {
  for (std::size_t m = 0; m < model.mechanisms.size(); ++m) {
    const Mechanism& mechanism = model.mechanisms[m];
    Index dependent = 0;
    for (Index i = 0; i < mechanism.velocity_count; ++i) {
      const std::uint32_t mark = state.joint_dependent[static_cast<std::size_t>(mechanism.first_velocity + i)];
      const bool driven = mechanism.coordinates[static_cast<std::size_t>(i)].role == CoordinateRole::driven;
      if (mark > 1 || (mark == 1 && driven))
        return fmt::format("joint_dependent: found {} at velocity {} of mechanism {}", mark, i, m);
      dependent += static_cast<Index>(mark);
    }
    if (dependent != mechanism.closed_count)
      return fmt::format("joint_dependent: found {} dependent velocities of mechanism {}, expected {}", dependent, m,
                         mechanism.closed_count);
  }
  const bool known = std::all_of(state.held_force.begin(), state.held_force.end(), [](auto held) { return held <= 2; });
  return known ? "" : "held_force: found a value beyond 2";
}

std::string contacts_misfit(const Model& model, const State& state) {
  for (std::size_t i = 0; i < state.impulse_key.size(); ++i) {
    const ContactKey& key = state.impulse_key[i];
    if (key.a >= key.b || key.b >= model.colliders.size())
      return fmt::format("impulse_key: found the colliders {} and {} of {}", key.a, key.b, model.colliders.size());
    if (i > 0 && !(state.impulse_key[i - 1] < key)) return "impulse_key: the keys do not rise";
  }
  return "";
}

std::string misfit(const Model& model, const State& state, const State& initial) {
  if (std::string lengths = lengths_misfit(state, initial); !lengths.empty()) return lengths;
  FirstOddField odd;
  visit_fields(state, odd);
  if (!odd.name.empty()) return odd.name + ": found values that are no numbers, or no rotations";
  if (state.step < 0 || state.time != static_cast<Real>(state.step) * model.integrator.step)
    return fmt::format("found step {} at {:g} s, which is no multiple of the time step", state.step, state.time);
  if (std::string mechanisms = mechanisms_misfit(model, state); !mechanisms.empty()) return mechanisms;
  return contacts_misfit(model, state);
}

}  // namespace

void check_fits(const Checkpoint& checkpoint, const Model& model, const State& initial, const std::string& path) {
  const std::string what = misfit(model, checkpoint.state, initial);
  if (!what.empty()) throw file_fault(path, fmt::format("is no checkpoint of this scene ({}); {}", what, advice));
}

std::int64_t saved_count(const Checkpoint& checkpoint, const std::string& name, const std::string& path) {
  constexpr double most = 1LL << 53;  // every whole number up to here is a double
  const auto found = checkpoint.extra.find(name);
  const double value = found != checkpoint.extra.end() && found->second.size() == 1 ? found->second[0] : -1.0;
  if (!(value >= 0.0 && value <= most && value == std::floor(value)))
    throw file_fault(path, fmt::format("is no checkpoint this program can use (no count '{}'); {}", name, advice));
  return static_cast<std::int64_t>(value);
}

Checkpoint parse_checkpoint(const Hdf5Arrays& file, const std::string& path) {
  const std::int64_t found = LoadField::single(file.read_int("/layout", 1), "layout");
  if (found != layout) {
    throw file_fault(path, fmt::format("is a checkpoint of layout {}, made by version {} of the program; this one "
                                       "reads layout {}, start the run anew",
                                       found, file.read_text("/program_version"), layout));
  }
  Checkpoint checkpoint;
  checkpoint.program_version = file.read_text("/program_version");
  checkpoint.scene_hash = LoadField::single(file.read_unsigned("/scene_hash", 1), "scene_hash");
  visit_fields(checkpoint.state, LoadField{file});
  for (const std::string& name : file.list("/extra")) checkpoint.extra[name] = file.read_real("/extra/" + name, 1);
  if (!lengths_agree(checkpoint.state)) throw Hdf5Error("arrays of different lengths");
  return checkpoint;
}

void save_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  std::string bytes;
  try {
    Hdf5Memory file;
    file.write("/layout", &layout, 1, 1);
    file.write("/scene_hash", &checkpoint.scene_hash, 1, 1);
    file.write_text("/program_version", checkpoint.program_version);
    file.make_group("/state");
    visit_fields(checkpoint.state, SaveField{file});
    file.make_group("/extra");
    for (const auto& [name, values] : checkpoint.extra) file.write("/extra/" + name, values.data(), values.size(), 1);
    bytes = file.image();
  } catch (const Hdf5Error& e) {
    throw IoError(fmt::format("cannot make {}: {}", path, e.what()));
  }
  write_hashed_file(path, std::move(bytes));
}

std::optional<Checkpoint> load_checkpoint(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string bytes = read_hashed_file(path, "checkpoint of Grus", advice);
  try {
    return parse_checkpoint(Hdf5Arrays::read(bytes), path);
  } catch (const Hdf5Error& e) {
    throw file_fault(path, fmt::format("is no checkpoint this program can use ({}); {}", e.what(), advice));
  }
}

}  // namespace grus
