// grus view: the server of one folder, and a desktop's browser that opens it.
#include "grus/view.hpp"

#include <chrono>
#include <cstdlib>
#include <thread>

#include <fmt/format.h>

#include "view/access_token.hpp"
#include "view/child_process.hpp"
#include "view/run_files.hpp"
#include "view/viewer_page.hpp"

namespace grus {
namespace {

bool has_desktop() { return std::getenv("DISPLAY") != nullptr || std::getenv("WAYLAND_DISPLAY") != nullptr; }

}  // namespace

void view(const ViewOptions& options) {
  const RunFiles files(options.directory, require_viewer_page());
  const AccessToken token;
  const HttpServer server(options.port,
                          token.guard([&](const HttpRequest& request) { return files.respond(request); }));
  const std::string address = token.address(server.port());
  if (options.message) options.message(fmt::format("{} shows {}; Ctrl-C ends it.", address, options.directory));
  ChildProcess opener;
  if (options.open && has_desktop()) {
    const std::string program = find_program({"xdg-open"});
    if (!program.empty()) opener = ChildProcess({program, address}, "/dev/null");
  }
  while (!options.stop || !options.stop()) std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

}  // namespace grus
