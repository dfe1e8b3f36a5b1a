// A made-up run directory with every file and every shape, for tests of what reads them. No physics: grains fall on
// a heap along given curves.
#pragma once

#include <string>

#include "core/types.hpp"

namespace grus::test {

struct ExampleRun {
  bool planar = false;
  bool stones = false;  // polyhedra of a few shapes instead of a mix of everything
  Index grains = 300;
  int frames = 12;
  int rows = 400;
  std::string title = "Stones pour into a box";
  bool failed_check = false;
};

// Writes summary.json, series.csv and frames/ into an existing directory.
void write_example_run(const std::string& directory, const ExampleRun& run);

}  // namespace grus::test
