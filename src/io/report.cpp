#include "io/report.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/report_data.hpp"
#include "io/report_page.hpp"
#include "io/whole_file.hpp"

namespace grus {
namespace {

// Stands in viewer/report.html where the data go.
constexpr std::string_view data_mark = "\"GRUS_REPORT_DATA\"";

// Data of the user inside <script type="application/json">: without '<' no tag can end it, and \u003c is the same
// character to the JSON reader.
std::string without_tags(const std::string& json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

bool can_write_report() { return report_page.find(data_mark) != std::string_view::npos; }

std::string report_text(std::string_view page, const std::string& directory, const ReportLimits& limits) {
  const std::size_t mark = page.find(data_mark);
  GRUS_ASSERT(mark != std::string_view::npos);
  const std::string data = without_tags(report_data_text(directory, limits, page.size()));
  std::string text;
  text.reserve(page.size() + data.size());
  text += page.substr(0, mark);
  text += data;
  text += page.substr(mark + data_mark.size());
  return text;
}

void write_report(const std::string& directory, const ReportLimits& limits) {
  if (!can_write_report()) {
    throw IoError(
        "this program was built without the report's page, since Node.js and npm or the viewer's packages were "
        "missing; "
        "install them with tools/setup.sh and build again");
  }
  write_whole_file(directory + "/report.html", report_text(report_page, directory, limits));
}

}  // namespace grus
