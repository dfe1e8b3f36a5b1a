#include "multibody/make_scene.hpp"

#include "multibody/assembly.hpp"

namespace grus {

CompiledScene make_scene(const Spec& spec) {
  CompiledScene scene = compile(spec);
  if (!scene.model.mechanisms.empty()) assemble_mechanisms(scene);
  return scene;
}

}  // namespace grus
