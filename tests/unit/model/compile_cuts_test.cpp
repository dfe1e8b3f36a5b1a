// Cuts of loops from Spec to conditions: what they lock and what they leave free.
#include <array>
#include <cmath>
#include <functional>

#include <gmock/gmock.h>

#include "model/compile.hpp"
#include "unit/model/mechanism_specs.hpp"

namespace grus::compile_cuts_test {
namespace {

using namespace test;

// Value of a condition when frame B of the cut is turned and moved against frame A; both bodies are the frames.
Real condition_value(const JointCondition& c, const Isometry& X_A, const Isometry& X_B) {
  const Eigen::Vector3d d = X_B * Eigen::Vector3d(c.p_B) - X_A * Eigen::Vector3d(c.p_A);
  const Eigen::Vector3d a = X_A.linear() * c.axis_A, b = X_B.linear() * c.axis_B;
  if (c.kind == ConditionKind::along) return a.dot(d);
  return c.kind == ConditionKind::perpendicular ? a.dot(b) : d.norm() - c.length;
}

struct CutCase {
  const char* name;
  CutKind kind;
  std::vector<std::string> components;
  std::size_t in_space, in_plane;
  std::array<bool, 6> locked;  // x, y, z, rx, ry, rz in the axes of a
};

TEST(CompileCuts, LockWhatTheyNameAndNothingElse) {
  const std::vector<CutCase> cases{
      {"ball", CutKind::ball, {}, 3, 2, {true, true, true, false, false, false}},
      {"pin", CutKind::pin, {}, 5, 2, {true, true, true, true, true, false}},
      {"rigid", CutKind::rigid, {}, 6, 3, {true, true, true, true, true, true}},
      {"x", CutKind::components, {"x"}, 1, 1, {true, false, false, false, false, false}},
      {"rz", CutKind::components, {"rz"}, 1, 1, {false, false, false, false, false, true}},
      {"rx", CutKind::components, {"rx"}, 1, 0, {false, false, false, true, false, false}},
      {"rx rz", CutKind::components, {"rz", "rx"}, 2, 0, {false, false, false, true, false, true}},
      {"y rx ry rz", CutKind::components, {"y", "rx", "ry", "rz"}, 4, 0, {false, true, false, true, true, true}},
  };
  Random random;
  for (const CutCase& c : cases) {
    SCOPED_TRACE(c.name);
    LinkSpec a = random_link(random, "a", "ground", JointKind::free);
    LinkSpec b = random_link(random, "b", "ground", JointKind::free);
    AnchorSpec side_a = anchor("a", random.vector()), side_b = anchor("b", random.vector());
    side_a.rotation = random.rotation();
    side_b.rotation = random.rotation();
    CutSpec loop = cut("loop", c.kind, side_a, side_b);
    loop.components = c.components;
    Spec spec = machine({a, b});
    spec.mechanisms[0].loops = {loop};
    const CompiledScene scene = compile(spec);
    const std::vector<JointCondition>& conditions = scene.model.mechanisms[0].loops;
    ASSERT_EQ(conditions.size(), c.in_space);
    // place both bodies so that the anchors coincide in a random frame F, then move b in the axes of F
    const Isometry X_WF = isometry(random.vector(), random.rotation());
    const auto body_pose = [&](std::size_t body, const AnchorSpec& side, const Isometry& moved) {
      const Isometry X_UB = isometry(scene.model.p_UB[body], scene.model.R_UB[body]);
      return Isometry(X_WF * moved * isometry(side.at, side.rotation).inverse() * X_UB);
    };
    const Isometry X_A = body_pose(0, side_a, Isometry::Identity());
    for (int k = -1; k < 6; ++k) {
      Isometry moved = Isometry::Identity();
      if (k >= 0 && k < 3) moved.translation()[k] = 0.1;
      if (k >= 3) moved.linear() = Eigen::AngleAxisd(0.1, Eigen::Vector3d::Unit(k - 3)).toRotationMatrix();
      Real opening = 0.0;
      for (const JointCondition& condition : conditions)
        opening = std::max(opening, std::abs(condition_value(condition, X_A, body_pose(1, side_b, moved))));
      if (k >= 0 && c.locked[static_cast<std::size_t>(k)]) {
        EXPECT_NEAR(opening, k < 3 ? 0.1 : std::sin(0.1), 100 * pose_rounding) << "component " << k;
      } else {
        EXPECT_LT(opening, 100 * pose_rounding) << "component " << k;
      }
    }
    if (c.in_plane == 0) continue;
    Spec planar = machine({link("a", "ground", JointKind::free), link("b", "ground", JointKind::free)}, true);
    planar.mechanisms[0].loops = {cut("loop", c.kind, anchor("a"), anchor("b"))};
    planar.mechanisms[0].loops[0].components = c.components;
    EXPECT_EQ(compile(planar).model.mechanisms[0].loops.size(), c.in_plane);
  }
}

TEST(CompileCuts, APinTurnsAboutItsAxis) {
  const Vec3 axis(1, 2, -2);
  Spec spec = machine({link("a", "ground", JointKind::free)});
  CutSpec pin = cut("pin", CutKind::pin, anchor("ground"), anchor("a"));
  pin.axis = axis;
  spec.mechanisms[0].loops = {pin};
  const CompiledScene scene = compile(spec);
  const Isometry X_UB = isometry(scene.model.p_UB[0], scene.model.R_UB[0]);
  const Isometry turned = isometry(Vec3::Zero(), exp_rotation(0.7 * axis.normalized())) * X_UB;
  const Isometry tilted = isometry(Vec3::Zero(), exp_rotation(Vec3(0.1, 0, 0))) * X_UB;
  Real kept = 0.0, broken = 0.0;
  for (const JointCondition& condition : scene.model.mechanisms[0].loops) {
    kept = std::max(kept, std::abs(condition_value(condition, Isometry::Identity(), turned)));
    broken = std::max(broken, std::abs(condition_value(condition, Isometry::Identity(), tilted)));
  }
  EXPECT_EQ(scene.model.mechanisms[0].loops.size(), 5u);
  EXPECT_LT(kept, 10 * pose_rounding);
  EXPECT_GT(broken, 0.05);
}

TEST(CompileCuts, ARodKeepsItsLength) {
  Spec spec = machine({link("a", "ground", JointKind::free)});
  CutSpec rod = cut("rod", CutKind::rod, anchor("ground", Vec3(0, 0, 3)), anchor("a", Vec3(1, 0, 0)));
  rod.length = 0.5;
  spec.mechanisms[0].loops = {rod};
  const CompiledScene scene = compile(spec);
  ASSERT_EQ(scene.model.mechanisms[0].loops.size(), 1u);
  EXPECT_EQ(scene.model.mechanisms[0].loops[0].kind, ConditionKind::distance);
  EXPECT_EQ(scene.model.mechanisms[0].loops[0].length, 0.5);
  EXPECT_EQ(scene.model.mechanisms[0].loops[0].a, no_index);
  EXPECT_EQ(scene.model.mechanisms[0].loops[0].p_A, Vec3(0, 0, 3));
  EXPECT_EQ(scene.names.mechanism[0].loop, std::vector<std::string>{"rod"});
}

}  // namespace
}  // namespace grus::compile_cuts_test
