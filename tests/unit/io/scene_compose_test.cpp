// Several files, --set, and what the scene's hash depends on.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scene/scene.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::scene_compose_test {
namespace {

constexpr const char* basic = R"yaml(# a comment
time: {step: 1e-3, end: 2}
parameters: {mu: 0.3, d: 0.1}
materials: [{name: glass, density: 2500}]
pairs: [{between: [glass, glass], friction: mu}]
bodies: [{name: ball, shape: {sphere: {radius: 0.5*d}}}]
)yaml";

Spec parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_scene(text, "scene.yaml", overrides);
}

std::string faults_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  try {
    parse(text, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class SceneInclude : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name)) << text;
  }
  std::string path(const std::string& name) const { return folder_ / name; }
  std::string faults(const std::string& name) const {
    try {
      load_scene(path(name));
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

 private:
  test::TemporaryDirectory folder_;
};

TEST_F(SceneInclude, MapsMergeListsAppendTheIncludingFileWins) {
  write("parts/base.yaml",
        "time: {step: 1e-3, end: 2}\ngravity: [0, 0, -1]\nseed: 3\nmaterials: [{name: a, density: 1}]\n"
        "parameters: {x: 1, y: 2}\n");
  write("parts/more.yaml", "include: [base.yaml]\nmaterials: [{name: b, density: 2}]\nseed: 4\n");
  write("main.yaml",
        "include: [parts/more.yaml]\ntime: {end: 5}\ngravity: [0, 0, -2]\nmaterials: [{name: c, density: 3}]\n"
        "parameters: {y: 7}\n");
  const Spec spec = load_scene(path("main.yaml"));
  EXPECT_EQ(spec.integrator.step, 1e-3);
  EXPECT_EQ(spec.end, 5.0);
  EXPECT_EQ(spec.gravity, Vec3(0, 0, -2));
  EXPECT_EQ(spec.seed, 4u);
  ASSERT_EQ(spec.materials.size(), 3u);
  EXPECT_EQ(spec.materials[0].name, "a");
  EXPECT_EQ(spec.materials[2].name, "c");
  EXPECT_EQ(spec.parameters.at("x"), 1.0);
  EXPECT_EQ(spec.parameters.at("y"), 7.0);
  EXPECT_EQ(spec.materials[0].mark.file, path("parts/base.yaml"));
  EXPECT_EQ(spec.materials[0].mark.line, 4);
  EXPECT_EQ(spec.name, "main");
}

TEST_F(SceneInclude, FilesThatDisagreeMustBeSettledByTheIncludingFile) {
  using testing::HasSubstr;
  write("track.yaml", "parameters: {surface: 0.48, width: 2}\nmaterials: [{name: rock, density: 2700}]\n");
  write("machine.yaml", "\nparameters: {surface: 0.40, width: 2}\nmaterials: [{name: steel, density: 7800}]\n");
  const std::string time = "time: {step: 1e-3, end: 1}\n";
  write("open.yaml", "include: [track.yaml, machine.yaml]\n" + time);
  const std::string found = faults("open.yaml");
  EXPECT_THAT(found, HasSubstr("machine.yaml:2:23: parameters.surface has another value at"));
  EXPECT_THAT(found, HasSubstr("track.yaml:1;"));
  EXPECT_THAT(found, HasSubstr("open.yaml"));
  EXPECT_THAT(found, testing::Not(HasSubstr("width")));
  write("settled.yaml", "include: [track.yaml, machine.yaml]\nparameters: {surface: 0.5}\n" + time);
  const Spec spec = load_scene(path("settled.yaml"));
  EXPECT_EQ(spec.parameters.at("surface"), 0.5);
  EXPECT_EQ(spec.materials.size(), 2u);
}

TEST_F(SceneInclude, FaultsPointAtTheIncludeOrIntoTheFile) {
  using testing::HasSubstr;
  write("missing.yaml", "time: {step: 1, end: 1}\ninclude: [nowhere.yaml]\n");
  EXPECT_THAT(faults("missing.yaml"), HasSubstr("missing.yaml:2:11: file"));
  write("folder.yaml", "include: [.]\n");
  EXPECT_THAT(faults("folder.yaml"), HasSubstr("is a directory"));
  write("device.yaml", "include: [/dev/zero]\n");
  EXPECT_THAT(faults("device.yaml"), HasSubstr("not a regular file"));
  write("self.yaml", "include: [self.yaml]\n");
  EXPECT_THAT(faults("self.yaml"), HasSubstr("includes itself"));
  write("a.yaml", "include: [b.yaml]\n");
  write("b.yaml", "include: [a.yaml]\n");
  EXPECT_THAT(faults("a.yaml"), HasSubstr("b.yaml:1:11"));
  write("outer.yaml", "include: [inner.yaml]\ntime: {step: 1e-3, end: 1}\n");
  write("inner.yaml", "\nseed: -4\n");
  EXPECT_THAT(faults("outer.yaml"), HasSubstr("inner.yaml:2:7: seed"));
  write("words.yaml", "include: {a: b}\n");
  EXPECT_THAT(faults("words.yaml"), HasSubstr("words.yaml:1:10: include"));
  EXPECT_THAT(faults("not-there.yaml"), HasSubstr("not-there.yaml:1:1: file"));
  EXPECT_THAT(faults_of("include: [a.yaml]"), HasSubstr("scene.yaml:1:1: include"));
}

TEST(SceneOverride, ParametersFirstThenPaths) {
  const Spec spec = parse(basic, {"mu=0.7", "time.step=2e-3", "outputs.vtk=true", "contact.recovery_speed=0.25",
                                  "integrator.kind=moreau-jean", "integrator.theta=0.9", "integrator.bias=midpoint",
                                  "solver.kind=nlgs", "solver.tolerance=1e-7", "solver.max_iterations=9",
                                  "contact.law=newton", "seed=5", "time.end=3", "gravity=[0, 0, -1]"});
  EXPECT_EQ(spec.parameters.at("mu"), 0.7);
  EXPECT_EQ(spec.pairs[0].friction, 0.7);
  EXPECT_EQ(spec.integrator.step, 2e-3);
  EXPECT_TRUE(spec.outputs.vtk);
  EXPECT_EQ(spec.contact.recovery_speed, 0.25);
  EXPECT_EQ(spec.integrator.theta, 0.9);
  EXPECT_EQ(spec.solver.tolerance, 1e-7);
  EXPECT_EQ(spec.solver.max_iterations, 9);
  EXPECT_EQ(spec.seed, 5u);
  EXPECT_EQ(spec.end, 3.0);
  EXPECT_EQ(spec.gravity, Vec3(0, 0, -1));
  // a later one wins, and a value may be a formula
  EXPECT_EQ(parse(basic, {"d=1", "d=0.2", "time.step=d/100"}).integrator.step, 0.002);
  // a parameter hides a setting of the same name
  EXPECT_EQ(parse(std::string("planar: true\n") + "time: {step: 1, end: 1}\nparameters: {seed: 1}", {"seed=2.5"}).seed,
            1u);
}

TEST(SceneOverride, FaultsNameTheOverride) {
  using testing::HasSubstr;
  EXPECT_THAT(faults_of(basic, {"seed=1", "tme.step=1"}), HasSubstr("--set:2:1: 'tme.step'"));
  EXPECT_THAT(faults_of(basic, {"tme.step=1"}), HasSubstr("did you mean 'time.step'?"));
  EXPECT_THAT(faults_of(basic, {"m=1"}), HasSubstr("did you mean 'mu'?"));
  EXPECT_THAT(faults_of(basic, {"time.step"}), HasSubstr("--set:1:1: found 'time.step', expected NAME=value"));
  EXPECT_THAT(faults_of(basic, {"time.step=-1"}), HasSubstr("--set:1:11: step: found '-1'"));
  EXPECT_THAT(faults_of(basic, {"time.step="}), HasSubstr("--set:1:"));
  EXPECT_THAT(faults_of(basic, {"time.step=[1"}), HasSubstr("--set:1:"));
  EXPECT_THAT(faults_of(basic, {"time=1"}), HasSubstr("--set:1:1: 'time'"));
  EXPECT_THAT(faults_of(basic, {"mu=abc"}), HasSubstr("--set:1:4: mu: unknown name 'abc'"));
}

TEST(SceneOverride, RunsOfAStudyAreCheckedBeforeAnyStarts) {
  using testing::HasSubstr;
  const std::string study = std::string(basic) + "runs:\n  - {name: a, set: {mu: 0.1}}\n";
  EXPECT_EQ(faults_of(study), "");
  EXPECT_THAT(faults_of(study + "  - {name: b, set: {mv: 0.1}}"), HasSubstr("scene.yaml:9:21: 'mv'"));
  EXPECT_THAT(faults_of(study + "  - {name: b, set: {mu: -0.1}}"), HasSubstr("expected at least 0"));
  EXPECT_THAT(faults_of(study + "  - {name: a}"), HasSubstr("second run named 'a'"));
  EXPECT_THAT(faults_of(study + "  - {name: ../x}"), HasSubstr("names a folder"));
}

constexpr const char* variants = R"yaml(
time: {step: 1e-3, end: 2}
parameters: {driven: false, balls: 1, when_open: 2}
materials: [{name: glass, density: 2500}]
pairs: [{between: [glass, glass]}]
bodies:
  - {name: first, shape: {sphere: {radius: 1}}}
  - {name: second, when: balls > 1, shape: {sphere: {radius: 1}}}
walls:
  - name: floor
    plane: {}
    motion: {when: driven, x: {expression: sin(t)}, y: {expression: t, when: when_open - 2}}
runs:
  - {name: one}
  - {name: two, set: {balls: 2, driven: true}}
)yaml";

TEST(SceneCondition, LeavesOutWhatDoesNotApply) {
  const Spec plain = parse(variants);
  ASSERT_EQ(plain.bodies.size(), 2u);
  EXPECT_FALSE(plain.bodies[1].motion);
  EXPECT_EQ(plain.runs.size(), 2u);
  const Spec both = parse(variants, {"balls=2", "driven=true"});
  ASSERT_EQ(both.bodies.size(), 3u);
  EXPECT_EQ(both.bodies[1].name, "second");
  ASSERT_TRUE(both.bodies[2].motion);
  EXPECT_EQ(both.bodies[2].motion->displacement[0]->expression, "sin(t)");
  EXPECT_FALSE(both.bodies[2].motion->displacement[1]);
  EXPECT_TRUE(parse(variants, {"driven=1", "when_open=3"}).bodies[1].motion->displacement[1]);
}

TEST(SceneCondition, HashAndTextAreOfWhatApplies) {
  const Spec plain = parse(variants);
  EXPECT_EQ(plain.text.find("when:"), std::string::npos);
  EXPECT_EQ(plain.text.find("second"), std::string::npos);
  EXPECT_NE(parse(variants, {"balls=2"}).hash, plain.hash);
  const std::string elsewhere = std::string(variants) + "  - {name: three}\n";
  EXPECT_EQ(parse(elsewhere).hash, plain.hash);
}

TEST(SceneCondition, EveryRunOfAStudyIsReadWithItsOwn) {
  const std::string fault =
      std::string(variants) + "probes: [{column: x, body: second, quantity: position.x, when: balls > 2, oops: 1}]\n";
  EXPECT_EQ(faults_of(fault), "");
  EXPECT_THAT(faults_of(fault, {"balls=3"}), testing::HasSubstr("unknown key 'oops'"));
  std::string study = fault;
  study.replace(study.find("balls: 2,"), 9, "balls: 3,");
  EXPECT_THAT(faults_of(study), testing::HasSubstr("unknown key 'oops'"));
}

TEST(SceneHash, DependsOnContentOnly) {
  const std::uint64_t hash = parse(basic).hash;
  EXPECT_EQ(parse(R"yaml(
materials:
  - density: 2500.0
    name: "glass"   # another comment
pairs: [{between: [glass, glass], friction: mu}]
bodies: [{name: ball, shape: {sphere: {radius: 0.5*d}}}]
parameters: {d: 1e-1, mu: 0.30}
time:
  end: 2
  step: 0.001
)yaml")
                .hash,
            hash);
  EXPECT_EQ(parse(basic, {"time.end=9"}).hash, hash);
  EXPECT_EQ(parse(basic, {"outputs.vtk=true"}).hash, hash);
  EXPECT_NE(parse(basic, {"time.step=1e-4"}).hash, hash);
  EXPECT_NE(parse(basic, {"mu=0.4"}).hash, hash);
  EXPECT_NE(parse(basic, {"seed=2"}).hash, hash);
}

TEST(SceneText, ReadsBackToTheSameScene) {
  const Spec spec = parse(basic, {"mu=0.7"});
  const Spec again = parse(spec.text);
  EXPECT_EQ(again.hash, spec.hash);
  EXPECT_EQ(again.text, spec.text);
  EXPECT_EQ(again.pairs[0].friction, 0.7);
}

}  // namespace
}  // namespace grus::scene_compose_test
