#include "model/state.hpp"

#include <set>
#include <string>

#include <gtest/gtest.h>

#include "model/model.hpp"
#include "model/state_fields.hpp"

namespace grus::state_test {
namespace {

State two_bodies() {
  State state;
  state.position = {Vec3(1, 2, 3), Vec3(4, 5, 6)};
  state.rotation = {Quat::Identity(), Quat::Identity()};
  state.angle = {0.1, 0.2};
  state.velocity = {Vec3::Zero(), Vec3::Ones()};
  state.angular_velocity = state.velocity;
  state.impulse_key = {{1, 2, 0}, {1, 2, 1}, {1, 3, 0}};
  state.impulse = {Vec3::Zero(), Vec3::Ones(), Vec3::UnitX()};
  state.joint_position = {0.3, 0.4};
  state.joint_velocity = {0.5};
  state.joint_dependent = {1};
  state.memory = {0.8};
  state.limit_impulse = {0.0};
  state.friction_impulse = {0.6};
  state.condition_impulse = {0.7};
  state.held_force = {1};
  state.input = {0.25};
  state.input_start = {0.5};
  state.input_end = {0.75};
  state.input_rate = {0.125};
  return state;
}

struct ChangeLastByte {
  int target;
  int field = 0;
  template <class T>
  void operator()(const char*, T& value) {
    if (field++ == target) reinterpret_cast<unsigned char*>(&value)[0] ^= 1;
  }
  template <class T>
  void operator()(const char*, std::vector<T>& values) {
    if (field++ == target) reinterpret_cast<unsigned char*>(&values.back())[sizeof(T) - 1] ^= 1;
  }
};

TEST(StateHash, EveryFieldCounts) {
  const State start = two_bodies();
  int fields = 0;
  std::set<std::string> names;
  visit_fields(start, [&](const char* name, const auto&) {
    ++fields;
    names.insert(name);
  });
  EXPECT_EQ(static_cast<int>(names.size()), fields);
  std::set<std::uint64_t> hashes{state_hash(start)};
  for (int i = 0; i < fields; ++i) {
    State changed = start;
    visit_fields(changed, ChangeLastByte{i});
    hashes.insert(state_hash(changed));
  }
  EXPECT_EQ(static_cast<int>(hashes.size()), fields + 1);
  EXPECT_EQ(state_hash(start), state_hash(two_bodies()));
}

TEST(StateHash, ValueMovedToTheNextFieldChangesIt) {
  State a, b;
  a.velocity = {Vec3::Ones()};
  b.angular_velocity = {Vec3::Ones()};
  EXPECT_NE(state_hash(a), state_hash(b));
}

TEST(Model, ActiveCountFollowsReleaseTimes) {
  Model model;
  model.release_time = {0.0, 0.0, 0.5, 1.0};
  EXPECT_EQ(model.active_count(-1.0), 0);
  EXPECT_EQ(model.active_count(0.0), 2);
  EXPECT_EQ(model.active_count(0.5), 3);
  EXPECT_EQ(model.active_count(9.0), 4);
}

}  // namespace
}  // namespace grus::state_test
