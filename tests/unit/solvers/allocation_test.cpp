// A second solve of the same size takes nothing from the heap: counted by replacing operator new of this program.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "solvers/nlgs.hpp"
#include "unit/solvers/problems.hpp"

namespace {

std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment) {
  ++allocations;
  // aligned_alloc wants a multiple of the alignment
  void* p = std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (!p) throw std::bad_alloc();
  return p;
}

}  // namespace

void* operator new(std::size_t size) { return counted(size, alignof(std::max_align_t)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }

namespace grus {
namespace {

TEST(NlgsAllocation, SecondSolveAllocatesNothing) {
  const std::vector<ContactProblem> problems{
      testing::bed_problem({.side = 8, .layers = 8}),
      testing::bed_problem({.side = 8, .layers = 8, .rough = true}),
      testing::random_problem({.dimension = 2, .blocks = 500, .contacts = 1000}),
  };
  const Parallel parallel(1);
  NlgsScratch scratch;
  for (const ContactProblem& problem : problems) {
    ContactSolution solution;
    solve_nlgs(problem, solution, scratch, {.max_iterations = 50}, parallel);
    const ContactSolution reference = solution;
    std::fill(solution.impulse.begin(), solution.impulse.end(), Vec3::Zero());
    const long before = allocations;
    solve_nlgs(problem, solution, scratch, {.max_iterations = 50}, parallel);
    EXPECT_EQ(allocations - before, 0);
    EXPECT_EQ(solution.velocity, reference.velocity);
  }
  EXPECT_GT(allocations, 0) << "the counter works";
}

}  // namespace
}  // namespace grus
