// Siconos' text files (.dat): words between blanks, in this order:
//
//   dimension, contacts n, storage s, rows, columns (both dimension n)
//   s = 0  dense:          rows, columns, then all entries column by column
//   s = 1  sparse blocks:  blocks, block rows, block columns; where each block row ends, where each block column ends;
//                          lengths of two lists; the lists: first block of each block row, block column of each block;
//                          then each block: its number, its entries column by column
//   s = 2  sparse:         1 triplets, 2 by column, 3 by row, then the matrix as CSparse prints it
//   q [rows], friction [contacts], and in old files one number more, which means nothing here
#pragma once

#include <string>
#include <string_view>

#include "io/problem/problem_file.hpp"

namespace grus {

ProblemFile parse_siconos_text(std::string_view text, const std::string& path);

// Numbers are the shortest text that reads back to the same double. Of a problem without scalar rows.
std::string siconos_text(const LocalProblem& problem, ProblemFormat format);

}  // namespace grus
