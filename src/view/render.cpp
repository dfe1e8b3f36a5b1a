// grus render: the page draws into a headless browser and posts every picture to the server of this process, which
// writes it. No screenshots: a picture has the size that was asked for, and is there when it is complete.
#include "grus/render.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_descriptor.hpp"
#include "io/file_fault.hpp"
#include "io/whole_file.hpp"
#include "view/access_token.hpp"
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
    std::string name = (fs::absolute(fs::temp_directory_path()) / "grus-render-XXXXXX").string();
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

// An absolute path: no program takes it for an option or, with its colon, for a protocol.
std::string absolute_path(const std::string& path) { return fs::absolute(path).lexically_normal().string(); }

// Where pictures go: one file, the input of ffmpeg, or numbered files of a folder.
class PictureSink {
 public:
  PictureSink(const RenderOptions& options, const std::string& log)
      : output_(options.output), unfinished_(absolute_path(output_) + ".tmp" + std::to_string(::getpid())), log_(log) {
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
    before_ = ::signal(SIGPIPE, SIG_IGN);  // an encoder that ends early is a sentence, not the end of the program
    encoder_ = ChildProcess({ffmpeg,
                             "-y",
                             "-loglevel",
                             "error",
                             "-f",
                             "image2pipe",
                             "-framerate",
                             fmt::format("{}", options.fps),
                             "-c:v",
                             "png",
                             "-i",
                             "pipe:0",
                             "-c:v",
                             "libx264",
                             "-crf",
                             "18",
                             "-pix_fmt",
                             "yuv420p",
                             "-movflags",
                             "+faststart",
                             "-vf",
                             "pad=ceil(iw/2)*2:ceil(ih/2)*2",
                             "-f",
                             "mp4",
                             "file:" + unfinished_},
                            log, read_end.get());
  }
  ~PictureSink() {
    film_ = FileDescriptor();
    encoder_ = ChildProcess();
    ::unlink(unfinished_.c_str());
    if (before_ != SIG_ERR) ::signal(SIGPIPE, before_);
  }
  PictureSink(const PictureSink&) = delete;
  PictureSink& operator=(const PictureSink&) = delete;

  void take(const std::string& png) {
    if (film_.get() >= 0)
      encode(png);
    else
      write_whole_file(folder_ ? fmt::format("{}/{:05d}.png", output_, count_) : output_, png);
    ++count_;
  }

  RenderOutcome finish() {
    if (film_.get() >= 0) {
      film_ = FileDescriptor();
      if (encoder_.wait() != 0) throw failed_encoder();
      // whole or not at all, like every other file
      sync_to_disk(FileDescriptor(unfinished_, O_RDONLY), output_);
      if (::rename(unfinished_.c_str(), output_.c_str()) != 0) fail_io("replace", output_);
    }
    RenderOutcome outcome;
    outcome.output = output_;
    outcome.pictures = count_;
    outcome.without_encoder = folder_;
    return outcome;
  }

 private:
  IoError failed_encoder() const {
    return IoError(fmt::format("ffmpeg could not write {}: {}", output_, read_whole_file(log_)));
  }
  void encode(const std::string& png) {
    try {
      write_all(film_, png, output_);
    } catch (const IoError&) {
      throw failed_encoder();
    }
  }

  std::string output_;
  std::string unfinished_;  // takes the film until it is whole
  std::string log_;
  bool folder_ = false;
  void (*before_)(int) = SIG_ERR;  // what a broken pipe did to the program
  FileDescriptor film_;
  ChildProcess encoder_;
  int count_ = 0;
};

// What the page posts.
class Studio {
 public:
  explicit Studio(PictureSink& sink) : sink_(sink) {}

  HttpResponse take(const HttpRequest& request) {
    constexpr std::string_view head = "/render/";
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

  // Until the last picture is there. False when the browser ended before.
  bool wait(ChildProcess& browser, const RenderOptions& options) {
    std::unique_lock lock(mutex_);
    last_ = std::chrono::steady_clock::now();
    while (!done_) {
      changed_.wait_for(lock, std::chrono::milliseconds(100));
      if (failure_) std::rethrow_exception(failure_);
      if (!fault_.empty()) throw file_fault(options.directory, fault_);
      if (done_) return true;
      if (options.stop && options.stop()) throw IoError("stopped before the picture was drawn");
      if (browser.ended()) return false;
      if (std::chrono::steady_clock::now() - last_ > patience)
        throw IoError(fmt::format("the browser drew nothing for {} s", patience.count()));
    }
    return true;
  }

 private:
  PictureSink& sink_;
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

std::string page_address(const RenderOptions& o, const std::string& server) {
  std::string address =
      fmt::format("{}?render&size={}x{}&zoom={}&view={}", server, o.width, o.height, o.zoom, percent_encoded(o.view));
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
                                         const std::string& address, bool sandbox) {
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
  if (!sandbox) command.emplace_back("--no-sandbox");
  command.push_back(address);
  return command;
}

// What Chromium says when the system lets it make no sandbox.
bool lacks_sandbox(std::string_view log) {
  constexpr std::array<std::string_view, 3> words = {"No usable sandbox", "SUID sandbox helper", "new namespace"};
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return log.find(word) != std::string_view::npos; });
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
  const AccessToken token;
  const HttpServer server(0, token.guard([&](const HttpRequest& request) {
    return request.method == "POST" ? studio.take(request) : files.respond(request);
  }),
                          limits);
  const std::string address = page_address(options, token.address(server.port()));
  const auto draw = [&](const std::string& log, bool sandbox) {
    ChildProcess browser(browser_command(program, folder / "profile", address, sandbox), log);
    return studio.wait(browser, options);
  };
  // Chromium itself refuses a sandbox to root; others lose it only where the system has none, and are told so.
  const std::string log = folder / "browser.log", second_log = folder / "without-sandbox.log";
  const bool is_root = ::geteuid() == 0;
  bool drawn = draw(log, !is_root), without_sandbox = false;
  if (!drawn && !is_root && lacks_sandbox(read_whole_file(log))) {
    without_sandbox = true;
    drawn = draw(second_log, false);
  }
  if (!drawn)
    throw IoError(fmt::format("the browser ended before the picture was drawn: {}",
                              read_whole_file(without_sandbox ? second_log : log)));
  RenderOutcome outcome = sink.finish();
  outcome.without_sandbox = without_sandbox;
  return outcome;
}

}  // namespace grus
