#include "progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "terminal_text.hpp"

namespace grus {

namespace {
using namespace std::chrono_literals;
constexpr auto terminal_interval = 200ms;
constexpr auto plain_interval = 10s;
}  // namespace

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      next_(terminal_ ? start_ : start_ + plain_interval) {}

std::string duration_in_words(double seconds) {
  const auto whole = std::llround(seconds);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

void ProgressLine::show(const Progress& p) {
  const auto now = Clock::now();
  if (now < next_ && p.step < p.steps) return;
  // The last step of a run that ended before the first plain line says nothing the summary does not.
  if (!terminal_ && p.step == p.steps && now < start_ + plain_interval) return;
  next_ = now + (terminal_ ? Clock::duration(terminal_interval) : Clock::duration(plain_interval));
  const double rate = p.wall_seconds > 0 ? static_cast<double>(p.steps_this_call) / p.wall_seconds : 0.0;
  const double left = rate > 0 ? static_cast<double>(p.steps - p.step) / rate : 0.0;
  const std::string machine = p.machine_error > 0.0 ? fmt::format("  machine {:.1e} m/s", p.machine_error) : "";
  const std::string line =
      fmt::format("{}step {}/{}  t {:.4g}/{:.4g} s  {} contacts  {} sweeps  residual {:.1e}{}  {:.3g} steps/s  {} left",
                  p.run.empty() ? "" : p.run + ": ", p.step, p.steps, p.time, p.end, p.contacts, p.sweeps, p.residual,
                  machine, rate, duration_in_words(left));
  if (terminal_) {
    fmt::print(stderr, "\r\033[K{}", printable(line));
    open_ = true;
  } else {
    print_line(stderr, line);
  }
  std::fflush(stderr);
}

void ProgressLine::message(const std::string& line) {
  end();
  print_line(stderr, line);
}

void ProgressLine::end() {
  if (open_) fmt::print(stderr, "\n");
  open_ = false;
}

}  // namespace grus
