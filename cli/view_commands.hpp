// grus view and grus render: a run in the browser, and as pictures.
#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

#include "grus/render.hpp"
#include "grus/view.hpp"

namespace grus {

class ViewCommands {
 public:
  explicit ViewCommands(CLI::App& app);
  ViewCommands(const ViewCommands&) = delete;
  ViewCommands& operator=(const ViewCommands&) = delete;

  bool parsed() const { return view_->parsed() || render_->parsed(); }
  // Returns the exit code; `stop` says that the user wants an end.
  int run(const std::function<bool()>& stop);

 private:
  void add_view(CLI::App& app);
  void add_render(CLI::App& app);
  int run_render();

  CLI::App* view_ = nullptr;
  CLI::App* render_ = nullptr;
  ViewOptions view_options_;
  RenderOptions render_options_;
  bool no_open_ = false;
  std::string size_, plot_;
};

}  // namespace grus
