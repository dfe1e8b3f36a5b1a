// The report page of a run.
#pragma once

#include <string>

namespace grus {

// (Re)makes DIR/report.html from the files in DIR. Throws IoError when the program was built without the page.
void make_report(const std::string& directory);

// False when the program was built without the page of reports (Node.js or its packages were missing): runs then end
// without one.
bool has_report();

}  // namespace grus
