// Frictional contact problems in files of their own: solve one, convert one to another format.
// Formats: FCLIB (HDF5; local and global form) and Siconos' text (.dat). docs/howto/solve-a-problem-file.md
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace grus {

struct ProblemStatistics {
  std::string file;
  std::string form;   // what the file is, e.g. "FCLIB, global form"
  std::string title;  // may be empty
  int dimension = 3;  // 2 planar, 3 spatial
  std::int64_t contacts = 0;
  std::int64_t rows = 0;    // scalar rows: bilateral constraints, limits
  std::int64_t blocks = 0;  // of W that are stored
  std::int64_t most_blocks_in_row = 0;
  double friction_min = 0.0, friction_max = 0.0;
  double symmetry_defect = 0.0;  // largest |W - W^T| over the largest |W|
  bool has_guess = false, has_solution = false;
  std::vector<std::string> notes;  // what was left out of the file, one sentence each
};

struct SolveOptions {
  std::string problem;          // file
  std::string solver = "auto";  // a name of grus/solvers.hpp
  double tolerance = 1e-4;      // of the Siconos error
  std::int64_t max_iterations = 100000;
  double time_limit = 0.0;        // s; 0: none
  std::string order = "forward";  // of sweeps over contacts: forward, symmetric, permuted, coloured
  int facets = 16;                // of the friction cone, for the methods on a cone of facets
  bool from_guess = false;        // start from the guess in the file, not from zero
  std::string out;                // FCLIB file for the problem with its solution; empty: none
  std::function<bool()> stop;     // asked between iterations; true ends the solve
};

struct SolveOutcome {
  ProblemStatistics statistics;
  std::string solver;  // the method that gave the result
  bool converged = false;
  std::int64_t iterations = 0;
  double error = 0.0;    // Siconos' natural map, recomputed from the impulses
  double seconds = 0.0;  // wall time of the solve with its set-up, without reading the file
  int threads = 1;
  // What is wrong with the result, worst over contacts and rows; SI when the file is.
  double complementarity = 0.0;  // J
  double cone = 0.0;             // N s, distance from the friction cone
  double velocity = 0.0;         // m/s, approach that is left
};

// Throw InputError (grus/error.hpp) for a faulty file or an unknown name, IoError for the disk.
SolveOutcome solve_problem(const SolveOptions& options);

// The format is that of the ending of `to`: .hdf5 or .h5 FCLIB in local form, .dat Siconos' text with its matrix stored
// as `storage` says: "dense", "blocks" or "sparse" (empty: blocks). Guess and solution go along into FCLIB.
ProblemStatistics convert_problem(const std::string& from, const std::string& to, const std::string& storage);

}  // namespace grus
