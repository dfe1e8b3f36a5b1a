#include "view/run_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "grus/version.hpp"
#include "io/file_fault.hpp"
#include "io/foreign_file.hpp"
#include "io/frames.hpp"
#include "io/json_text.hpp"
#include "io/reader_limits.hpp"

namespace grus {
namespace {

namespace fs = std::filesystem;

struct KnownFile {
  std::string_view path, type;
  bool optional = false;  // absent while a run goes on: no fault
};
constexpr std::string_view json_type = "application/json", binary_type = "application/octet-stream";
constexpr std::array<KnownFile, 4> known_files = {{{"summary.json", json_type, true},
                                                   {"series.csv", "text/csv; charset=utf-8", true},
                                                   {"frames/scene.json", json_type, false},
                                                   {"frames/index.json", json_type, false}}};

// part-00000.bin: five digits or more, as FrameWriter names them.
bool is_part(std::string_view path) {
  constexpr std::string_view head = "frames/part-", tail = ".bin";
  if (path.size() < head.size() + 5 + tail.size() || path.size() > head.size() + 9 + tail.size()) return false;
  if (path.substr(0, head.size()) != head || path.substr(path.size() - tail.size()) != tail) return false;
  const std::string_view digits = path.substr(head.size(), path.size() - head.size() - tail.size());
  return std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<KnownFile> known_file(std::string_view path) {
  for (const KnownFile& file : known_files) {
    if (file.path == path) return file;
  }
  if (is_part(path)) return KnownFile{path, binary_type, false};
  return std::nullopt;
}

// Something has one of these names; what it is shows when it is opened.
bool has_run(const fs::path& folder) {
  std::error_code error;
  return fs::exists(fs::symlink_status(folder / "frames", error)) ||
         fs::exists(fs::symlink_status(folder / "series.csv", error));
}

HttpResponse send_part_of(const ForeignFolder& folder, const std::string& name, const KnownFile& known,
                          const HttpRequest& request) {
  HttpResponse response;
  std::optional<SizedFile> found = folder.find(name);
  if (!found && known.optional) {
    response.status = 204;
    return response;
  }
  if (!found) return http_words(404, "There is no such file.");
  const std::int64_t size = found->size;
  response.file = std::make_shared<FileDescriptor>(std::move(found->file));
  response.type = known.type;
  response.range = {0, size};
  response.more_headers = "Accept-Ranges: bytes\r\n";
  if (request.range.empty()) return response;
  const auto range = parse_byte_range(request.range, size);
  if (const auto* fault = std::get_if<HttpFault>(&range)) {
    HttpResponse refusal = http_words(fault->status, fault->words);
    if (fault->status == 416) refusal.more_headers = fmt::format("Content-Range: bytes */{}\r\n", size);
    return refusal;
  }
  response.status = 206;
  response.range = std::get<ByteRange>(range);
  response.more_headers +=
      fmt::format("Content-Range: bytes {}-{}/{}\r\n", response.range.begin, response.range.end - 1, size);
  return response;
}

HttpResponse send_track(const ForeignFolder& folder, std::string_view body_text) {
  Index body = 0;
  const auto [end, error] = std::from_chars(body_text.data(), body_text.data() + body_text.size(), body);
  if (error != std::errc{} || end != body_text.data() + body_text.size() || body < 0)
    return http_words(404, "There is no such body.");
  const std::vector<float> track = read_body_track(folder, body);
  HttpResponse response;
  response.type = binary_type;
  response.body.assign(reinterpret_cast<const char*>(track.data()), track.size() * sizeof(float));
  return response;
}

}  // namespace

RunFiles::RunFiles(std::string directory, std::string_view page) : directory_(std::move(directory)), page_(page) {
  if (!fs::is_directory(directory_)) throw file_fault(directory_, "no such folder was found, expected one of a run");
  if (runs().empty())
    throw file_fault(directory_, "neither frames nor series.csv were found, expected the folder of a run or a study");
}

std::vector<std::string> RunFiles::runs() const {
  if (has_run(directory_)) return {""};
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error)) {
    const std::string name = entry.path().filename().string();
    // "-" stands for the folder itself in paths
    const bool own = entry.symlink_status(error).type() == fs::file_type::directory;
    if (own && name.front() != '.' && name != "-" && is_plain_name(name) && has_run(entry.path()))
      names.push_back(name);
    if (names.size() == most_study_runs) break;
  }
  std::sort(names.begin(), names.end());
  return names;
}

HttpResponse RunFiles::run_list() const {
  const std::string folder = fs::absolute(directory_).lexically_normal().string();
  const nlohmann::ordered_json json = {{"folder", folder}, {"version", version()}, {"runs", runs()}};
  HttpResponse response;
  response.type = json_type;
  response.body = json_text(json, -1);
  return response;
}

HttpResponse RunFiles::run_file(std::string_view name, std::string_view rest, const HttpRequest& request) const {
  const std::vector<std::string> names = runs();
  const std::string wanted(name == "-" ? "" : name);
  if (std::find(names.begin(), names.end(), wanted) == names.end()) return http_words(404, "There is no such run.");
  constexpr std::string_view track = "track/";
  const bool is_track = rest.substr(0, track.size()) == track;
  const auto known = known_file(rest);
  if (!is_track && !known) return http_words(404, "There is no such file.");
  try {
    const ForeignFolder top(directory_);
    const ForeignFolder folder = wanted.empty() ? ForeignFolder(directory_) : top.folder(wanted);
    if (!is_track) return send_part_of(folder, std::string(rest), *known, request);
    // one at a time: each holds the whole index in memory
    const std::lock_guard lock(*track_mutex_);
    return send_track(folder, rest.substr(track.size()));
  } catch (const InputError& fault) {
    return http_words(is_track ? 500 : 404, fault.what());  // a link, a pipe, a damaged index
  }
}

HttpResponse RunFiles::respond(const HttpRequest& request) const {
  if (request.method == "POST") return http_words(405, "Nothing is taken here.");
  std::string_view path = request.path;
  if (path == "/") {
    HttpResponse response;
    response.type = "text/html; charset=utf-8";
    response.page = page_;
    return response;
  }
  if (path == "/runs.json") return run_list();
  constexpr std::string_view run = "/run/";
  if (path.substr(0, run.size()) == run) {
    path.remove_prefix(run.size());
    const std::size_t slash = path.find('/');
    if (slash != std::string_view::npos) return run_file(path.substr(0, slash), path.substr(slash + 1), request);
  }
  return http_words(404, "There is no such page.");
}

}  // namespace grus
