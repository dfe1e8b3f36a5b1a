// The report page of a run.
#pragma once

#include <string>

namespace grus {

// (Re)makes DIR/report.html from the files in DIR.
void make_report(const std::string& directory);

}  // namespace grus
