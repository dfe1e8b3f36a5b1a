#include "view_commands.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "number_range.hpp"

namespace grus {

ViewCommands::ViewCommands(CLI::App& app) {
  view_ = app.add_subcommand("view", "Show a run in the browser, also one that still goes on");
  view_->add_option("dir", view_options_.directory, "Folder of a run or a study")->required();
  view_->add_option("--port", view_options_.port, "Port on 127.0.0.1 (default: any free one)")
      ->check(within(0, 65535, "a port from 0 to 65535"));
  view_->add_flag("--no-open", no_open_, "Do not open the desktop's browser");
}

int ViewCommands::run(const std::function<bool()>& stop) {
  view_options_.open = !no_open_;
  view_options_.stop = stop;
  view_options_.message = [](const std::string& text) {
    fmt::print("{}\n", text);
    std::fflush(stdout);
  };
  view(view_options_);
  return 0;
}

}  // namespace grus
