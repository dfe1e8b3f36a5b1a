// Spec -> Model: validates everything, expands generators, computes mass properties, resolves names.
#pragma once

#include <string>
#include <vector>

#include "model/model.hpp"
#include "model/probe.hpp"
#include "model/spec.hpp"
#include "model/state.hpp"

namespace grus {

// What people see and the Model does not need.
struct ModelNames {
  std::vector<std::string> body;   // [body_count]
  std::vector<std::string> group;  // distinct group names
  std::vector<Index> group_of;     // [dynamic_count], no_index: none
  std::vector<std::string> material;
  std::vector<MechanismNames> mechanism;  // [Model::mechanisms]
  std::vector<std::string> joint;         // of the absolute lane, by JointCondition::group
  std::vector<std::string> input;         // [Model::inputs]
};

struct CompiledScene {
  Model model;
  State initial;
  ModelNames names;
  std::vector<Probe> probes;
  std::vector<std::string> warnings;  // e.g. a fill that found fewer places than asked
};

// Throws InputError with every fault found.
CompiledScene compile(const Spec& spec);

}  // namespace grus
