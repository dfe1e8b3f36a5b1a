// One contact on a cone of n facets (faceted_cone.hpp) as a linear complementarity problem of n + 2 unknowns, solved by
// Lemke's method with lexicographic pivoting (Cottle, Pang and Stone 1992, section 4.4; section 4.2 of paper 002):
//
//   w = M z + b >= 0,  z >= 0,  w.z = 0,      z = (beta, r_N, lambda)
//   M = [D^T W_TT D  D^T W_TN  e;  W_NT D  W_NN  0;  -e^T  mu  0],   b = (D^T q_T, q_N, 0)
//
// W_cc of rigid bodies is often singular and facets lie close together: ties in the ratio test are the rule, and the
// lexicographic order is what prevents cycling. The method ends with a solution whenever W_cc is positive semidefinite
// (Stewart and Trinkle 1996); when rounding spoils that, the caller's fallback is taken.
#pragma once

#include <Eigen/Core>

#include "solvers/local/contact_kernel.hpp"
#include "solvers/local/faceted_cone.hpp"

namespace grus::local {

// Solves w = M z + b for z. Keeps its memory.
class LexicographicLemke {
 public:
  // False on a secondary ray or when rounding lets the pivots run on.
  bool solve(const Eigen::MatrixXd& m, const Eigen::VectorXd& b, Eigen::VectorXd& z) {
    const Eigen::Index n = b.size();
    z.setZero(n);
    if ((b.array() >= 0.0).all()) return true;
    // columns: w (the inverse of the basis), z, z_0, right-hand side
    tableau_.resize(n, 2 * n + 2);
    tableau_.leftCols(n).setIdentity();
    tableau_.middleCols(n, n) = -m;
    tableau_.col(2 * n).setConstant(-1.0);
    tableau_.col(2 * n + 1) = b;
    basis_.resize(static_cast<std::size_t>(n));
    for (Eigen::Index i = 0; i < n; ++i) basis_[static_cast<std::size_t>(i)] = i;

    Eigen::Index row = 0;
    for (Eigen::Index i = 1; i < n; ++i)
      if (lexicographically_less(i, 1.0, row, 1.0)) row = i;
    Eigen::Index entering = 2 * n;
    const Eigen::Index most_pivots = 20 * n + 50;
    for (Eigen::Index k = 0; k < most_pivots; ++k) {
      const Eigen::Index leaving = basis_[static_cast<std::size_t>(row)];
      pivot(row, entering);
      if (leaving == 2 * n) return read(z);
      entering = leaving < n ? leaving + n : leaving - n;
      row = leaving_row(entering);
      if (row < 0) return false;
    }
    return false;
  }

 private:
  // Entries of a scaled problem below this are rounding.
  static constexpr Real negligible = 1e-12;

  // Row i over its divisor before row k over its own: right-hand side, then the inverse of the basis.
  bool lexicographically_less(Eigen::Index i, Real divisor_i, Eigen::Index k, Real divisor_k) const {
    const Eigen::Index n = tableau_.rows();
    const auto compare = [&](Eigen::Index column) {
      return tableau_(i, column) / divisor_i - tableau_(k, column) / divisor_k;
    };
    const Real first = compare(2 * n + 1);
    if (std::abs(first) > negligible) return first < 0.0;
    for (Eigen::Index c = 0; c < n; ++c) {
      const Real difference = compare(c);
      if (std::abs(difference) > negligible) return difference < 0.0;
    }
    return false;
  }

  // -1: no entry is positive, the ray is unbounded.
  Eigen::Index leaving_row(Eigen::Index entering) const {
    const Eigen::Index n = tableau_.rows();
    Eigen::Index best = -1;
    for (Eigen::Index i = 0; i < n; ++i) {
      if (!(tableau_(i, entering) > negligible)) continue;
      if (best < 0 || lexicographically_less(i, tableau_(i, entering), best, tableau_(best, entering))) best = i;
    }
    return best;
  }

  void pivot(Eigen::Index row, Eigen::Index column) {
    tableau_.row(row) /= tableau_(row, column);
    for (Eigen::Index i = 0; i < tableau_.rows(); ++i) {
      const Real factor = tableau_(i, column);
      if (i != row && factor != 0.0) tableau_.row(i) -= factor * tableau_.row(row);
    }
    basis_[static_cast<std::size_t>(row)] = column;
  }

  bool read(Eigen::VectorXd& z) const {
    const Eigen::Index n = tableau_.rows();
    for (Eigen::Index i = 0; i < n; ++i) {
      const Eigen::Index variable = basis_[static_cast<std::size_t>(i)];
      if (variable >= n && variable < 2 * n) z[variable - n] = std::max(0.0, tableau_(i, 2 * n + 1));
    }
    return z.allFinite();
  }

  Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> tableau_;
  std::vector<Eigen::Index> basis_;
};

class Lemke {
 public:
  explicit Lemke(Index facets) : spatial_(facets), planar_(2) {}

  Vec3 solve(const SpatialKernel& kernel, const Vec3& q, const Vec3& guess) {
    if (!(q[0] < 0.0) || kernel.kind == KernelKind::inert) return Vec3::Zero();
    const TangentTurn turn(kernel.w, q, guess);
    Vec3 r;
    if (solve_on(spatial_, turn.turned(kernel.w), turn.turned(q), kernel.friction, kernel.weight, r))
      return turn.back(r);
    return Exact::solve(kernel, q, guess);
  }

  Vec2 solve(const PlanarKernel& kernel, const Vec2& q, const Vec2& guess) {
    if (!(q[0] < 0.0) || kernel.kind == KernelKind::inert) return Vec2::Zero();
    Vec3 r;
    if (solve_on(planar_, in_space(kernel.w), Vec3(q[0], q[1], 0.0), kernel.friction, kernel.weight, r))
      return r.head<2>();
    return Exact::solve(kernel, q, guess);
  }

 private:
  bool solve_on(const FacetDirections& facets, const SymMat3& w, const Vec3& q, Real mu, Real weight, Vec3& r) {
    // Free of units: W by its trace, q by its length, so r is in units of length/trace.
    const Real length = q.norm(), inverse = 1.0 / weight;
    const Index n = facets.count();
    matrix_.setZero(n + 2, n + 2);
    b_.setZero(n + 2);
    const auto times_tangent = [&](const Vec2& d) { return Vec3(w * Vec3(0.0, d[0], d[1])); };
    for (Index i = 0; i < n; ++i) {
      const Vec2& d = facets.d[static_cast<std::size_t>(i)];
      const Vec3 column = inverse * times_tangent(d);
      for (Index k = 0; k < n; ++k) matrix_(k, i) = facets.d[static_cast<std::size_t>(k)].dot(column.tail<2>());
      matrix_(n, i) = matrix_(i, n) = column[0];
      matrix_(i, n + 1) = 1.0;
      matrix_(n + 1, i) = -1.0;
      b_[i] = d.dot(q.tail<2>()) / length;
    }
    matrix_(n, n) = inverse * w.xx;
    matrix_(n + 1, n) = mu;
    b_[n] = q[0] / length;
    if (!pivoting_.solve(matrix_, b_, z_)) return false;
    const Real scale = length * inverse;
    Vec2 tangent = Vec2::Zero();
    for (Index i = 0; i < n; ++i) tangent += z_[i] * facets.d[static_cast<std::size_t>(i)];
    r = scale * Vec3(z_[n], tangent[0], tangent[1]);
    return true;
  }

  FacetDirections spatial_, planar_;
  LexicographicLemke pivoting_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd b_, z_;
};

}  // namespace grus::local
