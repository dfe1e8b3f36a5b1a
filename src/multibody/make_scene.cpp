#include "multibody/make_scene.hpp"

#include "multibody/assembly.hpp"
#include "multibody/open_joints.hpp"

namespace grus {

CompiledScene make_scene(const Spec& spec) {
  CompiledScene scene = compile(spec);
  if (!scene.model.joint_conditions.empty()) refuse_open_joints(spec, scene);
  if (!scene.model.mechanisms.empty()) assemble_mechanisms(scene);
  return scene;
}

}  // namespace grus
