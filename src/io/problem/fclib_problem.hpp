// FCLIB files (HDF5), by Acary, Bremond and Koziara's library of frictional contact problems.
//
//   /fclib_local    u = W r + V l + q,   0 = V^T r + R l + s                          spacedim, W, V, R, vectors q mu s
//   /fclib_global   M v = H r + G l + f,  u = H^T v + w,  0 = G^T v + b               spacedim, M, H, G, vectors f w b
//   mu /solution, /guesses/1                                                             v, u, r, l
// The multipliers l of bilateral constraints (V, R, G; often absent) become scalar rows with r in (-inf, inf).
//
// A matrix has m, n, nz and lists p, i, x: nz = -1 by column (p: first entry of each column, i: rows), nz = -2 by row,
// nz >= 0 triplets, i rows and p columns, as Siconos writes them (FCLIB's header says the reverse: taken when only that
// fits the sizes).
//
// Rows with bounds of their own, which FCLIB does not know, are written like bilateral ones with their bounds beside
// them in /fclib_local/grus: lower, upper. Other programs read them as bilateral, and the description says so.
#pragma once

#include <string>

#include "io/problem/fclib_arrays.hpp"
#include "io/problem/global_form.hpp"
#include "io/problem/problem_file.hpp"

namespace grus {

// True when the bytes begin as HDF5 does, behind a user block too.
bool looks_like_hdf5(std::string_view bytes);

ProblemFile parse_fclib(const std::string& bytes, const std::string& path);
// From the arrays of a file; `path` is for messages. Throws InputError.
ProblemFile fclib_problem(FclibArrays arrays, const std::string& path);

// Matrices by column. In local form, or in global form when one is given; it must be that of content.problem. Throws
// IoError when the library fails.
std::string fclib_bytes(const ProblemFile& content, const GlobalForm* form, const std::string& path);

}  // namespace grus
