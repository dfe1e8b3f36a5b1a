#include "io/report.hpp"

#include <string_view>

#include "io/report/page_text.hpp"
#include "io/report_data.hpp"
#include "io/whole_file.hpp"

namespace grus {
namespace {

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

// Replaces each "{{name}}" of the page once, from left to right, so that inserted text is never searched.
std::string fill(std::string_view page, std::string_view style, std::string_view script, std::string_view data) {
  std::string text;
  text.reserve(page.size() + style.size() + script.size() + data.size());
  while (!page.empty()) {
    const std::size_t open = page.find("{{");
    text += page.substr(0, open);
    if (open == std::string_view::npos) break;
    const std::size_t close = page.find("}}", open);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    text += name == "style" ? style : name == "script" ? script : data;
    page.remove_prefix(close + 2);
  }
  return text;
}

}  // namespace

void write_report(const std::string& directory, const ReportLimits& limits) {
  const std::string data = without_tags(report_data_text(directory, limits));
  write_whole_file(directory + "/report.html", fill(report_page, report_style, report_script, data));
}

}  // namespace grus
