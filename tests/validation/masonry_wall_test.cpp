// The masonry wall of paper 002, Fig. 5, brick by brick: which bricks stand, which follow the settling ground, and that
// the wall parts in a stair from the edge of the fixed ground.
//
// Bricks of length b in courses of height b/2, shifted by half a brick from course to course: two lines of joints begin
// at the edge of the fixed ground (x = middle) and climb by one course for every half brick. To the left of the one
// that climbs to the left no brick stands on one that moves; to the right of the one that climbs to the right none
// stands on fixed ground. The bricks between the two lines rest on both and bridge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "grus/run.hpp"
#include "io/frames.hpp"
#include "io/scene/scene.hpp"
#include "io/summary.hpp"
#include "support/paths.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::testing::masonry_wall_test {
namespace {

struct Brick {
  std::string name;
  Real left = 0.0, right = 0.0;  // m, of its ends at the start
  Vec3 shift = Vec3::Zero();     // m, from start to end
};

struct Wall {
  Real middle = 0.0, brick = 0.0, depth = 0.0;  // m
  std::map<int, std::vector<Brick>> courses;    // from below, each from the left

  // Where the two lines of joints cross a course.
  Real left_stair(int course) const { return middle - (course - 1) * brick / 2; }
  Real right_stair(int course) const { return middle + (course - 1) * brick / 2; }
  int course_count() const { return static_cast<int>(courses.size()); }
};

// The example as a user runs it, with its checks; bricks from its first and last frame.
Wall settled_wall() {
  const test::TemporaryDirectory folder;
  RunOptions options;
  options.scene = std::string(GRUS_SOURCE_DIR) + "/examples/masonry-wall/masonry-wall.yaml";
  options.out = folder / "out";
  options.threads = 1;
  options.report = false;
  EXPECT_EQ(run(options).status, RunStatus::done);
  const Summary summary = read_summary(options.out + "/summary.json");
  EXPECT_FALSE(summary.checks.empty());
  EXPECT_EQ(summary.lost_bodies, 0);
  EXPECT_LE(static_cast<Real>(summary.unconverged_steps), 0.01 * static_cast<Real>(summary.steps));
  EXPECT_TRUE(summary.warnings.empty()) << summary.warnings.front();

  const FrameReader frames(options.out);
  const Frame start = frames.read(0), end = frames.read(frames.frame_count() - 1);
  const auto position = [](const Frame& frame, Index body) {
    const float* x = frame.position.data() + 3 * static_cast<std::size_t>(body);
    return Vec3(x[0], x[1], x[2]);
  };
  const Spec spec = load_scene(options.scene, {});
  Wall wall{spec.parameters.at("middle"), spec.parameters.at("brick"), spec.parameters.at("depth"), {}};
  for (const Collider& collider : frames.scene().colliders) {
    if (collider.body >= frames.scene().dynamic_count) continue;
    const Vec3 x = position(start, collider.body);
    // "b3-7": course 3, column 7
    const std::string& name = frames.scene().body_names.at(static_cast<std::size_t>(collider.body));
    wall.courses[std::stoi(name.substr(1))].push_back(
        {name, x.x() - collider.half.x(), x.x() + collider.half.x(), position(end, collider.body) - x});
  }
  for (auto& [course, bricks] : wall.courses)
    std::sort(bricks.begin(), bricks.end(), [](const Brick& a, const Brick& b) { return a.left < b.left; });
  return wall;
}

constexpr Real rounding = 1e-6;  // m, of sums of brick lengths and of the single precision of frames

// Parts of the settlement. What stands creeps by 0.0004 of it in three seconds, the error of the solver's tolerance;
// the least that a brick of the bridging part moves is 0.0028.
constexpr Real still = 1e-3;
// A brick follows the ground when it ends nearer to the settled level than to the first one: those that lean on the
// bridging part above are held back by up to a third.
constexpr Real down = 0.5;
// The bridging part is tilted as a whole. Over its half of the wall, six bricks, it goes down by the settlement, so
// that neighbours differ by a sixth of it, and by a little more as its left end rises; the crack opens by more.
constexpr Real closed = 0.25;

// At the foot of the stair two bricks of the lowest courses can jam as a ramp from the edge down to their neighbours:
// with friction there is more than one equilibrium, and a change of the tolerance can lead to another.
constexpr int foot_courses = 2, foot_bricks = 2;

bool may_jam(const Wall& wall, int course, const Brick& brick) {
  return course <= foot_courses && brick.left < wall.right_stair(course) + foot_bricks * wall.brick - rounding;
}

void check_bricks(const Wall& wall, int course) {
  for (const Brick& brick : wall.courses.at(course)) {
    const bool stands = brick.right <= wall.left_stair(course) + rounding;
    EXPECT_EQ(brick.shift.norm() < still * wall.depth, stands) << brick.name << " moved by " << brick.shift.norm();
    if (brick.left >= wall.right_stair(course) - rounding) {
      EXPECT_TRUE(may_jam(wall, course, brick) || brick.shift.z() < -down * wall.depth)
          << brick.name << " went down by " << -brick.shift.z();
    } else if (course <= wall.course_count() / 2) {
      // in the lower half of the wall what is above the stair hangs on the fixed ground
      EXPECT_GT(brick.shift.z(), -closed * wall.depth) << brick.name;
    }
  }
}

// Left of the stair the wall stays whole, on it it parts. Upwards the crack closes into the tilt of the bridging part.
void check_joints(const Wall& wall, int course) {
  const std::vector<Brick>& bricks = wall.courses.at(course);
  int on_the_stair = 0;
  for (std::size_t k = 0; k + 1 < bricks.size(); ++k) {
    const Real joint = bricks[k].right, opening = bricks[k].shift.z() - bricks[k + 1].shift.z();
    const std::string names = bricks[k].name + " and " + bricks[k + 1].name;
    if (joint < wall.right_stair(course) - rounding) {
      EXPECT_LT(std::abs(opening), closed * wall.depth) << names;
    } else if (joint < wall.right_stair(course) + rounding) {
      ++on_the_stair;
      if (course > foot_courses && course <= wall.course_count() / 2) {
        EXPECT_GT(opening, down * wall.depth) << names;
      }
    }
  }
  EXPECT_EQ(on_the_stair, 1) << "the stair does not follow the bond in course " << course;
}

TEST(MasonryWall, CracksInAStairAndTheRestStands) {
  const Wall wall = settled_wall();
  ASSERT_EQ(wall.course_count(), 10);
  for (int course = 1; course <= wall.course_count(); ++course) {
    check_bricks(wall, course);
    check_joints(wall, course);
  }
}

}  // namespace
}  // namespace grus::testing::masonry_wall_test
