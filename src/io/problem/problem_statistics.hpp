// What a problem is like, for people.
#pragma once

#include "grus/problem.hpp"
#include "io/problem/problem_file.hpp"

namespace grus {

ProblemStatistics describe_problem(const ProblemFile& file, const std::string& path);

}  // namespace grus
