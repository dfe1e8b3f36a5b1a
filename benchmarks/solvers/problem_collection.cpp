// Writes contact problems of growing size for solver_bench, as FCLIB files in local form.
//
//   problem_collection FOLDER [FIRST LARGEST SEED]    sizes FIRST, 10 FIRST, ... LARGEST contacts; 10 100000 1
//
//   spheres-N, stones-N   settled beds under one step of gravity; stones have arms off the normals, general inertias,
//                         up to 1000 contacts: their arms are made up, and what a lattice of them carries wedges the
//                         more the deeper it is. Larger piles of stones come from scenes
//   wall-N                bricks in running bond, four points to each brick below: more contacts than they need
//   arm-N, joints-N       random bodies around mechanisms, whose dense blocks couple all their contacts; with limits,
//                         dry friction and joints as scalar rows
//
// What scenes give is saved beside these by bench.sh.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>

#include "io/problem/problem_file.hpp"
#include "solvers/assemble.hpp"
#include "unit/solvers/dense_problems.hpp"

namespace {

using namespace grus;

constexpr Real time_step = 1e-3, gravity = 9.81;  // s, m/s2

void write(const std::filesystem::path& folder, const std::string& kind, const ContactProblem& problem) {
  ProblemFile file;
  AssembleScratch scratch;
  assemble_local(problem, file.problem, scratch, Parallel(1));
  file.title = kind;
  const std::string name = kind + "-" + std::to_string(file.problem.contact_count) + ".hdf5";
  write_problem_file((folder / name).string(), file, ProblemFormat::fclib);
  std::printf("%s\n", (folder / name).c_str());
}

// A bed with about this many contacts: three to a grain.
ContactProblem bed(Index contacts, bool rough, std::uint64_t seed) {
  const auto side = std::max<Index>(2, static_cast<Index>(std::lround(std::cbrt(static_cast<Real>(contacts) / 3.0))));
  return testing::bed_problem({.side = side, .layers = side, .friction = 0.5, .rough = rough, .seed = seed});
}

// Courses of bricks 0.2 x 0.1 x 0.1 m on the ground, each upper one on halves of two.
ContactProblem wall(Index contacts) {
  constexpr Real length = 0.2, height = 0.1, depth = 0.1, mass = 4.0, friction = 0.6;
  const auto courses =
      std::max<Index>(2, static_cast<Index>(std::lround(std::sqrt(static_cast<Real>(contacts) / 16.0))));
  const Index bricks = 2 * courses;  // of a course
  SymMat3 inertia;
  inertia.xx = 12.0 / (mass * (height * height + depth * depth));
  inertia.yy = 12.0 / (mass * (length * length + height * height));
  inertia.zz = 12.0 / (mass * (length * length + depth * depth));
  ContactProblem problem;
  for (Index k = 0; k < bricks * courses; ++k)
    testing::add_block(problem, 1.0 / mass, inertia, Vec3(0.0, 0.0, -gravity * time_step), Vec3::Zero());
  const Vec3 up(0.0, 0.0, 1.0);
  // the four corners of the overlap [begin, end] along the brick `upper`, whose centre is at x
  const auto touch = [&](Index lower, Real lower_x, Index upper, Real x, Real begin, Real end) {
    for (const Real along : {begin, end})
      for (const Real across : {-0.5 * depth, 0.5 * depth})
        testing::add_contact(problem, lower, upper, up, Vec3(along - lower_x, across, 0.5 * height),
                             Vec3(along - x, across, -0.5 * height), friction);
  };
  for (Index course = 0; course < courses; ++course) {
    const auto centre = [&](Index brick, Index of) { return length * (brick + 0.5 * (of % 2)); };
    for (Index brick = 0; brick < bricks; ++brick) {
      const Index upper = course * bricks + brick;
      const Real x = centre(brick, course);
      if (course == 0) {
        touch(no_index, 0.0, upper, x, x - 0.5 * length, x + 0.5 * length);
        continue;
      }
      for (Index other = std::max<Index>(0, brick - 1); other < std::min(bricks, brick + 2); ++other) {
        const Real below = centre(other, course - 1);
        const Real begin = std::max(x, below) - 0.5 * length, end = std::min(x, below) + 0.5 * length;
        if (end - begin > 0.01 * length) touch((course - 1) * bricks + other, below, upper, x, begin, end);
      }
    }
  }
  return problem;
}

ContactProblem arm(Index contacts, Index rows, std::uint64_t seed) {
  return testing::random_dense_problem(
      {.contacts = {.blocks = contacts, .contacts = contacts, .friction_max = 0.5, .seed = seed},
       .dense = 2,
       .rows = rows});
}

}  // namespace

int main(int count, char** argument) {
  if (count < 2) {
    std::fprintf(stderr, "Usage: problem_collection FOLDER [FIRST LARGEST SEED]\n");
    return 2;
  }
  const std::filesystem::path folder = argument[1];
  const auto number = [&](int place, Index otherwise) {
    return count > place ? std::max(1, std::atoi(argument[place])) : otherwise;
  };
  const Index first = number(2, 10), largest = number(3, 100'000);
  const auto seed = static_cast<std::uint64_t>(number(4, 1));
  constexpr Index largest_arm = 1000, largest_rough = 1000;  // the W of an arm is dense
  try {
    std::filesystem::create_directories(folder);
    for (Index contacts = first; contacts <= largest; contacts *= 10) {
      write(folder, "spheres", bed(contacts, false, seed));
      if (contacts <= largest_rough) write(folder, "stones", bed(contacts, true, seed));
      write(folder, "wall", wall(contacts));
      if (contacts > largest_arm) continue;
      write(folder, "arm", arm(contacts, 0, seed));
      write(folder, "joints", arm(contacts, 4, seed));
    }
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 1;
  }
  return 0;
}
