// The viewer in the browser.
#pragma once

#include <functional>
#include <string>

namespace grus {

struct ViewOptions {
  std::string directory;  // of a run or a study
  int port = 0;           // on 127.0.0.1; 0: any free one
  bool open = true;       // in the desktop's browser, where there is a desktop
  std::function<bool()> stop;
  std::function<void(const std::string&)> message;
};

// Serves the viewer and the files of the run until `stop`. Throws InputError when there is no run, IoError when the
// port is taken or the program was built without the viewer.
void view(const ViewOptions& options);

}  // namespace grus
