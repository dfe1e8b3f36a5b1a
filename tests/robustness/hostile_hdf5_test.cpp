// HDF5 files made to do harm: beds, checkpoints and problems that lead to other files, announce more than they hold, or
// hold what no state of the scene can be.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "grus/error.hpp"
#include "grus/run.hpp"
#include "io/bed_file.hpp"
#include "io/checkpoint.hpp"
#include "io/hashed_file.hpp"
#include "io/problem/problem_file.hpp"
#include "io/whole_file.hpp"
#include "unit/io/problem_samples.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::testing::hostile_hdf5_test {
namespace {

using ::testing::HasSubstr;

std::string fault_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no fault";
}

class HostileHdf5 : public ::testing::Test {
 protected:
  // The bytes of a good file of some kind, changed by HDF5 itself.
  std::string changed(const std::string& bytes, const std::function<void(hid_t)>& change) const {
    const std::string path = folder / "changed.h5";
    write_whole_file(path, bytes);
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    EXPECT_GE(file, 0);
    change(file);
    H5Fclose(file);
    return read_whole_file(path);
  }
  std::string bed_bytes() const {
    BedFile bed;
    bed.scene_text = "x";
    bed.program_version = "test";
    write_bed(folder / "bed.h5", bed);
    std::string bytes = read_whole_file(folder / "bed.h5");
    bytes.resize(bytes.size() - 16);  // without the hash
    return bytes;
  }
  std::string bed_fault(const std::string& bytes) const {
    write_hashed_file(folder / "hostile.h5", bytes);
    return fault_of([&] { read_bed(folder / "hostile.h5"); });
  }
  std::string problem_fault(const std::string& bytes) const {
    write_whole_file(folder / "hostile.hdf5", bytes);
    return fault_of([&] { read_problem_file(folder / "hostile.hdf5"); });
  }

  test::TemporaryDirectory folder;
};

void make_array(hid_t file, const char* name, hid_t type, hsize_t count, hid_t creation) {
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  EXPECT_GE(set, 0) << name;
  H5Dclose(set);
  H5Sclose(space);
}

// Ways out of a file, put where `name` was.
struct Exit {
  const char* name;
  std::function<void(hid_t, const char*, const std::string& target)> make;
  const char* words;
};

std::vector<Exit> exits() {
  return {{"external link",
           [](hid_t file, const char* at, const std::string& target) {
             H5Lcreate_external(target.c_str(), at, file, at, H5P_DEFAULT, H5P_DEFAULT);
           },
           "is a link"},
          {"soft link",
           [](hid_t file, const char* at, const std::string&) {
             H5Lcreate_soft("/elsewhere", file, at, H5P_DEFAULT, H5P_DEFAULT);
           },
           "is a link"},
          {"external storage",
           [](hid_t file, const char* at, const std::string& target) {
             const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
             H5Pset_external(creation, target.c_str(), 0, 8);
             make_array(file, at, H5T_NATIVE_UINT8, 8, creation);
             H5Pclose(creation);
           },
           "another file"},
          {"virtual array",
           [](hid_t file, const char* at, const std::string& target) {
             const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
             const hsize_t count = 8;
             const hid_t space = H5Screate_simple(1, &count, nullptr);
             H5Pset_virtual(creation, space, target.c_str(), "/x", space);
             make_array(file, at, H5T_NATIVE_UINT8, 8, creation);
             H5Sclose(space);
             H5Pclose(creation);
           },
           "other arrays"}};
}

TEST_F(HostileHdf5, NothingLeadsOutOfABed) {
  ASSERT_EQ(bed_fault(bed_bytes()), "no fault");
  write_whole_file(folder / "secret", "a secret");
  for (const Exit& way : exits()) {
    for (const char* at : {"/scene", "/statistics/new"}) {
      const std::string fault = bed_fault(changed(bed_bytes(), [&](hid_t file) {
        if (std::string(at) == "/scene") H5Ldelete(file, at, H5P_DEFAULT);
        way.make(file, at, folder / "secret");
      }));
      EXPECT_THAT(fault, HasSubstr(way.words)) << way.name << " at " << at;
      EXPECT_THAT(fault, HasSubstr("is no bed")) << way.name;
    }
  }
}

TEST_F(HostileHdf5, NothingLeadsOutOfAProblem) {
  write_problem_file(folder / "good.hdf5", test::file_of(test::chain_problem(3, 4)), ProblemFormat::fclib);
  const std::string good = read_whole_file(folder / "good.hdf5");
  write_whole_file(folder / "secret", std::string(4096, 's'));
  for (const Exit& way : exits()) {
    for (const char* at : {"/fclib_local/vectors/q", "/fclib_local/W/x", "/unused"}) {
      EXPECT_THAT(problem_fault(changed(good,
                                        [&](hid_t file) {
                                          if (std::string(at) != "/unused") H5Ldelete(file, at, H5P_DEFAULT);
                                          way.make(file, at, folder / "secret");
                                        })),
                  HasSubstr(way.words))
          << way.name << " at " << at;
    }
  }
}

TEST_F(HostileHdf5, ABedHoldsNoMoreThanItsBytes) {
  const auto with = [&](hsize_t count, hsize_t chunk, hid_t type) {
    return bed_fault(changed(bed_bytes(), [&](hid_t file) {
      const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
      if (chunk > 0) H5Pset_chunk(creation, 1, &chunk);
      make_array(file, "/statistics/new", type, count, creation);
      H5Pclose(creation);
    }));
  };
  EXPECT_THAT(with(hsize_t{1} << 40, 0, H5T_NATIVE_DOUBLE), HasSubstr("more than the file has bytes"));
  EXPECT_THAT(with(hsize_t{1} << 50, 1 << 10, H5T_NATIVE_DOUBLE), HasSubstr("in chunks"));
  EXPECT_THAT(with(4, 0, H5T_NATIVE_FLOAT), HasSubstr("type or shape"));
  EXPECT_THAT(with(4, 0, H5T_NATIVE_INT16), HasSubstr("type or shape"));
  EXPECT_THAT(bed_fault(changed(bed_bytes(),
                                [](hid_t file) {
                                  for (int i = 0; i < 10'001; ++i)
                                    H5Gclose(H5Gcreate2(file, ("/g" + std::to_string(i)).c_str(), H5P_DEFAULT,
                                                        H5P_DEFAULT, H5P_DEFAULT));
                                })),
              HasSubstr("more than 10000"));
}

TEST_F(HostileHdf5, DamagedBytesWithATrueHashAreASentence) {
  const std::string good = bed_bytes();
  for (std::size_t at = 0; at < good.size(); at += 211) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(~bytes[at]);
    bed_fault(bytes);  // some bytes mean nothing; none of them ends the test
  }
  EXPECT_THAT(bed_fault(good.substr(0, good.size() / 2)), HasSubstr("is no bed"));
  EXPECT_THAT(bed_fault(""), HasSubstr("is no bed"));
}

constexpr const char* scene_text = R"(scene: forged
time: {step: 1e-3, end: 1}
materials: [{name: steel, density: 7800}]
pairs: [{between: [steel, steel], friction: 0.3}]
bodies:
  - {name: floor, fixed: true, material: steel, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: one, material: steel, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.05]}
  - {name: two, material: steel, shape: {sphere: {radius: 0.05}}, position: [0.3, 0, 0.05]}
mechanisms:
  - name: pendulum
    bodies:
      - {name: bob, material: steel, shape: {sphere: {radius: 0.05}}, joint: {kind: revolute, axis: [0, 1, 0], at: [0, 0, 2]}}
)";

// A checkpoint of the right scene with a true hash, changed.
TEST_F(HostileHdf5, ACheckpointIsComparedWithTheScene) {
  std::ofstream(folder / "scene.yaml") << scene_text;
  RunOptions options;
  options.scene = folder / "scene.yaml";
  options.out = folder / "out";
  options.threads = 1;
  options.report = false;
  options.until = 0.02;
  run(options);
  const std::string path = folder / "out/checkpoint.h5";
  const Checkpoint good = *load_checkpoint(path);
  ASSERT_GT(good.state.impulse_key.size(), 1u);
  options.resume = true;
  options.until = 0.03;
  const auto forged = [&](const std::function<void(Checkpoint&)>& change) {
    Checkpoint checkpoint = good;
    change(checkpoint);
    save_checkpoint(path, checkpoint);
    return fault_of([&] { run(options); });
  };
  constexpr Real none = std::numeric_limits<Real>::quiet_NaN();
  const std::vector<std::pair<const char*, std::function<void(Checkpoint&)>>> changes = {
      {"found 3 values, the scene has 2",
       [](Checkpoint& c) {
         for (auto* list : {&c.state.position, &c.state.velocity, &c.state.angular_velocity})
           list->emplace_back(0, 0, 0);
         c.state.rotation.push_back(Quat::Identity());
       }},
      {"found 0 values, the scene has 2",
       [](Checkpoint& c) {
         for (auto* list : {&c.state.position, &c.state.velocity, &c.state.angular_velocity}) list->clear();
         c.state.rotation.clear();
       }},
      {"angle: found", [](Checkpoint& c) { c.state.angle.assign(c.state.position.size(), 0.0); }},
      {"joint_position: found", [](Checkpoint& c) { c.state.joint_position.push_back(0.0); }},
      {"found 0 values",
       [](Checkpoint& c) {
         c.state.joint_velocity.clear();
         c.state.joint_dependent.clear();
         c.state.limit_impulse.clear();
         c.state.friction_impulse.clear();
       }},
      {"condition_impulse: found", [](Checkpoint& c) { c.state.condition_impulse.push_back(0.0); }},
      {"held_force: found", [](Checkpoint& c) { c.state.held_force.push_back(0); }},
      {"memory: found", [](Checkpoint& c) { c.state.memory.push_back(0.0); }},
      {"no numbers", [=](Checkpoint& c) { c.state.velocity[0].x() = none; }},
      {"no numbers", [=](Checkpoint& c) { c.state.joint_velocity[0] = none; }},
      {"no numbers", [=](Checkpoint& c) { c.state.energy.recovery = none; }},
      {"no rotations", [](Checkpoint& c) { c.state.rotation[0].w() = 3.0; }},
      {"time step", [](Checkpoint& c) { c.state.step = -1; }},
      {"time step", [](Checkpoint& c) { c.state.time = 17.0; }},
      {"the colliders", [](Checkpoint& c) { c.state.impulse_key[0].b = 4000000000U; }},
      {"do not rise", [](Checkpoint& c) { std::swap(c.state.impulse_key[0], c.state.impulse_key[1]); }},
      {"joint_dependent", [](Checkpoint& c) { c.state.joint_dependent[0] = 1; }},
      {"joint_dependent", [](Checkpoint& c) { c.state.joint_dependent[0] = 7; }},
      {"series_offset", [](Checkpoint& c) { c.extra.erase("series_offset"); }},
      {"frame_count", [=](Checkpoint& c) { c.extra["frame_count"] = {none}; }},
      {"frame_count", [](Checkpoint& c) { c.extra["frame_count"] = {-1.0}; }},
      {"series_offset", [](Checkpoint& c) { c.extra["series_offset"] = {1e300}; }},
  };
  for (const auto& [words, change] : changes) EXPECT_THAT(forged(change), HasSubstr(words));
  EXPECT_EQ(forged([](Checkpoint&) {}), "no fault");
}

}  // namespace
}  // namespace grus::testing::hostile_hdf5_test
