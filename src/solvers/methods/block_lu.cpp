#include "solvers/methods/block_lu.hpp"

#include <Eigen/Dense>
#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>

namespace grus {
namespace {

using Graph = std::vector<std::vector<Index>>;
using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using FrontView = Eigen::Map<RowMajor, 0, Eigen::OuterStride<>>;

// Neighbours of each member, symmetric, without itself; in the numbers of `member_number`.
Graph block_graph(const LocalProblem& problem, const std::vector<Index>& member_number, Index member_count) {
  Graph graph(static_cast<std::size_t>(member_count));
  for (Index i = 0; i < problem.block_count(); ++i) {
    if (member_number[i] == no_index) continue;
    for (Index k = problem.block_begin[i]; k < problem.block_begin[i + 1]; ++k) {
      const Index j = problem.column[k];
      if (j == i || member_number[j] == no_index) continue;
      graph[member_number[i]].push_back(member_number[j]);
      graph[member_number[j]].push_back(member_number[i]);
    }
  }
  for (std::vector<Index>& neighbours : graph) {
    std::sort(neighbours.begin(), neighbours.end());
    neighbours.erase(std::unique(neighbours.begin(), neighbours.end()), neighbours.end());
  }
  return graph;
}

// Members in the order of elimination.
std::vector<Index> minimum_degree(const Graph& graph) {
  const auto n = static_cast<Index>(graph.size());
  std::vector<Index> begin(static_cast<std::size_t>(n) + 1, 0), neighbour;
  for (Index i = 0; i < n; ++i) {
    // Eigen takes a node without its diagonal for a dense one, and wants columns in order
    const auto later = std::upper_bound(graph[i].begin(), graph[i].end(), i);
    neighbour.insert(neighbour.end(), graph[i].begin(), later);
    neighbour.push_back(i);
    neighbour.insert(neighbour.end(), later, graph[i].end());
    begin[i + 1] = static_cast<Index>(neighbour.size());
  }
  std::vector<Real> ones(neighbour.size(), 1.0);
  Eigen::SparseMatrix<Real, Eigen::ColMajor, Index> pattern =
      Eigen::Map<Eigen::SparseMatrix<Real, Eigen::ColMajor, Index>>(n, n, begin[n], begin.data(), neighbour.data(),
                                                                    ones.data());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, Index> permutation;
  Eigen::internal::minimum_degree_ordering(pattern, permutation);
  return {permutation.indices().data(), permutation.indices().data() + n};
}

// The elimination tree of a graph whose nodes are numbered in the order of elimination (Liu 1990): parent[j] is the
// first later node that column j reaches.
std::vector<Index> elimination_tree(const Graph& graph, const std::vector<Index>& node, const std::vector<Index>& at) {
  const auto n = static_cast<Index>(node.size());
  std::vector<Index> parent(node.size(), no_index), ancestor(node.size(), no_index);
  for (Index j = 0; j < n; ++j) {
    for (const Index neighbour : graph[node[j]]) {
      Index i = at[neighbour];
      while (i < j && i != no_index) {
        const Index next = ancestor[i];
        ancestor[i] = j;
        if (next == no_index) parent[i] = j;
        if (next == j) break;
        i = next;
      }
    }
  }
  return parent;
}

// Children before parents, subtrees together.
std::vector<Index> postorder(const std::vector<Index>& parent) {
  const auto n = static_cast<Index>(parent.size());
  std::vector<Index> first_child(parent.size(), no_index), next(parent.size(), no_index), sequence, stack;
  for (Index j = n - 1; j >= 0; --j) {
    if (parent[j] == no_index) continue;
    next[j] = first_child[parent[j]];
    first_child[parent[j]] = j;
  }
  sequence.reserve(parent.size());
  for (Index root = 0; root < n; ++root) {
    if (parent[root] != no_index) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const Index j = stack.back();
      if (first_child[j] != no_index) {
        stack.push_back(first_child[j]);
        first_child[j] = next[first_child[j]];
      } else {
        sequence.push_back(j);
        stack.pop_back();
      }
    }
  }
  return sequence;
}

// Gauss elimination of the columns [begin, end) of a front in place, pivots chosen among the rows below `pivots`.
// Updates only the columns below `columns`. A swap exchanges whole rows.
bool eliminate_panel(Real* matrix, Index stride, Index begin, Index end, Index pivots, Index rows, Index columns,
                     Real smallest, Index* swaps) {
  for (Index p = begin; p < end; ++p) {
    Index best = p;
    for (Index i = p + 1; i < pivots; ++i)
      if (std::abs(matrix[i * stride + p]) > std::abs(matrix[best * stride + p])) best = i;
    swaps[p] = best;
    if (best != p) std::swap_ranges(matrix + p * stride, matrix + p * stride + rows, matrix + best * stride);
    Real* const pivot_row = matrix + p * stride;
    if (!std::isfinite(pivot_row[p])) return false;
    if (std::abs(pivot_row[p]) < smallest) pivot_row[p] = std::copysign(smallest, pivot_row[p]);
    const Real inverse = 1.0 / pivot_row[p];
    for (Index i = p + 1; i < rows; ++i) {
      Real* const row = matrix + i * stride;
      if (row[p] == 0.0) continue;
      const Real factor = row[p] *= inverse;
      for (Index j = p + 1; j < columns; ++j) row[j] -= factor * pivot_row[j];
    }
  }
  return true;
}

}  // namespace

void BlockLu::analyze(const LocalProblem& problem, std::span<const std::uint8_t> member) {
  dimension_ = problem.dimension;
  const Index n = problem.block_count();
  std::vector<Index> number(static_cast<std::size_t>(n), no_index), members;
  for (Index i = 0; i < n; ++i) {
    if (!member[i]) continue;
    number[i] = static_cast<Index>(members.size());
    members.push_back(i);
  }
  const Graph graph = block_graph(problem, number, static_cast<Index>(members.size()));
  order(graph);
  build_fronts(graph);
  position_.assign(static_cast<std::size_t>(n), no_index);
  for (std::size_t p = 0; p < node_.size(); ++p) {
    node_[p] = members[node_[p]];
    position_[node_[p]] = static_cast<Index>(p);
  }
  sort_entries(problem);
}

// Leaves in node_ and position_ the numbers of members.
void BlockLu::order(const Graph& graph) {
  node_ = minimum_degree(graph);
  position_.resize(node_.size());
  for (std::size_t p = 0; p < node_.size(); ++p) position_[node_[p]] = static_cast<Index>(p);
  std::vector<Index> sequence = postorder(elimination_tree(graph, node_, position_));
  for (Index& place : sequence) place = node_[place];
  node_ = std::move(sequence);
  for (std::size_t p = 0; p < node_.size(); ++p) position_[node_[p]] = static_cast<Index>(p);
}

void BlockLu::build_fronts(const Graph& graph) {
  // A column is joined to the front before it at the price of some zeros: a larger front is worth more.
  constexpr Real allowed_zeros = 0.25;
  constexpr Index small_front = 24;  // blocks; below it the work is in the handling, not in the numbers
  const auto n = static_cast<Index>(node_.size());
  const std::vector<Index> parent = elimination_tree(graph, node_, position_);
  std::vector<std::vector<Index>> structure(node_.size());
  std::vector<Index> mark(node_.size(), no_index), front_of(node_.size());
  std::vector<std::vector<Index>> child(node_.size());
  for (Index j = 0; j < n; ++j)
    if (parent[j] != no_index) child[parent[j]].push_back(j);

  fronts_.clear();
  rows_.clear();
  analyzed_flops_ = analyzed_entries_ = 0.0;
  Index present = 0;  // blocks below the diagonals of the open front, without the zeros of joining
  const auto close_front = [&](Index last) {
    Front& front = fronts_.back();
    front.end = last + 1;
    front.row_begin = static_cast<Index>(rows_.size());
    rows_.insert(rows_.end(), structure[last].begin(), structure[last].end());
    front.row_end = static_cast<Index>(rows_.size());
    const Real k = dimension_ * (front.end - front.begin), m = dimension_ * (front.row_end - front.row_begin);
    analyzed_flops_ += 2.0 * (k * k * k / 3.0 + k * k * m + k * m * m);
    analyzed_entries_ += (k + m) * (k + m);
  };
  for (Index j = 0; j < n; ++j) {
    std::vector<Index>& own = structure[j];
    mark[j] = j;
    const auto add = [&](Index p) {
      if (p <= j || mark[p] == j) return;
      mark[p] = j;
      own.push_back(p);
    };
    for (const Index neighbour : graph[node_[j]]) add(position_[neighbour]);
    for (const Index c : child[j])
      for (const Index p : structure[c]) add(p);
    std::sort(own.begin(), own.end());

    const auto below = static_cast<Index>(own.size());
    bool join = j > 0 && parent[j - 1] == j;
    if (join) {
      const Index width = j - fronts_.back().begin;
      const Index joined = width * below + width * (width + 1) / 2 + below, filled = present + below;
      const Real limit = joined <= small_front ? 0.5 : allowed_zeros;
      join = static_cast<Real>(joined - filled) <= limit * static_cast<Real>(joined);
    }
    if (!join) {
      if (j > 0) close_front(j - 1);
      fronts_.push_back({});
      fronts_.back().begin = j;
      present = 0;
    }
    present += below;
    front_of[j] = static_cast<Index>(fronts_.size()) - 1;
    for (const Index c : child[j])
      if (front_of[c] != front_of[j]) std::vector<Index>().swap(structure[c]);
  }
  if (n > 0) close_front(n - 1);

  child_begin_.assign(fronts_.size() + 1, 0);
  for (Front& front : fronts_) {
    const Index up = parent[front.end - 1];
    front.parent = up == no_index ? no_index : front_of[up];
    if (front.parent != no_index) ++child_begin_[front.parent + 1];
  }
  for (std::size_t f = 0; f < fronts_.size(); ++f) child_begin_[f + 1] += child_begin_[f];
  children_.resize(static_cast<std::size_t>(child_begin_.back()));
  std::vector<Index> next(child_begin_.begin(), child_begin_.end() - 1);
  for (std::size_t f = 0; f < fronts_.size(); ++f)
    if (fronts_[f].parent != no_index) children_[next[fronts_[f].parent]++] = static_cast<Index>(f);
}

// Each block of W to the front where the first of its two nodes is a pivot.
void BlockLu::sort_entries(const LocalProblem& problem) {
  std::vector<Index> front_of(node_.size());
  for (std::size_t f = 0; f < fronts_.size(); ++f)
    for (Index p = fronts_[f].begin; p < fronts_[f].end; ++p) front_of[p] = static_cast<Index>(f);
  const auto visit = [&](auto&& take) {
    for (Index i = 0; i < problem.block_count(); ++i) {
      if (position_[i] == no_index) continue;
      for (Index k = problem.block_begin[i]; k < problem.block_begin[i + 1]; ++k) {
        const Index j = problem.column[k];
        if (position_[j] != no_index) take(fronts_[front_of[std::min(position_[i], position_[j])]], Entry{k, i, j});
      }
    }
  };
  for (Front& front : fronts_) front.entry_end = 0;
  visit([](Front& front, const Entry&) { ++front.entry_end; });
  Index begin = 0;
  for (Front& front : fronts_) {
    front.entry_begin = begin;
    begin += front.entry_end;
    front.entry_end = front.entry_begin;
  }
  entries_.resize(static_cast<std::size_t>(begin));
  visit([&](Front& front, const Entry& entry) { entries_[front.entry_end++] = entry; });
}

bool BlockLu::factor(std::span<const std::uint8_t> size, std::span<const Real> entry) {
  size_.assign(size.begin(), size.end());
  offset_.resize(node_.size());
  update_.resize(fronts_.size());
  factors_.clear();
  swaps_.clear();
  flops_ = 0.0;
  for (std::size_t f = 0; f < fronts_.size(); ++f) {
    Front& front = fronts_[f];
    place_front(front);
    front_matrix_.assign(static_cast<std::size_t>(front.size) * static_cast<std::size_t>(front.size), 0.0);
    assemble(front, entry);
    for (Index c = child_begin_[f]; c < child_begin_[f + 1]; ++c)
      take_update(fronts_[children_[c]], children_[c], front);
    if (!eliminate(front)) return false;
    store(front, static_cast<Index>(f));
  }
  return true;
}

// Scalar offsets of the blocks of a front, pivots first.
void BlockLu::place_front(Front& front) {
  Index next = 0;
  for (Index p = front.begin; p < front.end; ++p) {
    offset_[p] = next;
    next += size_[node_[p]];
  }
  front.pivots = next;
  for (Index k = front.row_begin; k < front.row_end; ++k) {
    offset_[rows_[k]] = next;
    next += size_[node_[rows_[k]]];
  }
  front.size = next;
}

void BlockLu::assemble(const Front& front, std::span<const Real> entry) {
  const auto slots = static_cast<std::size_t>(dimension_ * dimension_);
  for (Index e = front.entry_begin; e < front.entry_end; ++e) {
    const auto& [place, row, column] = entries_[e];
    const Real* value = entry.data() + static_cast<std::size_t>(place) * slots;
    Real* const target = front_matrix_.data() + offset_[position_[row]] * front.size + offset_[position_[column]];
    for (int a = 0; a < size_[row]; ++a)
      for (int b = 0; b < size_[column]; ++b) target[a * front.size + b] = *value++;
  }
}

// Adds what a child leaves to its parent's front and gives its memory back.
void BlockLu::take_update(const Front& child, Index number, const Front& front) {
  Index rest = 0;
  place_.resize(static_cast<std::size_t>(child.size - child.pivots));
  for (Index k = child.row_begin; k < child.row_end; ++k)
    for (int a = 0; a < size_[node_[rows_[k]]]; ++a) place_[rest++] = offset_[rows_[k]] + a;
  const Real* value = update_[number].data();
  for (Index i = 0; i < rest; ++i) {
    Real* const row = front_matrix_.data() + place_[i] * front.size;
    for (Index j = 0; j < rest; ++j) row[place_[j]] += *value++;
  }
  spare_.push_back(std::move(update_[number]));
}

bool BlockLu::eliminate(Front& front) {
  constexpr Index panel = 32;         // columns; a multiple of the vector length, its rows stay in the first cache
  constexpr Real lost_pivot = 1e-15;  // of the largest number in the pivot columns: below it, rounding
  const Index k = front.pivots, n = front.size;
  front.swap_begin = swaps_.size();
  swaps_.resize(swaps_.size() + static_cast<std::size_t>(k));
  Index* const swaps = swaps_.data() + front.swap_begin;
  Real* const matrix = front_matrix_.data();
  Real largest = 0.0;
  for (Index i = 0; i < k; ++i)
    for (Index j = 0; j < k; ++j) largest = std::max(largest, std::abs(matrix[i * n + j]));
  const Real smallest = largest > 0.0 ? lost_pivot * largest : 1.0;
  for (Index begin = 0; begin < k; begin += panel) {
    const Index end = std::min(begin + panel, k);
    const bool whole = end == k && k <= panel && n <= 2 * panel;
    if (!eliminate_panel(matrix, n, begin, end, k, n, whole ? n : end, smallest, swaps)) return false;
    if (whole || end == n) continue;
    const FrontView l11(matrix + begin * n + begin, end - begin, end - begin, Eigen::OuterStride<>(n));
    FrontView u12(matrix + begin * n + end, end - begin, n - end, Eigen::OuterStride<>(n));
    l11.triangularView<Eigen::UnitLower>().solveInPlace(u12);
    const FrontView l21(matrix + end * n + begin, n - end, end - begin, Eigen::OuterStride<>(n));
    FrontView rest(matrix + end * n + end, n - end, n - end, Eigen::OuterStride<>(n));
    rest.noalias() -= l21 * u12;
  }
  const Real pivots = k, below = n - k;
  flops_ += 2.0 * (pivots * pivots * pivots / 3.0 + pivots * pivots * below + pivots * below * below);
  return true;
}

// Keeps the pivot rows and L below them, and leaves the rest to the parent.
void BlockLu::store(Front& front, Index number) {
  const Index k = front.pivots, n = front.size, rest = n - k;
  const Real* const matrix = front_matrix_.data();
  front.factor_begin = factors_.size();
  factors_.insert(factors_.end(), matrix, matrix + static_cast<std::size_t>(k) * static_cast<std::size_t>(n));
  for (Index i = k; i < n; ++i) factors_.insert(factors_.end(), matrix + i * n, matrix + i * n + k);
  if (front.parent == no_index) return;
  if (!spare_.empty()) {
    update_[number] = std::move(spare_.back());
    spare_.pop_back();
  }
  update_[number].resize(static_cast<std::size_t>(rest) * static_cast<std::size_t>(rest));
  Real* target = update_[number].data();
  for (Index i = k; i < n; ++i) target = std::copy(matrix + i * n + k, matrix + (i + 1) * n, target);
}

// Scalar places in x of the unknowns of a front.
void BlockLu::unknowns(const Front& front, std::vector<Index>& place) const {
  place.clear();
  const auto add = [&](Index p) {
    for (int a = 0; a < size_[node_[p]]; ++a) place.push_back(node_[p] * dimension_ + a);
  };
  for (Index p = front.begin; p < front.end; ++p) add(p);
  for (Index k = front.row_begin; k < front.row_end; ++k) add(rows_[k]);
}

void BlockLu::solve(std::span<Real> x) const {
  std::vector<Index> place;
  std::vector<Real> y;
  for (const Front& front : fronts_) {  // L y = P b
    unknowns(front, place);
    const Index k = front.pivots, n = front.size;
    const Real* const u = factors_.data() + front.factor_begin;
    const Real* const below = u + static_cast<std::size_t>(k) * static_cast<std::size_t>(n);
    y.resize(static_cast<std::size_t>(k));
    for (Index i = 0; i < k; ++i) y[i] = x[place[i]];
    for (Index i = 0; i < k; ++i) std::swap(y[i], y[swaps_[front.swap_begin + static_cast<std::size_t>(i)]]);
    for (Index i = 0; i < k; ++i)
      for (Index j = 0; j < i; ++j) y[i] -= u[i * n + j] * y[j];
    for (Index i = 0; i < k; ++i) x[place[i]] = y[i];
    for (Index i = k; i < n; ++i) {
      Real sum = 0.0;
      for (Index j = 0; j < k; ++j) sum += below[(i - k) * k + j] * y[j];
      x[place[i]] -= sum;
    }
  }
  for (std::size_t f = fronts_.size(); f-- > 0;) {  // U x = y
    const Front& front = fronts_[f];
    unknowns(front, place);
    const Index k = front.pivots, n = front.size;
    const Real* const u = factors_.data() + front.factor_begin;
    y.resize(static_cast<std::size_t>(n));
    for (Index i = 0; i < n; ++i) y[i] = x[place[i]];
    for (Index i = k - 1; i >= 0; --i) {
      for (Index j = i + 1; j < n; ++j) y[i] -= u[i * n + j] * y[j];
      y[i] /= u[i * n + i];
      x[place[i]] = y[i];
    }
  }
}

}  // namespace grus
