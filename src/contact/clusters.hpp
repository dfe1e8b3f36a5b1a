// Clusters of neighbouring bodies, so that the solver can work on one part of the bed at a time.
//
// Bodies are sorted along a Morton curve through their positions in q_m and cut into runs of equal length. A function
// of the positions alone: the order of a sweep, and so every bit of its result, must not depend on history or threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/model.hpp"
#include "model/motion.hpp"

namespace grus {

// The blocks of a cluster (128 bytes each) fit in half of a 256 kB second-level cache, and 5000 bodies still give
// every thread its share.
inline constexpr Index cluster_size = 512;

struct ClusterScratch {
  std::vector<std::uint32_t> code, code_sorted;  // Morton codes            [active]
  std::vector<Index> body, body_sorted;          // bodies in their order   [active]
};

// cluster[i] for the first `active` bodies; empty when all fit in one or two, where nothing is to be gained.
void cluster_bodies(const Model& model, std::span<const Pose> pose_m, Index active, ClusterScratch& scratch,
                    std::vector<Index>& cluster);

}  // namespace grus
