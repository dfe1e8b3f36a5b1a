#include "solvers/methods/block_sweep.hpp"

#include "solvers/cone.hpp"
#include "solvers/local/cone_projection.hpp"
#include "solvers/local/contact_kernel.hpp"
#include "solvers/local/lemke.hpp"
#include "solvers/local/polyhedral_qp.hpp"
#include "solvers/local_residual.hpp"
#include "solvers/methods/block_row.hpp"

namespace grus {
namespace {

template <class Kernel, class Local>
class KernelSweep final : public BlockSweep {
 public:
  static constexpr int dim = Kernel::dim;
  using Vector = BlockVector<dim>;

  KernelSweep(const LocalProblem& problem, const std::vector<Real>& rho, Local local, std::vector<Index> order)
      : problem_(problem),
        local_(std::move(local)),
        order_(std::move(order)),
        row_rho_(rho.begin() + problem.contact_count, rho.end()),
        r_(problem.unknown_count()) {
    kernel_.reserve(static_cast<std::size_t>(problem.contact_count));
    for (Index i = 0; i < problem.contact_count; ++i) {
      const auto place = static_cast<std::size_t>(diagonal_place(problem, i));
      kernel_.emplace_back(problem.entry.data() + place * (dim * dim), problem.friction[i], rho[i]);
    }
  }

  std::span<Real> impulse() override { return {r_.data(), static_cast<std::size_t>(problem_.unknown_count())}; }

  Real sweep(bool backward) override {
    Real increment = 0.0;
    const Index count = problem_.block_count();
    if (order_.empty() && !backward) {
      for (Index i = 0; i < problem_.contact_count; ++i) increment += relax_contact(i);
      for (Index i = problem_.contact_count; i < count; ++i) increment += relax_row(i);
      return increment;
    }
    for (Index k = 0; k < count; ++k) {
      const Index place = backward ? count - 1 - k : k, i = order_.empty() ? place : order_[place];
      increment += i < problem_.contact_count ? relax_contact(i) : relax_row(i);
    }
    return increment;
  }

 private:
  Real relax_contact(Index i) {
    Real* const r = r_.data() + i * dim;
    const Kernel& kernel = kernel_[i];
    const Vector old = Eigen::Map<const Vector>(r);
    const Vector u = block_row<dim>(problem_, i, r_.data());
    const Vector next = local_.solve(kernel, Vector(u - kernel.times(old)), old);
    Eigen::Map<Vector>{r} = next;
    return kernel.weight * (next - old).squaredNorm();
  }

  Real relax_row(Index i) {
    const Index row = i - problem_.contact_count;
    const Real rho = row_rho_[row];
    if (rho == 0.0) return 0.0;
    Real& r = r_.data()[i * dim];
    const Real old = r, u = scalar_row<dim>(problem_, i, r_.data());
    r = clamp_impulse(old - rho * u, problem_.lower[row], problem_.upper[row]);
    return (r - old) * (r - old) / rho;
  }

  const LocalProblem& problem_;
  Local local_;
  std::vector<Index> order_;
  std::vector<Real> row_rho_;
  PaddedImpulses r_;
  std::vector<Kernel> kernel_;
};

template <class Local>
std::unique_ptr<BlockSweep> sweep_with(const LocalProblem& problem, const std::vector<Real>& rho, Local local,
                                       std::vector<Index> order) {
  if (problem.dimension == 3)
    return std::make_unique<KernelSweep<local::SpatialKernel, Local>>(problem, rho, std::move(local), std::move(order));
  return std::make_unique<KernelSweep<local::PlanarKernel, Local>>(problem, rho, std::move(local), std::move(order));
}

}  // namespace

std::unique_ptr<BlockSweep> make_block_sweep(const LocalProblem& problem, const std::vector<Real>& rho,
                                             ContactMethod method, Index facets, std::vector<Index> order) {
  switch (method) {
    case ContactMethod::exact:
      break;
    case ContactMethod::newton:
      return sweep_with(problem, rho, local::Newton{}, std::move(order));
    case ContactMethod::projection:
      return sweep_with(problem, rho, local::ConeProjection{}, std::move(order));
    case ContactMethod::lemke:
      return sweep_with(problem, rho, local::Lemke(facets), std::move(order));
    case ContactMethod::qp:
      return sweep_with(problem, rho, local::PolyhedralQp(facets), std::move(order));
  }
  return sweep_with(problem, rho, local::Exact{}, std::move(order));
}

}  // namespace grus
