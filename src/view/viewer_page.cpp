#include "view/viewer_page.hpp"

#include "core/error.hpp"

namespace grus {

std::string_view require_viewer_page() {
  if (viewer_page.find("<html") == std::string_view::npos) {
    throw IoError(
        "this program was built without the viewer, since Node.js and npm or the viewer's packages were missing; "
        "install them with tools/setup.sh and build again");
  }
  return viewer_page;
}

}  // namespace grus
