// The public door to the report page.
#include "grus/report.hpp"
#include "io/report.hpp"

namespace grus {

void make_report(const std::string& directory) { write_report(directory); }

bool has_report() { return can_write_report(); }

}  // namespace grus
