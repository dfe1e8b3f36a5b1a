#include "siconos_solvers.hpp"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsSparseMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace grus::bench {
namespace {

using enum SiconosStorage;
using enum SiconosSetting;

constexpr std::array solvers{
    SiconosSolver{"siconos-nsgs", 3, SICONOS_FRICTION_3D_NSGS, 0, blocks},
    SiconosSolver{"siconos-nsgs-quartic", 3, SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC, blocks},
    SiconosSolver{"siconos-nsgs-newton", 3, SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, blocks},
    SiconosSolver{"siconos-nsgs-quartic-true", 3, SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_QUARTIC,
                  blocks, true_error},
    SiconosSolver{"siconos-nsgs-newton-true", 3, SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, blocks,
                  true_error},
    SiconosSolver{"siconos-nsgs-newton-dense", 3, SICONOS_FRICTION_3D_NSGS, SICONOS_FRICTION_3D_ONECONTACT_NSN, dense},
    SiconosSolver{"siconos-nsn-ac", 3, SICONOS_FRICTION_3D_NSN_AC, 0, columns},
    SiconosSolver{"siconos-nsn-ac-hybrid", 3, SICONOS_FRICTION_3D_NSN_AC, 0, columns, hybrid},
    SiconosSolver{"siconos-nsn-fb", 3, SICONOS_FRICTION_3D_NSN_FB, 0, columns},
    SiconosSolver{"siconos-nsn-nm", 3, SICONOS_FRICTION_3D_NSN_NM, 0, columns},
    SiconosSolver{"siconos-admm", 3, SICONOS_FRICTION_3D_ADMM, 0, columns},
    SiconosSolver{"siconos-prox", 3, SICONOS_FRICTION_3D_PROX, 0, columns},
    SiconosSolver{"siconos-eg", 3, SICONOS_FRICTION_3D_EG, 0, blocks},
    SiconosSolver{"siconos-nsgs", 2, SICONOS_FRICTION_2D_NSGS, 0, blocks},
    SiconosSolver{"siconos-nsgs-dense", 2, SICONOS_FRICTION_2D_NSGS, 0, dense},
    SiconosSolver{"siconos-cpg", 2, SICONOS_FRICTION_2D_CPG, 0, dense},
    SiconosSolver{"siconos-lemke", 2, SICONOS_FRICTION_2D_LEMKE, 0, dense},
};

constexpr int most_dense_unknowns = 300;
// Siconos numbers pairs of blocks by an int, and breaks down beyond.
constexpr int most_blocks = 46'340;

}  // namespace

std::span<const SiconosSolver> siconos_solvers() { return solvers; }

struct SiconosProblem::Data {
  RawNumericsMatrix* columns = nullptr;
  RawNumericsMatrix* blocks = nullptr;
  RawNumericsMatrix* dense = nullptr;  // of small problems
  FrictionContactProblem problem{};
  std::vector<double> q, friction, velocity;

  RawNumericsMatrix* matrix(SiconosStorage storage) const {
    return storage == SiconosStorage::columns ? columns : storage == SiconosStorage::blocks ? blocks : dense;
  }
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
  if (size <= most_dense_unknowns) data_->dense = NM_create(NM_DENSE, size, size);
  for (Index i = 0; i < problem.block_count(); ++i)
    for (Index k = problem.block_begin[i]; k < problem.block_begin[i + 1]; ++k)
      for (Index a = 0; a < dim; ++a)
        for (Index b = 0; b < dim; ++b) {
          const Index row = i * dim + a, column = problem.column[k] * dim + b;
          const Real w = problem.entry[static_cast<std::size_t>((k * dim + a) * dim + b)];
          NM_entry(data_->columns, row, column, w);
          if (data_->dense) data_->dense->matrix0[column * size + row] = w;
        }
  if (problem.contact_count <= most_blocks) {
    data_->blocks = NM_create(NM_SPARSE_BLOCK, size, size);
    SBM_from_csparse(dim, NM_csc(data_->columns), data_->blocks->matrix1);
  }
  data_->problem.dimension = dim;
  data_->problem.numberOfContacts = problem.contact_count;
  data_->problem.q = data_->q.data();
  data_->problem.mu = data_->friction.data();
}

SiconosProblem::~SiconosProblem() {
  for (RawNumericsMatrix* matrix : {data_->columns, data_->blocks, data_->dense}) {
    if (!matrix) continue;
    NM_clear(matrix);
    std::free(matrix);
  }
}

bool SiconosProblem::suits(const SiconosSolver& solver) const {
  return solver.dimension == data_->problem.dimension && data_->matrix(solver.storage) != nullptr;
}

int SiconosProblem::solve(const SiconosSolver& solver, double tolerance, int max_iterations,
                          std::vector<double>& impulse) {
  data_->problem.M = data_->matrix(solver.storage);
  std::fill(impulse.begin(), impulse.end(), 0.0);
  std::fill(data_->velocity.begin(), data_->velocity.end(), 0.0);
  ::SolverOptions* const options = solver_options_create(solver.kind);
  if (solver.contact != 0) solver_options_update_internal(options, 0, solver.contact);
  options->iparam[SICONOS_IPARAM_MAX_ITER] = max_iterations;
  options->dparam[SICONOS_DPARAM_TOL] = tolerance;
  if (solver.setting == true_error) {
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION] = SICONOS_FRICTION_3D_NSGS_ERROR_EVALUATION_FULL;
    options->iparam[SICONOS_FRICTION_3D_IPARAM_ERROR_EVALUATION_FREQUENCY] = 10;
  } else if (solver.setting == hybrid) {
    options->iparam[SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY] = SICONOS_FRICTION_3D_NSN_HYBRID_STRATEGY_VI_EG_NSN;
  }
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
