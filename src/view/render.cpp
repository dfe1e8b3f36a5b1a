// grus render: the page draws into a headless browser and posts every picture to the server of this process, which
// writes it. No screenshots: a picture has the size that was asked for, and is there when it is complete.
#include "grus/render.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <random>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_descriptor.hpp"
#include "io/file_fault.hpp"
#include "io/whole_file.hpp"
#include "view/child_process.hpp"
#include "view/run_files.hpp"
#include "view/viewer_page.hpp"

namespace grus {
namespace {

namespace fs = std::filesystem;

// A browser without a graphics card draws a frame in about a second; nothing at all for so long is a fault.
constexpr std::chrono::seconds patience{120};
constexpr std::size_t picture_bytes = 64 << 20;
constexpr std::string_view png_start = "\x89PNG\r\n\x1a\n";

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "grus-render-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) fail_io("make a folder like", name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Where pictures go: one file, the input of ffmpeg, or numbered files of a folder.
class PictureSink {
 public:
  PictureSink(const RenderOptions& options, const std::string& log) : output_(options.output), log_(log) {
    if (!options.video) return;
    const std::string ffmpeg = find_program({"ffmpeg"});
    if (ffmpeg.empty()) {
      output_ = fs::path(output_).replace_extension("").string();
      folder_ = true;
      fs::create_directories(output_);
      return;
    }
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_io("open a pipe to", ffmpeg);
    const FileDescriptor read_end = FileDescriptor::adopt(ends[0]);
    film_ = FileDescriptor::adopt(ends[1]);
    encoder_ = ChildProcess({ffmpeg,       "-y",
                             "-loglevel",  "error",
                             "-f",         "image2pipe",
                             "-framerate", fmt::format("{}", options.fps),
                             "-c:v",       "png",
                             "-i",         "-",
                             "-c:v",       "libx264",
                             "-crf",       "18",
                             "-pix_fmt",   "yuv420p",
                             "-movflags",  "+faststart",
                             "-vf",        "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                             "-f",         "mp4",
                             output_},
                            log, read_end.get());
  }

  void take(const std::string& png) {
    if (film_.get() >= 0)
      write_all(film_, png, output_);
    else
      write_whole_file(folder_ ? fmt::format("{}/{:05d}.png", output_, count_) : output_, png);
    ++count_;
  }

  RenderOutcome finish() {
    if (film_.get() >= 0) {
      film_ = FileDescriptor();
      if (encoder_.wait() != 0)
        throw IoError(fmt::format("ffmpeg could not write {}: {}", output_, read_whole_file(log_)));
    }
    return {output_, count_, folder_};
  }

 private:
  std::string output_, log_;
  bool folder_ = false;
  FileDescriptor film_;
  ChildProcess encoder_;
  int count_ = 0;
};

// What the page posts. Only who knows the token, which the page is given in its address, is heard.
class Studio {
 public:
  explicit Studio(PictureSink& sink) : sink_(sink) {
    std::random_device random;
    for (int i = 0; i < 4; ++i) token_ += fmt::format("{:08x}", random());
  }

  const std::string& token() const { return token_; }

  HttpResponse take(const HttpRequest& request) {
    const std::string head = "/render/" + token_ + "/";
    if (request.path.compare(0, head.size(), head) != 0) return http_words(404, "There is no such page.");
    const std::string kind = request.path.substr(head.size());
    const std::lock_guard lock(mutex_);
    last_ = std::chrono::steady_clock::now();
    if (kind == "picture") {
      if (std::string_view(request.body).substr(0, png_start.size()) != png_start)
        return http_words(400, "This is no PNG.");
      try {
        sink_.take(request.body);
      } catch (const std::exception& error) {
        failure_ = std::current_exception();
        return http_words(500, error.what());
      }
    } else if (kind == "fault") {
      fault_ = request.body.empty() ? "the page failed" : request.body;
    } else if (kind == "done") {
      done_ = true;
    } else {
      return http_words(404, "There is no such page.");
    }
    changed_.notify_all();
    return http_words(200, "taken");
  }

  // Until the last picture is there.
  void wait(ChildProcess& browser, const RenderOptions& options, const std::string& log) {
    std::unique_lock lock(mutex_);
    while (!done_) {
      changed_.wait_for(lock, std::chrono::milliseconds(100));
      if (failure_) std::rethrow_exception(failure_);
      if (!fault_.empty()) throw file_fault(options.directory, fault_);
      if (done_) return;
      if (options.stop && options.stop()) throw IoError("stopped before the picture was drawn");
      if (browser.ended())
        throw IoError(fmt::format("the browser ended before the picture was drawn: {}", read_whole_file(log)));
      if (std::chrono::steady_clock::now() - last_ > patience)
        throw IoError(fmt::format("the browser drew nothing for {} s", patience.count()));
    }
  }

 private:
  PictureSink& sink_;
  std::string token_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool done_ = false;
  std::string fault_;
  std::exception_ptr failure_;
};

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    result += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return result;
}

std::string page_address(const RenderOptions& o, int port, const std::string& token) {
  std::string address = fmt::format("http://127.0.0.1:{}/?render={}&size={}x{}&zoom={}&view={}", port, token, o.width,
                                    o.height, o.zoom, percent_encoded(o.view));
  const auto number = [&](const char* name, const std::optional<double>& value) {
    if (value) address += fmt::format("&{}={}", name, *value);
  };
  const auto flag = [&](const char* name, bool value) {
    if (value) address += fmt::format("&{}", name);
  };
  number("time", o.time);
  number("yaw", o.yaw);
  number("pitch", o.pitch);
  number("from", o.from);
  number("to", o.to);
  flag("contacts", o.contacts);
  flag("dark", o.dark);
  flag("orthographic", o.orthographic);
  flag("fit", o.fit_frame);
  flag("log", o.log);
  if (!o.at.empty()) address += "&at=" + percent_encoded(o.at);
  if (!o.colour.empty()) address += "&colour=" + percent_encoded(o.colour);
  for (const std::string& column : o.plot) address += "&plot=" + percent_encoded(column);
  if (o.video) address += fmt::format("&fps={}&speed={}", o.fps, o.speed);
  return address;
}

// Software drawing: the same picture on every machine, and none of them needs a graphics card.
std::vector<std::string> browser_command(const std::string& program, const std::string& profile,
                                         const std::string& address) {
  std::vector<std::string> command = {program,
                                      "--headless",
                                      "--use-angle=swiftshader",
                                      "--enable-unsafe-swiftshader",
                                      "--ignore-gpu-blocklist",
                                      "--hide-scrollbars",
                                      "--mute-audio",
                                      "--no-first-run",
                                      "--disable-quic",
                                      "--disable-extensions",
                                      "--disable-background-networking",
                                      "--disable-component-update",
                                      "--disable-sync",
                                      "--force-color-profile=srgb",
                                      "--user-data-dir=" + profile};
  if (::geteuid() == 0) command.emplace_back("--no-sandbox");  // Chromium refuses root otherwise; the page is our own
  command.push_back(address);
  return command;
}

}  // namespace

RenderOutcome render(const RenderOptions& options) {
  const RunFiles files(options.directory, require_viewer_page());
  const std::string program = find_program({"chromium", "chromium-browser", "google-chrome"});
  if (program.empty())
    throw IoError("Chromium is missing, which draws pictures; install it with: apt-get install chromium");
  const TemporaryFolder folder;
  PictureSink sink(options, folder / "ffmpeg.log");
  Studio studio(sink);
  HttpLimits limits;
  limits.body = picture_bytes;
  limits.patience = patience;
  const HttpServer server(
      0,
      [&](const HttpRequest& request) {
        return request.method == "POST" ? studio.take(request) : files.respond(request);
      },
      limits);
  const std::string log = folder / "browser.log";
  {
    ChildProcess browser(
        browser_command(program, folder / "profile", page_address(options, server.port(), studio.token())), log);
    studio.wait(browser, options, log);
  }
  return sink.finish();
}

}  // namespace grus
