// Pictures and films of a run, drawn by the viewer's own code in a headless browser.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace grus {

struct RenderOptions {
  std::string directory;       // of a run
  std::string output;          // PNG file; of a film an MP4 file, or a folder for its pictures when there is no ffmpeg
  std::optional<double> time;  // s; absent: the last frame
  int width = 1280, height = 800;    // pixels
  std::vector<std::string> plot;     // columns of series.csv: a plot of these instead of a picture
  bool log = false;                  // logarithmic plot
  std::string view = "corner";       // corner, front, side, top
  std::optional<double> yaw, pitch;  // degrees, instead of those of `view`
  double zoom = 1.0;
  std::string at;      // a body, by its name, that is brought into the middle
  std::string colour;  // speed, size, group, plain; empty: what tells most
  bool contacts = false, dark = false, orthographic = false;
  bool fit_frame = false;  // the picture holds this frame, not the whole run
  bool video = false;
  double fps = 30.0;               // of a film
  double speed = 1.0;              // simulated seconds per second of a film
  std::optional<double> from, to;  // s, of a film
  std::function<bool()> stop;
};

struct RenderOutcome {
  std::string output;  // the file, or the folder of pictures
  int pictures = 0;
  bool without_encoder = false;  // a film was asked for, ffmpeg is missing, and its pictures lie in a folder
  bool without_sandbox = false;  // the system lets the browser make no sandbox, so it ran without one
};

// Throws InputError when there is no run or it cannot be drawn so, IoError when the browser is missing or fails.
RenderOutcome render(const RenderOptions& options);

}  // namespace grus
