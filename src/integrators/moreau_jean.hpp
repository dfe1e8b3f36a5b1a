// The Moreau-Jean theta scheme (paper 000, section 3 and Algorithm 1, with the errata of docs/theory.md).
//
//   q_m     = q_n + (1 - theta) h v_n                                                (29)
//   v_{n+1} = v_n + M(q_m)^-1 (h f(q_m, v_n, t) + H(q_m) r)                          (28)
//   u       = H(q_m)^T v_{n+1}  in Signorini-Coulomb relation with r                 (31, 32)
//   q_{n+1} = q_m + theta h v_{n+1}                                                  (30)
// Rotations move on the group: R_m = exp((1 - theta) h w_n) R_n, R_{n+1} = exp(theta h w_{n+1}) R_m.
#pragma once

#include "core/parallel.hpp"
#include "integrators/step_report.hpp"
#include "integrators/workspace.hpp"
#include "model/loads.hpp"
#include "model/model.hpp"
#include "model/state.hpp"

namespace grus {

// One step of the model from `state` under `loads`. Throws NumericalError when the result is not finite; the state is
// then spoiled.
StepReport step_moreau_jean(const Model& model, State& state, Workspace& work, const Parallel& parallel,
                            const Loads& loads = {});

}  // namespace grus
