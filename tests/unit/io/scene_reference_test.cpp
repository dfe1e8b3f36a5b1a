// docs/scene-reference.md is what the schema says, and every example in it is a scene.
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scene/scene.hpp"
#include "io/scene/tables.hpp"
#include "support/paths.hpp"

namespace grus::scene_reference_test {
namespace {

TEST(SceneReference, CommittedFileIsGenerated) {
  std::ifstream file(GRUS_SOURCE_DIR "/docs/scene-reference.md");
  const std::string committed{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(committed, scene_reference_markdown()) << "write it anew: build/grus reference > docs/scene-reference.md";
}

TEST(SceneReference, ItsExampleIsAScene) {
  const std::string text = scene_reference_markdown();
  const std::size_t begin = text.find("```yaml\n") + 8;
  const Spec spec = parse_scene(text.substr(begin, text.find("```", begin) - begin), "example");
  EXPECT_EQ(spec.bodies.size(), 2u);
}

TEST(SceneReference, EverySettingOfTheContractIsReachable) {
  EXPECT_THAT(
      scene::setting_paths(scene::scene_table()),
      testing::IsSupersetOf({"time.step", "time.end", "integrator.kind", "integrator.theta", "integrator.bias",
                             "solver.kind", "solver.tolerance", "solver.max_iterations", "contact.law", "seed"}));
}

void expect_documented(const scene::Object& object) {
  for (const scene::Field& field : object.fields) {
    EXPECT_FALSE(field.about.empty()) << object.name << "." << field.key;
    EXPECT_FALSE(field.type.empty()) << object.name << "." << field.key;
    ASSERT_TRUE(field.read) << object.name << "." << field.key;
    if (field.nested) expect_documented(*field.nested);
  }
}

TEST(SceneReference, EveryKeyHasTypeMeaningAndReader) { expect_documented(scene::scene_table()); }

}  // namespace
}  // namespace grus::scene_reference_test
