// URDF files: robots and machines as others describe them, read (by urdfdom) into a MechanismSpec.
//
// A link becomes a body of its name; a joint the joint of its child link, whose frame is the joint's in URDF as here.
//   revolute, continuous, prismatic, floating, fixed, planar (axis z)   limits, damping and dry friction are kept
//   box, sphere, cylinder; a mesh by its convex hull                    collision shapes touch; of a link without any
//                                                                       the visual ones are drawn
// A link without mass is a mere frame: fixed to its parent it passes its shapes and children on to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/spec.hpp"

namespace grus {

struct UrdfRequest {
  SourceMark mark;
  std::string file;
  bool free_base = true;  // the root link floats; else it is fixed to the ground
  Vec3 position = Vec3::Zero();
  Quat rotation = Quat::Identity();
  std::string material;
  bool self_contact = false;           // links touch each other (neighbours never do)
  std::vector<CoordinateSpec> joints;  // by the name of the joint: start, motors, springs, drives
  std::optional<ForceLawSpec> hold;    // a motor at every joint that moves: holds the start position, with
                                       // at most the effort of the file
};

// Appends the bodies; faults are at request.mark and name the file, the link or the joint. Returns a hash of all that
// was read, mesh files too.
std::uint64_t parse_urdf(const std::string& text, const UrdfRequest& request, MechanismSpec& mechanism,
                         std::vector<Fault>& faults);
std::uint64_t read_urdf(const UrdfRequest& request, MechanismSpec& mechanism, std::vector<Fault>& faults);

}  // namespace grus
