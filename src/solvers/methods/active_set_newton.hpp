// One step of the active-set Newton method on the map of Alart and Curnier (1991), for every contact and row at once:
//
//   u = W r + q + D (r - c),   D = diag(shift) >= 0 and the centre c from the proximal method that calls it
//   z = r - rho u;   open  z_N <= 0,   stick  ||z_T|| <= mu z_N,   slip otherwise,  d = z_T/||z_T||
//   a scalar row is free when r - rho u lies inside its bounds, else at the bound
//
//   open: r' = 0;   stick: u' = 0;   slip: r'_T = mu r'_N d', u'_N = 0, u'_T along d'
//
// A slipping impulse is written in the two numbers that remain, r' = r'_N (1, mu d) + tau p with p normal to d, and its
// tangential equation linearised in the direction (divided by rho, which drops out):
//
//   p . u'_T + ||u_T||/(mu z_N) tau = 0
//
// so that open contacts are no unknowns, slipping ones two (one in the plane), sticking ones three (two). The linear
// system has the pattern of W and unsymmetric values, W_N,: (1, mu d) against the row N: block_lu.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/local_problem.hpp"
#include "solvers/methods/block_lu.hpp"

namespace grus {

class ActiveSetNewton {
 public:
  // rho: of each block, 0 for one that no impulse can influence; it keeps its impulse.
  ActiveSetNewton(const LocalProblem& problem, const std::vector<Real>& rho);

  // The full step from impulses r with velocities u to the target; not projected. shift: of D [block_count()].
  // False when the linear system gave no finite answer.
  bool step(const std::vector<Real>& r, const std::vector<Real>& u, const std::vector<Real>& shift,
            std::vector<Real>& target);

  Index unknowns() const { return unknowns_; }

 private:
  enum class Status : std::uint8_t { fixed, free, stick, slip };

  void classify(const std::vector<Real>& r, const std::vector<Real>& u, std::vector<Real>& target);
  void classify_contact(Index i, const Real* r, const Real* u, Real* target);
  void analyze_when_outgrown();
  void assemble(const std::vector<Real>& shift);
  void assemble_block(Index i, Index j, const Real* w, Real shift, Real* reduced) const;
  void reduce_velocity(const std::vector<Real>& u);
  void expand_step(std::vector<Real>& target) const;

  const LocalProblem& problem_;
  const std::vector<Real>& rho_;
  BlockLu lu_;
  Index unknowns_ = 0;
  Index analyzed_count_ = 0;             // members of the last analysis
  std::vector<std::uint8_t> member_;     // of the last analysis          [block_count()]
  std::vector<std::uint8_t> size_;       // unknowns of each block        [block_count()]
  std::vector<Status> status_;           //                               [block_count()]
  std::vector<Real> direction_;          // d, two numbers (one, +-1, in the plane: the second is 0)
  std::vector<Real> turning_;            // ||u_T||/(mu z_N)              [block_count()]
  std::vector<Real> reduced_;            // entries of the linear system, in the places of W's
  std::vector<Real> unknown_;            // right-hand side and solution  [unknown_count()]
  std::vector<Real> velocity_, change_;  // of the target before the step, W times its change   [unknown_count()]
};

}  // namespace grus
