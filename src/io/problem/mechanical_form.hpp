// The global form of an assembled mechanical problem, for files: M of the rigid bodies that contacts and rows touch, H
// from their sides, f = M v_free, w the shift of the laws and of what cannot move.
#pragma once

#include <optional>

#include "io/problem/global_form.hpp"
#include "solvers/assemble.hpp"

namespace grus {

// `local` and `scratch` as assemble_local() left them for `problem`. Empty when M cannot be given: mechanisms are known
// to a ContactProblem by H^T A^-1 alone, and a body may turn without being able to move.
std::optional<GlobalForm> global_form_of(const ContactProblem& problem, const LocalProblem& local,
                                         const AssembleScratch& scratch);

}  // namespace grus
