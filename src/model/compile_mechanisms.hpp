// What the steps that compile mechanisms share. Private to src/model.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/compile_context.hpp"

namespace grus {

// A mechanism to be. Links are numbered parents first.
struct MechanismDraft {
  explicit MechanismDraft(const MechanismSpec& mechanism_spec) : spec(mechanism_spec) {}

  const MechanismSpec& spec;
  Mechanism mechanism;
  MechanismNames names;
  std::map<std::string, Index, std::less<>> link_index;  // by name
  std::vector<std::string> link_names;
  std::vector<const Blueprint*> blueprints;             // of the links
  std::vector<const CoordinateSpec*> coordinate_specs;  // [velocity_count]; null: nothing said
  std::vector<Real> position, velocity;                 // the user's guess
};

// A frame F fixed in a body frame B, or in the world.
struct AnchorFrame {
  Index body = no_index;  // link of a mechanism, draft of a body, or the ground
  Vec3 p_BF = Vec3::Zero();
  Quat R_BF = Quat::Identity();
};

// A frame given in a body's user frame.
AnchorFrame in_body_frame(Index body, const Blueprint& blueprint, const Vec3& position, const Quat& rotation);

// False, with a fault, when the anchor is not a sound point of the mechanism or of the ground.
bool find_anchor(CompileContext& context, const MechanismDraft& draft, const AnchorSpec& anchor,
                 const std::string& what, AnchorFrame& frame);
bool check_anchor(CompileContext& context, const AnchorSpec& anchor, const std::string& what);

// compile_links.cpp: tree, frames, axes, coordinates
void compile_links(CompileContext& context, MechanismDraft& draft);
// compile_cuts.cpp: loops of a mechanism; joints between free bodies
void compile_loops(CompileContext& context, MechanismDraft& draft);
void compile_joints(CompileContext& context, const std::map<std::string, Index, std::less<>>& body_index);
// compile_forces.cpp: of coordinates, between points, applied
void compile_forces(CompileContext& context, MechanismDraft& draft);

}  // namespace grus
