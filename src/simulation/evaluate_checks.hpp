// The checks a scene asks for, evaluated on series.csv and the statistics of the finished run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "io/series.hpp"
#include "io/summary.hpp"
#include "model/spec.hpp"

namespace grus {

// `totals` are the values of model/series_columns.hpp summary_keys by name.
std::vector<SummaryCheck> evaluate_checks(const Spec& spec, const Series& series,
                                          const std::map<std::string, Real>& totals);

}  // namespace grus
