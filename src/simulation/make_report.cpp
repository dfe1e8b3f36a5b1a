// The public door to the report page.
#include "grus/report.hpp"
#include "io/report.hpp"
#include "io/run_folder.hpp"

namespace grus {

void make_report(const std::string& directory) {
  if (can_write_report()) claim_beside(directory, {"report.html"});
  write_report(directory);
}

bool has_report() { return can_write_report(); }

}  // namespace grus
