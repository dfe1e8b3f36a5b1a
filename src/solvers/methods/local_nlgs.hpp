// Nonlinear block Gauss-Seidel on an assembled problem (Jean 1999; the block splitting method of paper 002): sweeps of
// block_sweep.hpp, plain or accelerated, until the true error is below the tolerance.
//
// The error costs about a sweep. The increment of a sweep tells when measuring is worth while: error and increment are
// taken to be proportional, with the factor of the last measurement.
#pragma once

#include <memory>
#include <optional>

#include "solvers/local_residual.hpp"
#include "solvers/methods/anderson.hpp"
#include "solvers/methods/block_sweep.hpp"
#include "solvers/momentum.hpp"

namespace grus {

enum class Acceleration : std::uint8_t {
  none,
  momentum,  // momentum.hpp
  anderson,  // anderson.hpp
};

struct LocalNlgsOptions : LocalSolveOptions {
  ContactMethod method = ContactMethod::exact;
  Acceleration acceleration = Acceleration::none;
};

LocalSolveReport solve_local_nlgs(const LocalProblem& problem, LocalMeter& meter, std::vector<Real>& impulse,
                                  const LocalNlgsOptions& options);

// The same for callers that do something else between the sweeps.
class LocalNlgs {
 public:
  // `problem` and `meter` outlive it.
  LocalNlgs(const LocalProblem& problem, LocalMeter& meter, const LocalNlgsOptions& options);

  // Told the sweeps of a run so far and the error whenever it is measured; true ends the run.
  using GiveUp = std::function<bool(Index sweeps, Real error)>;
  // Sweeps from `impulse`, of which `error` is known, until the tolerance is reached, `budget` sweeps are made,
  // options.stop asks for it or the caller gives up. impulse and error become the last ones measured. Returns the
  // number of sweeps.
  Index run(std::vector<Real>& impulse, Real& error, Index budget, const GiveUp& give_up = {});

 private:
  void accelerate(Real squared_increment);
  void start_anderson();

  const LocalProblem& problem_;
  const LocalNlgsOptions options_;
  LocalMeter& meter_;
  std::unique_ptr<BlockSweep> sweep_;
  // Made with the first step: most small problems are solved before.
  std::vector<Real> weight_;  // 1/rho of each unknown
  std::optional<Anderson> anderson_;
  MomentumControl momentum_;
  std::vector<Real> last_;  // the result before, of momentum; the start of a run
  Index sweeps_ = 0;        // so far, in all runs
};

}  // namespace grus
