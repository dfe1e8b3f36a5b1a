// Every solver of ours and of Siconos on contact problem files, to the errors 1e-4 and 1e-8 of problem files.
//
//   solver_bench [--limit S] FILE... > results.csv
//
// Each case runs in a process of its own, one thread, from zero: a crash or an endless loop costs one case. Time is the
// processor's, with all set-up, without reading and converting files; the median of repetitions that together take at
// least 0.2 s. Whether a case is solved is judged by our measure of the impulses, whoever made them. Siconos divides
// its own error by ||q|| alone, ours is divided by max(||q||, ||r||, ||u||): it is asked for the tolerance times the
// ratio of the two at our solution, then for ten times less as long as its result misses it, down to a hundredth.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <string>

#include "io/problem/problem_file.hpp"
#include "siconos_solvers.hpp"
#include "solvers/local_residual.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/registry.hpp"

namespace {

using namespace grus;

constexpr double least_time = 0.2;  // s, of all repetitions
constexpr int most_repetitions = 1000;
constexpr Index most_iterations = 1'000'000;

struct Result {
  int iterations = 0;
  double error = 0.0;
  double seconds = 0.0;
};

// Of the one thread; the clock of the process ticks coarsely under a limit of its time.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// The median time of `once`, which returns its iterations, and what its last repetition gave.
template <class Once>
Result repeat(Once&& once, double limit) {
  Result result;
  std::vector<double> times;
  double total = 0.0;
  while (total < least_time && static_cast<int>(times.size()) < most_repetitions) {
    const double begin = cpu_seconds();
    result.iterations = once();
    times.push_back(cpu_seconds() - begin);
    total += times.back();
    if (times.back() > 0.2 * limit) break;
  }
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  result.seconds = times[times.size() / 2];
  return result;
}

Result run_ours(const LocalProblem& problem, SolverKind kind, double tolerance, double limit) {
  std::vector<Real> impulse;
  LocalSolveReport report;
  Result result = repeat(
      [&] {
        impulse.clear();
        const double end = cpu_seconds() + limit;
        report = solve_local(
            problem, kind, impulse,
            {.tolerance = tolerance, .measure = ErrorMeasure::siconos, .max_iterations = most_iterations, .stop = [&] {
               return cpu_seconds() > end;
             }});
        return report.iterations;
      },
      limit);
  result.error = LocalMeter(problem, ErrorMeasure::siconos).error(impulse);
  return result;
}

double norm(const std::vector<Real>& x) {
  double sum = 0.0;
  for (const Real entry : x) sum += entry * entry;
  return std::sqrt(sum);
}

// max(||q||, ||r||, ||u||)/||q|| at our solution.
double scale_ratio(const LocalProblem& problem) {
  std::vector<Real> impulse, velocity;
  solve_local(problem, SolverKind::automatic, impulse,
              {.tolerance = 1e-4, .measure = ErrorMeasure::siconos, .max_iterations = 1000});
  local_velocity(problem, impulse, velocity);
  const double q = norm(problem.q);
  return q > 0.0 ? std::max({q, norm(impulse), norm(velocity)}) / q : 1.0;
}

Result run_siconos(const LocalProblem& problem, const bench::SiconosSolver& solver, double tolerance, double limit) {
  bench::SiconosProblem theirs(problem);
  std::vector<Real> impulse(problem.q.size());
  LocalMeter meter(problem, ErrorMeasure::siconos);
  double asked = tolerance * scale_ratio(problem);
  for (; asked > 0.01 * tolerance; asked *= 0.1) {
    theirs.solve(solver, asked, most_iterations, impulse);
    if (meter.error(impulse) <= tolerance) break;
  }
  Result result = repeat([&] { return theirs.solve(solver, asked, most_iterations, impulse); }, limit);
  result.error = meter.error(impulse);
  return result;
}

// Runs `work` in a child; false when it crashed or took three times the limit of the processor's time.
template <class Work>
bool in_child(Work&& work, double limit, Result& result) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return false;
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit cpu{static_cast<rlim_t>(3.0 * limit) + 1, static_cast<rlim_t>(3.0 * limit) + 2};
    setrlimit(RLIMIT_CPU, &cpu);
    // Siconos talks; the results have the standard output for themselves.
    if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)) _exit(1);
    const Result own = work();
    _exit(write(pipe_ends[1], &own, sizeof own) == static_cast<ssize_t>(sizeof own) ? 0 : 1);
  }
  close(pipe_ends[1]);
  const bool whole = read(pipe_ends[0], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

template <class Work>
void measure(const std::string& name, const LocalProblem& problem, std::string_view solver, double tolerance,
             double limit, Work&& work) {
  Result result;
  const bool ended = in_child(work, limit, result);
  const char* const status = !ended ? "died" : (result.error <= tolerance ? "solved" : "failed");
  std::printf("%s,%d,%d,%d,%g,%.*s,%s,%d,%.3e,%.4e\n", name.c_str(), problem.contact_count, problem.row_count,
              problem.dimension, tolerance, static_cast<int>(solver.size()), solver.data(), status, result.iterations,
              result.error, result.seconds);
  std::fflush(stdout);
}

void bench_file(const std::string& path, double limit) {
  const ProblemFile file = read_problem_file(path);
  const LocalProblem& problem = file.problem;
  const std::string name = std::filesystem::path(path).stem().string();
  for (const double tolerance : {1e-4, 1e-8}) {
    for (const SolverEntry& entry : solver_registry())
      measure(name, problem, entry.name, tolerance, limit,
              [&] { return run_ours(problem, entry.kind, tolerance, limit); });
    if (problem.row_count > 0) continue;
    for (const bench::SiconosSolver& solver : bench::siconos_solvers())
      if (solver.dimension == problem.dimension)
        measure(name, problem, solver.name, tolerance, limit,
                [&] { return run_siconos(problem, solver, tolerance, limit); });
  }
}

}  // namespace

int main(int count, char** argument) {
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  setenv("OMP_NUM_THREADS", "1", 1);
  double limit = 5.0;
  std::printf("problem,contacts,rows,dimension,tolerance,solver,status,iterations,error,seconds\n");
  for (int k = 1; k < count; ++k) {
    if (std::strcmp(argument[k], "--limit") == 0 && k + 1 < count) {
      limit = std::max(0.1, std::atof(argument[++k]));
      continue;
    }
    try {
      bench_file(argument[k], limit);
    } catch (const std::exception& fault) {
      std::fprintf(stderr, "%s\n", fault.what());
      return 2;
    }
  }
  return 0;
}
