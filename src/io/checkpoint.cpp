#include "io/checkpoint.hpp"

#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_fault.hpp"
#include "io/hashed_file.hpp"
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
  const Hdf5Memory& file;

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

Checkpoint read_image(const std::string& image, const std::string& path) {
  const Hdf5Memory file(image);
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

}  // namespace

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
    return read_image(bytes, path);
  } catch (const Hdf5Error& e) {
    throw file_fault(path, fmt::format("is no checkpoint this program can use ({}); {}", e.what(), advice));
  }
}

}  // namespace grus
