#include "siconos_solvers.hpp"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <array>
#include <cstdlib>

namespace grus::bench {
namespace {

constexpr std::array solvers{
    SiconosSolver{"siconos-nsgs", 3, SICONOS_FRICTION_3D_NSGS, 0, true},
    SiconosSolver{"siconos-nsgs-quartic", 3, SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, true},
    SiconosSolver{"siconos-nsgs-newton", 3, SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, true},
    SiconosSolver{"siconos-nsn-ac", 3, SICONOS_FRICTION_3D_NSN_AC, 0, false},
    SiconosSolver{"siconos-nsn-nm", 3, SICONOS_FRICTION_3D_NSN_NM, 0, false},
    SiconosSolver{"siconos-admm", 3, SICONOS_FRICTION_3D_ADMM, 0, false},
    SiconosSolver{"siconos-prox", 3, SICONOS_FRICTION_3D_PROX, 0, false},
    SiconosSolver{"siconos-eg", 3, SICONOS_FRICTION_3D_EG, 0, true},
    SiconosSolver{"siconos-nsgs", 2, SICONOS_FRICTION_2D_NSGS, 0, true},
};

}  // namespace

std::span<const SiconosSolver> siconos_solvers() { return solvers; }

struct SiconosProblem::Data {
  RawNumericsMatrix* columns = nullptr;
  RawNumericsMatrix* blocks = nullptr;
  FrictionContactProblem problem{};
  std::vector<double> q, friction, velocity;
};

SiconosProblem::SiconosProblem(const LocalProblem& problem) : data_(std::make_unique<Data>()) {
  const Index dim = problem.dimension;
  const int size = problem.unknown_count();
  data_->q = problem.q;
  data_->friction = problem.friction;
  data_->velocity.resize(problem.q.size());
  data_->columns = NM_create(NM_SPARSE, size, size);
  NM_triplet_alloc(data_->columns, static_cast<CS_INT>(problem.entry.size()));
  data_->columns->matrix2->origin = NSM_TRIPLET;
  for (Index i = 0; i < problem.block_count(); ++i)
    for (Index k = problem.block_begin[i]; k < problem.block_begin[i + 1]; ++k)
      for (Index a = 0; a < dim; ++a)
        for (Index b = 0; b < dim; ++b)
          NM_entry(data_->columns, i * dim + a, problem.column[k] * dim + b,
                   problem.entry[static_cast<std::size_t>((k * dim + a) * dim + b)]);
  data_->blocks = NM_create(NM_SPARSE_BLOCK, size, size);
  SBM_from_csparse(dim, NM_csc(data_->columns), data_->blocks->matrix1);
  data_->problem.dimension = dim;
  data_->problem.numberOfContacts = problem.contact_count;
  data_->problem.q = data_->q.data();
  data_->problem.mu = data_->friction.data();
}

SiconosProblem::~SiconosProblem() {
  for (RawNumericsMatrix* matrix : {data_->columns, data_->blocks}) {
    NM_clear(matrix);
    std::free(matrix);
  }
}

int SiconosProblem::solve(const SiconosSolver& solver, double tolerance, int max_iterations,
                          std::vector<double>& impulse) {
  data_->problem.M = solver.blocks ? data_->blocks : data_->columns;
  std::fill(impulse.begin(), impulse.end(), 0.0);
  std::fill(data_->velocity.begin(), data_->velocity.end(), 0.0);
  ::SolverOptions* const options = solver_options_create(solver.kind);
  if (solver.contact != 0) solver_options_update_internal(options, 0, solver.contact);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (solver.dimension == 3) {
    fc3d_driver(&data_->problem, impulse.data(), data_->velocity.data(), options);
  } else {
    fc2d_driver(&data_->problem, impulse.data(), data_->velocity.data(), options);
  }
  const int iterations = options->iparam[SICONOS_IPARAM_ITER_DONE];
  solver_options_delete(options);
  return iterations;
}

}  // namespace grus::bench
