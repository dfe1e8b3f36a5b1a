// grus view and grus render: a run in the browser, and as pictures.
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

#include "grus/view.hpp"

namespace grus {

class ViewCommands {
 public:
  explicit ViewCommands(CLI::App& app);

  bool parsed() const { return view_->parsed(); }
  // Returns the exit code; `stop` says that the user wants an end.
  int run(const std::function<bool()>& stop);

 private:
  CLI::App* view_ = nullptr;
  ViewOptions view_options_;
  bool no_open_ = false;
};

}  // namespace grus
