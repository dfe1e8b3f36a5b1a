// report.html: one page about a run (or a study) that needs nothing but itself: no network, no other file.
// The page is src/io/report/*, compiled into the program; the data sit in it as JSON with base64 arrays.
#pragma once

#include <string>

namespace grus {

// What goes into one page at most; what was left out is said on the page.
struct ReportLimits {
  std::size_t series_rows = 8000;        // beyond: the extremes of equal stretches of rows
  std::size_t bodies = 100000;           // beyond: every k-th grain
  std::size_t contacts = 20000;          // per frame; beyond: the strongest
  std::size_t frames = 121;              // evenly spread, first and last among them
  std::size_t analysis_bytes = 4 << 20;  // of analysis.json
  std::size_t frame_bytes = 12 << 20;    // of all frames together; three frames are always there
};

// Reads summary.json, series.csv, frames/ and analysis.json in `directory` and writes report.html there. A study's page
// compares its runs. Throws IoError or InputError when there is no summary; a series or frames that are absent or
// damaged are named on the page instead.
void write_report(const std::string& directory, const ReportLimits& limits = {});

}  // namespace grus
