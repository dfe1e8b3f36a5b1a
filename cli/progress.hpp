// The progress of a run for people: one line that is rewritten on a terminal, a plain line now and then elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "grus/run.hpp"

namespace grus {

class ProgressLine {
 public:
  ProgressLine();
  void show(const Progress& progress);
  // Prints a line of its own, above the progress line.
  void message(const std::string& line);
  // Ends the progress line.
  void end();

 private:
  using Clock = std::chrono::steady_clock;
  bool terminal_;
  bool open_ = false;
  Clock::time_point start_;
  Clock::time_point next_;
};

// "12 s", "3 min 20 s", "5 h 02 min"
std::string duration_in_words(double seconds);

}  // namespace grus
