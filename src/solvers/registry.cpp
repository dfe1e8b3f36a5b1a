#include "solvers/registry.hpp"

#include <array>

namespace grus {
namespace {

constexpr std::array registry{
    SolverEntry{SolverKind::automatic, "auto",
                "accelerated sweeps, Newton's method where they stall; by size and progress; the default"},
    SolverEntry{SolverKind::nlgs_accelerated, "nlgs-accelerated",
                "nlgs with guarded momentum: a third to a fifth of the sweeps"},
    SolverEntry{SolverKind::nlgs, "nlgs", "block Gauss-Seidel over contacts, coloured, threaded"},
    SolverEntry{SolverKind::nlgs_anderson, "nlgs-anderson",
                "nlgs on the assembled problem with Anderson acceleration: the fewest sweeps"},
    SolverEntry{SolverKind::nlgs_newton, "nlgs-newton",
                "nlgs on the assembled problem, each contact by Newton's method of Alart and Curnier"},
    SolverEntry{SolverKind::nlgs_projection, "nlgs-projection",
                "nlgs on the assembled problem, each contact by projections on its cone"},
    SolverEntry{SolverKind::nlgs_lemke, "nlgs-lemke",
                "nlgs on a cone of facets, each contact by lexicographic Lemke pivoting; judged by the round cone"},
    SolverEntry{SolverKind::nlgs_qp, "nlgs-qp",
                "nlgs on a cone of facets, each contact by quadratic programs; judged by the round cone"},
    SolverEntry{SolverKind::proximal_newton, "proximal-newton",
                "nonsmooth Newton on the whole assembled problem, regularised: for tight tolerances"},
    SolverEntry{SolverKind::admm, "admm",
                "alternating directions on the assembled problem, factored once per penalty: for resting stacks"},
    SolverEntry{
        SolverKind::accelerated_projected_gradient, "accelerated-projected-gradient",
        "Nesterov's projected gradients with restart on the assembled problem: no factors, for loose tolerances"},
    SolverEntry{SolverKind::projected_conjugate_gradient, "projected-conjugate-gradient",
                "conjugate gradients of Renouf and Alart on the assembled problem: no factors, for resting stacks"},
    SolverEntry{SolverKind::interior_point, "interior-point",
                "primal-dual interior point on the assembled problem: few iterations, for small and medium problems"},
};

constexpr std::array orders{
    SweepOrderEntry{SweepOrder::forward, "forward"},
    SweepOrderEntry{SweepOrder::symmetric, "symmetric"},
    SweepOrderEntry{SweepOrder::permuted, "permuted"},
    SweepOrderEntry{SweepOrder::coloured, "coloured"},
};

}  // namespace

std::span<const SweepOrderEntry> sweep_orders() { return orders; }

std::span<const SolverEntry> solver_registry() { return registry; }

std::string_view solver_name(SolverKind kind) {
  for (const SolverEntry& entry : registry) {
    if (entry.kind == kind) return entry.name;
  }
  return {};
}

std::optional<SolverKind> solver_kind(std::string_view name) {
  for (const SolverEntry& entry : registry) {
    if (entry.name == name) return entry.kind;
  }
  return std::nullopt;
}

}  // namespace grus
