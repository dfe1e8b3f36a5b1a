// The data of a report page as JSON text, cut to what a page can carry. Internal to io/report.cpp.
#pragma once

#include <string>

#include "io/report.hpp"
#include "io/series.hpp"

namespace grus {

// A series of at most about `rows` rows. Beyond, rows are joined to equal stretches, and of each stretch two rows
// remain that carry every column's smallest and largest value in the order they came: peaks survive. The first
// column (time) keeps the times of the stretch's ends. The last row always stays.
Series thin_series(const Series& series, std::size_t rows);

// Everything a page shows, as one JSON object; `page_size` are the bytes around it.
std::string report_data_text(const std::string& directory, const ReportLimits& limits, std::size_t page_size);

}  // namespace grus
