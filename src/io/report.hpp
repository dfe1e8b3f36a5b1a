// report.html: one page about a run (or a study) that needs nothing but itself: no network, no other file.
// The page is built from viewer/ (its report.html), which draws with the viewer's code, and compiled into the program;
// the data sit in it as JSON with packed arrays (io/packed.hpp).
#pragma once

#include <string>
#include <string_view>

namespace grus {

// What goes into one page at most; what was left out is said on the page.
struct ReportLimits {
  std::size_t page_bytes = 10 << 20;     // of report.html: e-mail takes it; the clip has fewer frames when over it
  std::size_t series_rows = 8000;        // beyond: the extremes of equal stretches of rows
  std::size_t series_values = 400000;    // of all columns together; beyond: fewer rows
  std::size_t bodies = 100000;           // beyond: every k-th grain
  std::size_t contacts = 4000;           // per frame; beyond: the strongest
  std::size_t frames = 151;              // evenly spread, first and last among them
  std::size_t analysis_bytes = 4 << 20;  // of analysis.json
};
// However tight page_bytes is, so many frames are there: first, middle and last.
inline constexpr std::size_t least_report_frames = 3;

// False when the front end was not built with the program (Node.js or its packages were missing).
bool can_write_report();

// Reads summary.json, series.csv, frames/ and analysis.json in `directory` and writes report.html there. A study's page
// compares its runs. Throws IoError or InputError when there is no summary, and IoError when the program has no page; a
// series or frames that are absent or damaged are named on the page instead.
void write_report(const std::string& directory, const ReportLimits& limits = {});

// The page with the data of a run in it.
std::string report_text(std::string_view page, const std::string& directory, const ReportLimits& limits = {});

}  // namespace grus
