// From the global form of a contact problem to the local one:
//
//   M v = H r + f,  u = H^T v + w    =>    W = H^T M^-1 H,  q = H^T M^-1 f + w
//
// M falls apart into groups of velocities that know each other (a body, a mechanism, a meshed part); each is factored
// alone, so that W has entries only between contacts that share a group.
#pragma once

#include <string>
#include <vector>

#include "io/problem/matrix_entries.hpp"

namespace grus {

struct GlobalForm {
  MatrixEntries mass;        // M [velocities x velocities]; definite for a problem of mechanics, at least regular
  MatrixEntries directions;  // H [velocities x unknowns]
  std::vector<Real> force;   // f [velocities]
  std::vector<Real> shift;   // w [unknowns]
};

// W and q; the sizes are those of the comments above. Returns an empty text, or what is wrong with the form.
std::string reduce_to_local(const GlobalForm& form, MatrixEntries& w, std::vector<Real>& q);

// v = M^-1 (H r + f) for r in the numbering of files. Of a form that reduce_to_local() takes.
std::vector<Real> global_velocity(const GlobalForm& form, const std::vector<Real>& impulse);

}  // namespace grus
