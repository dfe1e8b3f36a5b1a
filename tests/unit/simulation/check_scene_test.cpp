// A check tells warnings apart from faults, and what the runs of a study share once.
#include <fstream>

#include <gmock/gmock.h>

#include "grus/scene.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::check_scene_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A ball that crosses several radii in a step.
SceneCheck check(const std::string& more) {
  const test::TemporaryDirectory folder;
  const std::string path = folder / "scene.yaml";
  std::ofstream(path) << "time: {step: 0.1, end: 1}\n"
                         "parameters: {radius: 0.01}\n"
                         "materials: [{name: m, density: 1000}]\n"
                         "bodies: [{name: ball, material: m, shape: {sphere: {radius: radius}}}]\n"
                      << more;
  return check_scene(path);
}

const auto large_step = AllOf(HasSubstr("scene.yaml:1:"), HasSubstr("time.step 0.1 s is large"));

TEST(CheckScene, AWarningIsNoFault) {
  const SceneCheck found = check("");
  EXPECT_THAT(found.faults, IsEmpty());
  EXPECT_THAT(found.warnings, ElementsAre(large_step));
}

TEST(CheckScene, RunsOfAStudySayTheSameOnce) {
  const SceneCheck found = check(
      "runs:\n"
      "  - {name: one, set: {gravity: [0, 0, -9.81]}}\n"
      "  - {name: two, set: {gravity: [0, -9.81, 0]}}\n"
      "  - {name: small, set: {radius: 0.001}}\n");
  EXPECT_THAT(found.faults, IsEmpty());
  EXPECT_THAT(found.warnings,
              ElementsAre(AllOf(large_step, HasSubstr("0.01 m")), AllOf(large_step, HasSubstr("0.001 m"))));
}

TEST(CheckScene, AFaultOfOneRunIsNamed) {
  const SceneCheck found = check("runs: [{name: one, set: {radius: -1}}, {name: two, set: {radius: 0.02}}]\n");
  EXPECT_THAT(found.faults, ElementsAre(HasSubstr("radius")));
}

}  // namespace
}  // namespace grus::check_scene_test
