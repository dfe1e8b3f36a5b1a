// What cannot act changes nothing: a joint stop or a motor's limit that is not reached, a wall out of reach, an unused
// material, a body that is not released yet, a machine at rest elsewhere. Each is added to every example whose grains
// need no bed made first, and what the others do is compared bit by bit.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "io/scene/scene.hpp"
#include "support/machine.hpp"
#include "support/paths.hpp"

namespace grus::testing::cannot_act_test {
namespace {

namespace fs = std::filesystem;

constexpr Real far = 1e3;  // m, or rad

// All scenes of the gallery but those that need a bed of stones made first.
std::vector<std::string> scenes() {
  std::vector<std::string> found;
  const fs::path folder = fs::path(GRUS_SOURCE_DIR) / "examples";
  for (const auto& example : fs::directory_iterator(folder)) {
    for (const auto& entry : fs::directory_iterator(example)) {
      if (entry.path().extension() != ".yaml") continue;
      const Spec spec = load_scene(entry.path().string());
      const auto needs_bed = [](const GeneratorSpec& g) { return g.kind == GeneratorSpec::Kind::bed; };
      if (std::any_of(spec.generators.begin(), spec.generators.end(), needs_bed)) continue;
      found.push_back((example.path().filename() / entry.path().stem()).string());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// What the bodies and machines of the scene do; the first `mechanisms` only.
struct Motion {
  std::vector<Vec3> position, velocity, angular_velocity;
  std::vector<Real> joint_position, joint_velocity;
  Index sweeps = 0;
  bool operator==(const Motion&) const = default;
};

struct Size {
  std::size_t bodies = 0, joints = 0, coordinates = 0;
};

Motion motion_after(const Spec& spec, int steps, const Size* common, Size& size) {
  Rig rig(spec);
  size = {rig.state.position.size(), rig.state.joint_velocity.size(), rig.state.joint_position.size()};
  const Size kept = common != nullptr ? *common : size;
  Motion motion;
  // without any contact or row there is no sweep, with one that cannot act a single one
  for (int k = 0; k < steps; ++k) motion.sweeps += std::max<Index>(1, rig.step().sweeps);
  const State& s = rig.state;
  motion.position.assign(s.position.begin(), s.position.begin() + static_cast<std::ptrdiff_t>(kept.bodies));
  motion.velocity.assign(s.velocity.begin(), s.velocity.begin() + static_cast<std::ptrdiff_t>(kept.bodies));
  motion.angular_velocity.assign(s.angular_velocity.begin(),
                                 s.angular_velocity.begin() + static_cast<std::ptrdiff_t>(kept.bodies));
  motion.joint_position.assign(s.joint_position.begin(),
                               s.joint_position.begin() + static_cast<std::ptrdiff_t>(kept.coordinates));
  motion.joint_velocity.assign(s.joint_velocity.begin(),
                               s.joint_velocity.begin() + static_cast<std::ptrdiff_t>(kept.joints));
  return motion;
}

// --- what is added ------------------------------------------------------------------------------------------------

// False: the scene has no place for it.
struct Addition {
  const char* name;
  std::function<bool(Spec&)> add;
};

void add_far_body(Spec& spec, ShapeKind kind) {
  BodySpec wall;
  wall.name = "out-of-reach";
  wall.role = BodyRole::fixed;
  wall.material = spec.materials[0].name;
  ShapeSpec shape;
  shape.kind = kind;
  shape.size = Vec3(1, 1, spec.planar ? 0 : 1);
  wall.shapes.push_back(shape);
  // a plane looks along +y in planar scenes, along +z in others
  wall.position = spec.planar ? Vec3(0, -far, 0) : Vec3(0, 0, -far);
  spec.bodies.push_back(wall);
}

// A ring or tube is a hole in a solid without end: everything outside of it is in reach.
bool has_hole_that_moves(const Spec& spec) {
  const auto is_hole = [](const ShapeSpec& s) { return s.kind == ShapeKind::ring || s.kind == ShapeKind::tube; };
  for (const MechanismSpec& mechanism : spec.mechanisms)
    for (const LinkSpec& link : mechanism.bodies)
      if (std::any_of(link.body.shapes.begin(), link.body.shapes.end(), is_hole)) return true;
  return false;
}

bool add_stops(Spec& spec) {
  bool any = false;
  for (MechanismSpec& mechanism : spec.mechanisms)
    for (LinkSpec& link : mechanism.bodies) {
      if (link.joint.kind == JointKind::free || link.joint.kind == JointKind::spherical) continue;
      for (CoordinateSpec& c : link.joint.coordinates) {
        if (c.drive || c.lower || c.upper) continue;
        c.lower = -far;
        c.upper = far;
        any = true;
      }
    }
  return any;
}

bool add_limits(Spec& spec) {
  bool any = false;
  const auto limit = [&](ForceLawSpec& law) {
    if (!law.implicit || law.limit) return;
    law.limit = 1e15;
    any = true;
  };
  for (MechanismSpec& mechanism : spec.mechanisms) {
    for (LinkSpec& link : mechanism.bodies)
      for (CoordinateSpec& c : link.joint.coordinates)
        for (ForceLawSpec& law : c.forces) limit(law);
    for (PointForceSpec& force : mechanism.springs) limit(force.law);
  }
  return any;
}

bool add_idle_machine(Spec& spec) {
  MechanismSpec mechanism;
  mechanism.name = "idle";
  CoordinateSpec angle = coordinate("angle");
  angle.lower = -3.0;
  angle.upper = 3.0;
  LinkSpec& link = add_link(mechanism, "idle-pendulum", "ground", JointKind::revolute,
                            spec.planar ? Vec3(0.5 * far, 0, 0) : Vec3(0, 0.5 * far, 0), {angle});
  link.body.material = spec.materials[0].name;
  // hangs straight down, at rest
  link.body.center_of_mass = spec.gravity.norm() > 0.0 ? Vec3(0.1 * spec.gravity.normalized()) : Vec3(Vec3::Zero());
  if (!spec.planar) link.joint.axis = Vec3(1, 0, 0);
  spec.mechanisms.push_back(mechanism);
  return true;
}

// A twin of a loose body, so that the sizes of bodies stay what they are.
bool add_unreleased_body(Spec& spec) {
  const auto is_loose = [](const BodySpec& body) { return body.role == BodyRole::dynamic; };
  const auto found = std::find_if(spec.bodies.begin(), spec.bodies.end(), is_loose);
  if (found == spec.bodies.end()) return false;
  BodySpec late = *found;
  late.name = "late";
  late.group.clear();
  late.release_time = 1e6;
  spec.bodies.push_back(late);
  return true;
}

const std::vector<Addition>& additions() {
  static const std::vector<Addition> list{
      {"far box",
       [](Spec& s) {
         if (has_hole_that_moves(s)) return false;
         add_far_body(s, ShapeKind::box);
         return true;
       }},
      {"far plane",
       [](Spec& s) {
         add_far_body(s, ShapeKind::plane);
         return true;
       }},
      {"unused material",
       [](Spec& s) {
         MaterialSpec material;
         material.name = "unused";
         material.density = 1e5;
         s.materials.push_back(material);
         PairSpec pair;
         pair.a = pair.b = "unused";
         pair.friction = 3.0;
         s.pairs.push_back(pair);
         return true;
       }},
      {"joint stops", add_stops},
      {"limits of motors", add_limits},
      {"idle machine", add_idle_machine},
      {"body that is not released yet", add_unreleased_body},
  };
  return list;
}

class CannotAct : public ::testing::TestWithParam<std::string> {};

TEST_P(CannotAct, ChangesNoBit) {
  const Spec spec = load_scene((fs::path(GRUS_SOURCE_DIR) / "examples" / (GetParam() + ".yaml")).string());
  Size size, other;
  motion_after(spec, 0, nullptr, size);
  const std::size_t bodies = size.bodies + size.joints;
  const int steps = bodies < 60 ? 300 : (bodies < 300 ? 60 : 15);
  const Motion expected = motion_after(spec, steps, nullptr, size);
  for (const Addition& addition : additions()) {
    Spec more = spec;
    if (!addition.add(more)) continue;
    EXPECT_TRUE(motion_after(more, steps, &size, other) == expected) << addition.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Gallery, CannotAct, ::testing::ValuesIn(scenes()), [](const auto& scene) {
  std::string name = scene.param;
  std::erase(name, '-');
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
});

}  // namespace
}  // namespace grus::testing::cannot_act_test
