// Every solver of ours and of Siconos on contact problem files, to the errors 1e-4 and 1e-8 of problem files.
//
//   solver_bench [--limit S] [--duels DUELS.csv] [--only auto] FILE... > results.csv
//
// Every solver, ours and theirs, `auto` too, has the same limit (2 s) for every problem and tolerance, and every row
// carries it: a case is solved when the error of the impulses is at most the tolerance and the solve took at most the
// limit.
//
// One thread, from zero. Time is the processor's, with all set-up, without reading and converting files; the median of
// repetitions that together take at least 0.05 s, in duels 0.2 s for each side. Each case runs in a child of one
// process: a crash or an endless loop costs one case. The error is our measure of the impulses, whoever made them.
// Siconos divides its own error by ||q|| alone, ours is divided by max(||q||, ||r||,
// ||u||): it is asked for the tolerance times the ratio of the two at our solution, then for ten times less as long as
// its result misses it, down to a hundredth; each time it has the whole limit again.
//
// A duel runs `auto` and the fastest of Siconos on one problem in turn, in one process: a noisy neighbour slows both.
// `--only auto` leaves the other solvers of ours out.
#include <sys/time.h>
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
#include <optional>
#include <string>

#include "io/problem/problem_file.hpp"
#include "siconos_solvers.hpp"
#include "solvers/local_residual.hpp"
#include "solvers/local_solve.hpp"
#include "solvers/registry.hpp"

namespace {

using namespace grus;

constexpr double least_time = 0.05, least_duel_time = 0.2;  // s, of all repetitions
constexpr std::size_t most_repetitions = 100'000;
constexpr Index most_iterations = 1'000'000;
// A child is ended this much after its limit: a solver that has just missed it may still say what error it reached.
constexpr double grace = 0.1;            // of the limit
constexpr double coarsest_timer = 0.02;  // s; timers of the process tick with the kernel
// A solve that ends within this part of its limit is repeated without asking the clock, which costs a system call.
constexpr double far_from_limit = 0.1;

struct Result {
  int iterations = 0;
  double error = 0.0;
  double seconds = 0.0;
  double asked = 0.0;  // tolerance that Siconos needed
};

// Of the one thread: the clock of the process ticks coarsely.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

template <class Work>
double seconds_of(Work&& work) {
  const double begin = cpu_seconds();
  work();
  return cpu_seconds() - begin;
}

double median(std::vector<double>& times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

// The median time of `once`, of which one took `first`.
template <class Once>
double repeat(double first, Once&& once) {
  std::vector<double> times{first};
  for (double total = first; total < least_time && times.size() < most_repetitions; total += times.back())
    times.push_back(seconds_of(once));
  return median(times);
}

// The signal ends a child that takes longer; Siconos, and some of ours, cannot be asked to stop.
void end_after(double seconds) {
  itimerval timer{};
  timer.it_value.tv_sec = static_cast<time_t>(seconds);
  timer.it_value.tv_usec = static_cast<suseconds_t>(1e6 * (seconds - std::floor(seconds)));
  setitimer(ITIMER_PROF, &timer, nullptr);
}

void end_after_limit(double limit) { end_after((1.0 + grace) * limit + coarsest_timer); }
// For the repetitions of a solve that met its limit.
void end_after_repetitions(double limit) { end_after(10.0 * least_time + (1.0 + grace) * limit); }

LocalSolveReport solve_ours(const LocalProblem& problem, SolverKind kind, double tolerance, std::vector<Real>& impulse,
                            std::function<bool()> stop = {}) {
  impulse.clear();
  return solve_local(problem, kind, impulse,
                     {.tolerance = tolerance,
                      .measure = ErrorMeasure::siconos,
                      .max_iterations = most_iterations,
                      .stop = std::move(stop)});
}

Result run_ours(const LocalProblem& problem, SolverKind kind, double tolerance, double limit) {
  std::vector<Real> impulse;
  Result result;
  end_after_limit(limit);
  const double end = cpu_seconds() + limit;
  result.seconds = seconds_of([&] {
    result.iterations = solve_ours(problem, kind, tolerance, impulse, [&] { return cpu_seconds() > end; }).iterations;
  });
  result.error = LocalMeter(problem, ErrorMeasure::siconos).error(impulse);
  if (result.error <= tolerance && result.seconds < far_from_limit * limit) {
    end_after_repetitions(limit);
    const auto once = [&] { solve_ours(problem, kind, tolerance, impulse); };
    result.seconds = repeat(seconds_of(once), once);
  }
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

Result run_siconos(const LocalProblem& problem, bench::SiconosProblem& theirs, const bench::SiconosSolver& solver,
                   double tolerance, double ratio, double limit) {
  std::vector<Real> impulse(problem.q.size());
  LocalMeter meter(problem, ErrorMeasure::siconos);
  Result result;
  for (result.asked = tolerance * ratio; result.asked > 0.01 * tolerance; result.asked *= 0.1) {
    end_after_limit(limit);
    result.seconds =
        seconds_of([&] { result.iterations = theirs.solve(solver, result.asked, most_iterations, impulse); });
    result.error = meter.error(impulse);
    if (result.error <= tolerance) break;
  }
  if (!(result.error <= tolerance) || result.seconds > limit) return result;
  end_after_repetitions(limit);
  const auto once = [&] { theirs.solve(solver, result.asked, most_iterations, impulse); };
  result.seconds = repeat(result.seconds < least_time ? seconds_of(once) : result.seconds, once);
  return result;
}

struct Duel {
  double ours = 0.0, theirs = 0.0;  // s
};

Duel run_duel(const LocalProblem& problem, bench::SiconosProblem& theirs, const bench::SiconosSolver& solver,
              double tolerance, double asked) {
  std::vector<Real> impulse, their_impulse(problem.q.size());
  const auto our_turn = [&] { solve_ours(problem, SolverKind::automatic, tolerance, impulse); };
  const auto their_turn = [&] { theirs.solve(solver, asked, most_iterations, their_impulse); };
  our_turn();
  their_turn();
  std::vector<double> ours, theirs_times;
  double our_total = 0.0, their_total = 0.0;
  // Turns of about equal length, so that both get their 0.2 s and more than one turn.
  while (our_total < least_duel_time || their_total < least_duel_time) {
    if (our_total <= their_total) {
      ours.push_back(seconds_of(our_turn));
      our_total += ours.back();
    } else {
      theirs_times.push_back(seconds_of(their_turn));
      their_total += theirs_times.back();
    }
  }
  return {median(ours), median(theirs_times)};
}

// Runs `work` in a child; empty when it crashed or was ended.
template <class Work>
auto in_child(Work&& work) -> std::optional<decltype(work())> {
  using Answer = decltype(work());
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return {};
  std::fflush(stdout);
  const pid_t child = fork();
  if (child < 0) return {};
  if (child == 0) {
    // Siconos talks; the results have the standard output for themselves.
    if (!std::freopen("/dev/null", "w", stdout) || !std::freopen("/dev/null", "w", stderr)) _exit(1);
    const Answer own = work();
    _exit(write(pipe_ends[1], &own, sizeof own) == static_cast<ssize_t>(sizeof own) ? 0 : 1);
  }
  close(pipe_ends[1]);
  Answer answer;
  const bool whole = read(pipe_ends[0], &answer, sizeof answer) == static_cast<ssize_t>(sizeof answer);
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!whole || !WIFEXITED(status) || WEXITSTATUS(status) != 0) return {};
  return answer;
}

struct Settings {
  double limit = 2.0;  // s of the processor, of every solver
  bool only_auto = false;
  std::FILE* duels = nullptr;
};

class FileBench {
 public:
  FileBench(const std::string& path, const Settings& settings)
      : settings_(settings),
        name_(std::filesystem::path(path).stem().string()),
        file_(read_problem_file(path)),
        problem_(file_.problem) {
    if (problem_.row_count > 0) return;  // Siconos has no such rows
    theirs_.emplace(problem_);
    ratio_ = scale_ratio(problem_);
  }

  void run(double tolerance) {
    std::optional<Result> by_auto;
    for (const SolverEntry& entry : solver_registry()) {
      if (entry.kind != SolverKind::automatic && settings_.only_auto) continue;
      const std::optional<Result> result =
          in_child([&] { return run_ours(problem_, entry.kind, tolerance, settings_.limit); });
      print(tolerance, entry.name, result);
      if (entry.kind == SolverKind::automatic) by_auto = result;
    }
    if (!theirs_) return;
    const bench::SiconosSolver* fastest = nullptr;
    Result best;
    for (const bench::SiconosSolver& solver : bench::siconos_solvers()) {
      if (!theirs_->suits(solver)) continue;
      const std::optional<Result> result =
          in_child([&] { return run_siconos(problem_, *theirs_, solver, tolerance, ratio_, settings_.limit); });
      print(tolerance, solver.name, result);
      if (!is_solved(result, tolerance) || (fastest && result->seconds >= best.seconds)) continue;
      fastest = &solver;
      best = *result;
    }
    if (fastest && is_solved(by_auto, tolerance) && settings_.duels) duel(tolerance, *fastest, best.asked);
  }

 private:
  // One rule for everybody.
  bool is_solved(const std::optional<Result>& answer, double tolerance) const {
    return answer && answer->error <= tolerance && answer->seconds <= settings_.limit;
  }

  void print(double tolerance, std::string_view solver, const std::optional<Result>& answer) const {
    const Result result = answer.value_or(Result{});
    const char* const status = !answer ? "ended" : (is_solved(answer, tolerance) ? "solved" : "failed");
    std::printf("%s,%d,%d,%d,%g,%g,%.*s,%s,%d,%.3e,%.4e\n", name_.c_str(), problem_.contact_count, problem_.row_count,
                problem_.dimension, tolerance, settings_.limit, static_cast<int>(solver.size()), solver.data(), status,
                result.iterations, result.error, result.seconds);
    std::fflush(stdout);
  }

  void duel(double tolerance, const bench::SiconosSolver& solver, double asked) {
    const std::optional<Duel> result = in_child([&] { return run_duel(problem_, *theirs_, solver, tolerance, asked); });
    if (!result) return;
    std::fprintf(settings_.duels, "%s,%d,%g,%.*s,%.4e,%.4e,%.3f\n", name_.c_str(), problem_.contact_count, tolerance,
                 static_cast<int>(solver.name.size()), solver.name.data(), result->ours, result->theirs,
                 result->theirs / result->ours);
    std::fflush(settings_.duels);
  }

  const Settings& settings_;
  std::string name_;
  ProblemFile file_;
  const LocalProblem& problem_;
  std::optional<bench::SiconosProblem> theirs_;
  double ratio_ = 1.0;
};

}  // namespace

int main(int count, char** argument) {
  // OpenBLAS, below Siconos, reads this when it is loaded.
  if (!std::getenv("OPENBLAS_NUM_THREADS")) {
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argument);
  }
  Settings settings;
  std::printf("problem,contacts,rows,dimension,tolerance,limit,solver,status,iterations,error,seconds\n");
  for (int k = 1; k < count; ++k) {
    const auto option = [&](const char* name) { return std::strcmp(argument[k], name) == 0 && k + 1 < count; };
    if (option("--limit")) {
      settings.limit = std::max(0.1, std::atof(argument[++k]));
    } else if (option("--only")) {
      settings.only_auto = std::strcmp(argument[++k], "auto") == 0;
    } else if (option("--duels")) {
      settings.duels = std::fopen(argument[++k], "w");
      if (!settings.duels) return 2;
      std::fprintf(settings.duels, "problem,contacts,tolerance,siconos,auto_seconds,siconos_seconds,ratio\n");
    } else {
      try {
        FileBench bench(argument[k], settings);
        for (const double tolerance : {1e-4, 1e-8}) bench.run(tolerance);
      } catch (const std::exception& fault) {
        std::fprintf(stderr, "%s\n", fault.what());
        return 2;
      }
    }
  }
  return 0;
}
