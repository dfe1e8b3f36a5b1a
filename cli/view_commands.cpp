#include "view_commands.hpp"

#include <charconv>
#include <cstdio>
#include <sstream>
#include <system_error>

#include <fmt/format.h>

#include "number_range.hpp"
#include "terminal_text.hpp"

namespace grus {

namespace {

// "1280x800"; empty when it is one, else what was expected.
std::string read_size(const std::string& text, int& width, int& height) {
  constexpr int smallest = 16, largest = 8192;
  int w = 0, h = 0;
  const char* const end = text.data() + text.size();
  const auto across = std::from_chars(text.data(), end, w);
  bool two = across.ec == std::errc{} && across.ptr != end && *across.ptr == 'x';
  if (two) {
    const auto down = std::from_chars(across.ptr + 1, end, h);
    two = down.ec == std::errc{} && down.ptr == end;
  }
  if (!two || w < smallest || h < smallest || w > largest || h > largest)
    return fmt::format("found '{}', expected WIDTHxHEIGHT from {} to {} pixels", text, smallest, largest);
  width = w;
  height = h;
  return "";
}

}  // namespace

ViewCommands::ViewCommands(CLI::App& app) {
  add_view(app);
  add_render(app);
}

void ViewCommands::add_view(CLI::App& app) {
  view_ = app.add_subcommand("view", "Show a run in the browser, also one that still goes on");
  view_->add_option("dir", view_options_.directory, "Folder of a run or a study")->required();
  view_->add_option("--port", view_options_.port, "Port on 127.0.0.1 (default: any free one)")
      ->check(within(0, 65535, "a port from 0 to 65535"));
  view_->add_flag("--no-open", no_open_, "Do not open the desktop's browser");
}

void ViewCommands::add_render(CLI::App& app) {
  RenderOptions& o = render_options_;
  render_ = app.add_subcommand("render", "Draw a picture, a plot or a film of a run");
  render_->add_option("dir", o.directory, "Folder of a run")->required();
  render_->add_option("-o,--output", o.output, "PNG file; with --video an MP4 file")->required();
  render_->add_option("--time", o.time, "Time in s; the nearest frame is drawn (default: the last one)")
      ->check(within(0.0, 1e9, "a time in s from 0 to 1e9"));
  render_->add_option("--size", size_, "WIDTHxHEIGHT in pixels (default: 1280x800)")
      ->check(
          [this](const std::string& text) { return read_size(text, render_options_.width, render_options_.height); });
  render_->add_option("--view", o.view, "corner (default), front, side or top")
      ->check(CLI::IsMember({"corner", "front", "side", "top"}));
  render_->add_option("--yaw", o.yaw, "Degrees about the vertical, instead of --view")
      ->check(within(-360.0, 360.0, "degrees from -360 to 360"));
  render_->add_option("--pitch", o.pitch, "Degrees above the horizon")
      ->check(within(-89.9, 89.9, "degrees from -89.9 to 89.9"));
  render_->add_option("--zoom", o.zoom, "2 shows half of the scene")
      ->check(within(0.01, 1000.0, "a factor from 0.01 to 1000"));
  render_->add_option("--at", o.at, "BODY, by its name: in the middle of the picture");
  render_->add_option("--colour,--color", o.colour, "Colour bodies by speed, size, group, or plain")
      ->check(CLI::IsMember({"speed", "size", "group", "plain"}));
  render_->add_flag("--contacts", o.contacts, "Draw contacts and force chains");
  render_->add_flag("--fit-frame", o.fit_frame, "Fill the picture with this frame, not with the whole run");
  render_->add_flag("--orthographic", o.orthographic, "Without perspective");
  render_->add_flag("--dark", o.dark, "On a dark ground");
  render_->add_option("--plot", plot_, "COLUMN[,COLUMN...] of series.csv: a plot instead of a picture");
  render_->add_flag("--log", o.log, "Logarithmic plot");
  render_->add_flag("--video", o.video, "A film of all frames (MP4 by ffmpeg; without it a folder of pictures)");
  render_->add_option("--fps", o.fps, "Pictures per second of a film (default: 30)")
      ->check(within(1.0, 120.0, "a number from 1 to 120"));
  render_->add_option("--speed", o.speed, "Simulated seconds per second of a film (default: 1)")
      ->check(within(1e-6, 1e6, "a factor from 1e-6 to 1e6"));
  render_->add_option("--from", o.from, "Where a film begins, s")->check(within(0.0, 1e9, "a time in s from 0 to 1e9"));
  render_->add_option("--to", o.to, "Where a film ends, s")->check(within(0.0, 1e9, "a time in s from 0 to 1e9"));
}

int ViewCommands::run_render() {
  std::istringstream columns(plot_);
  for (std::string column; std::getline(columns, column, ',');) render_options_.plot.push_back(column);
  const RenderOutcome outcome = render(render_options_);
  if (outcome.pictures == 1)
    print_line(stdout, outcome.output);
  else
    print_line(stdout, fmt::format("{}: {} pictures", outcome.output, outcome.pictures));
  if (outcome.without_encoder)
    fmt::print(stderr,
               "ffmpeg is missing, which makes the film; the pictures are in the folder {}. To have an MP4 file: "
               "apt-get install ffmpeg\n",
               outcome.output);
  if (outcome.without_sandbox)
    fmt::print(stderr, "note: this system lets Chromium make no sandbox, so it drew without one\n");
  return 0;
}

int ViewCommands::run(const std::function<bool()>& stop) {
  if (render_->parsed()) {
    render_options_.stop = stop;
    return run_render();
  }
  view_options_.open = !no_open_;
  view_options_.stop = stop;
  view_options_.message = [](const std::string& text) {
    print_line(stdout, text);
    std::fflush(stdout);
  };
  view(view_options_);
  return 0;
}

}  // namespace grus
