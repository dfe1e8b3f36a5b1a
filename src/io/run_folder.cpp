#include "io/run_folder.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "grus/version.hpp"
#include "io/file_descriptor.hpp"
#include "io/file_fault.hpp"
#include "io/foreign_json.hpp"
#include "io/json_text.hpp"
#include "io/whole_file.hpp"

namespace grus {
namespace {

namespace fs = std::filesystem;

constexpr const char* checkpoint_name = "checkpoint.h5";
constexpr std::array<const char*, 4> sub_folders = {"frames", "vtk", "analysis", "problems"};
constexpr std::array<std::string_view, 11> fixed_names = {
    "series.csv",        "checkpoint.h5",    "summary.json",       "report.html",
    "analysis.json",     "analysis/map.csv", "analysis/cells.csv", "frames/scene.json",
    "frames/index.json", "vtk/run.pvd",      "problems/index.json"};
// What `grus report` and `grus analyze` write, also while a run goes on.
constexpr std::array<std::string_view, 4> names_beside = {"report.html", "analysis.json", "analysis/map.csv",
                                                          "analysis/cells.csv"};

struct NumberedName {
  std::string_view head, tail;
  std::size_t digits;  // at least
};
constexpr std::array<NumberedName, 5> numbered_names = {{{"frames/part-", ".bin", 5},
                                                         {"vtk/grains-", ".vtp", 6},
                                                         {"vtk/shapes-", ".vtp", 6},
                                                         {"vtk/contacts-", ".vtp", 6},
                                                         {"problems/step-", ".hdf5", 8}}};
constexpr std::size_t most_digits = 12;
constexpr std::string_view temporary_mark = ".tmp";

// A list of a million files is below this.
constexpr off_t most_marker_bytes = 64 << 20;
// A marker that another process replaces between open and lock is opened again; more often than this is no accident.
constexpr int most_marker_attempts = 1000;

bool all_digits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct SplitName {
  std::string folder, file;  // folder: empty for the run's own
};
SplitName split_name(const std::string& name) {
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return {"", name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

bool exists_at(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

bool is_real_folder(const std::string& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

InputError bad_marker(const std::string& path, const std::string& what) {
  return file_fault(path, what +
                              "; it lists the files of a run, and without it none may be replaced: give another "
                              "--out, or let --force replace the files that are in the way");
}

// The file is the folder's own: no link, no pipe.
std::string marker_text(const FileDescriptor& file, const std::string& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_io("read", path);
  if (!S_ISREG(status.st_mode) || status.st_size > most_marker_bytes) throw bad_marker(path, "is no list of files");
  std::string text(static_cast<std::size_t>(status.st_size), '\0');
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  if (got < 0) fail_io("read", path);
  text.resize(static_cast<std::size_t>(got));
  return text;
}

void write_marker(const std::string& path, const std::set<std::string>& names) {
  nlohmann::ordered_json json = {
      {"about", "Files that runs of Grus wrote here; the next run may remove them, and no other."},
      {"program_version", version()},
      {"files", names}};
  write_whole_file(path, json_text(json, 1));
}

// Holds the list against other processes that add to it, and reads it. The lock is on the file, which a writer
// replaces, so it is taken again until the file under it is the one that has the name.
class OpenMarker {
 public:
  explicit OpenMarker(const std::string& directory) : path_(directory + "/" + run_marker) {
    for (int attempt = 0; attempt < most_marker_attempts; ++attempt) {
      file_ = FileDescriptor(path_, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      // a file system that cannot lock is not held against the user
      while (::flock(file_.get(), LOCK_EX) != 0 && errno == EINTR) continue;
      struct stat mine {
      }, named{};
      if (::fstat(file_.get(), &mine) != 0) fail_io("read", path_);
      if (::lstat(path_.c_str(), &named) == 0 && named.st_ino == mine.st_ino && named.st_dev == mine.st_dev) {
        names_ = parse_run_marker(marker_text(file_, path_), path_);
        return;
      }
    }
    throw IoError("cannot read " + path_ + ": it is replaced all the time");
  }

  std::set<std::string>& names() { return names_; }
  void write() const { write_marker(path_, names_); }

 private:
  std::string path_;
  FileDescriptor file_;
  std::set<std::string> names_;
};

std::optional<std::set<std::string>> read_marker(const std::string& directory) {
  if (!exists_at(directory + "/" + run_marker)) return std::nullopt;
  return OpenMarker(directory).names();
}

bool is_temporary_of(std::string_view file, std::string_view name) {
  return file.size() > name.size() + temporary_mark.size() && file.starts_with(name) &&
         file.substr(name.size()).starts_with(temporary_mark) &&
         all_digits(file.substr(name.size() + temporary_mark.size()));
}

// What makes the folder a stranger's: empty when nothing does.
std::string first_foreign_entry(const std::string& directory, RunFolder::Use use) {
  std::string first;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(directory, failed)) {
    const std::string name = entry.path().filename().string();
    if (is_temporary_of(name, run_marker)) continue;
    const std::string path = entry.path().string();
    if (use == RunFolder::Use::study && is_real_folder(path) && exists_at(path + "/" + run_marker)) continue;
    if (first.empty() || name < first) first = name;
  }
  if (failed) throw IoError(fmt::format("cannot read the folder {}: {}", directory, failed.message()));
  return first;
}

void make_sub_folder(const std::string& directory, const std::string& name) {
  const std::string folder = split_name(name).folder;
  if (folder.empty()) return;
  const std::string path = directory + "/" + folder;
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) fail_io("make the folder", path);
  if (!is_real_folder(path))
    throw file_fault(path, "is a link or a file, expected a folder: a run writes beneath its own folder only");
}

// Adds names that are not there yet; what lies there under such a name is not ours.
void list_names(const std::string& directory, const std::vector<std::string>& names, RunFolder::Foreign foreign,
                std::set<std::string>& listed) {
  for (const std::string& name : names) {
    GRUS_ASSERT(is_run_file(name));
    make_sub_folder(directory, name);
    if (listed.contains(name)) continue;
    const std::string path = directory + "/" + name;
    if (exists_at(path)) {
      if (foreign == RunFolder::Foreign::refuse)
        throw file_fault(path,
                         "is in the way: no run of Grus is known to have written it; move it, give another --out, "
                         "or let --force replace it");
      if (::unlink(path.c_str()) != 0) fail_io("replace", path);
    }
    listed.insert(name);
  }
}

bool is_alive(std::string_view digits) {
  pid_t process = 0;
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), process);
  if (error != std::errc() || process <= 0 || process == ::getpid()) return false;
  return ::kill(process, 0) == 0 || errno == EPERM;
}

// Left by a run that was killed while it wrote. Nobody else writes a run's files while we hold the folder, but a report
// or an analysis may be on its way.
bool is_stale(const std::string& name, std::string_view file) {
  const bool beside =
      name == run_marker || std::find(names_beside.begin(), names_beside.end(), name) != names_beside.end();
  return !beside || !is_alive(file.substr(file.rfind(temporary_mark) + temporary_mark.size()));
}

void remove_stale_temporaries(const std::string& directory, const std::set<std::string>& listed) {
  const auto sweep = [&](const std::string& folder) {
    const std::string path = folder.empty() ? directory : directory + "/" + folder;
    if (!is_real_folder(path)) return;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(path, ignored)) {
      const std::string file = entry.path().filename().string();
      const std::size_t mark = file.rfind(temporary_mark);
      if (mark == std::string::npos || !is_temporary_of(file, file.substr(0, mark))) continue;
      const std::string name = (folder.empty() ? "" : folder + "/") + file.substr(0, mark);
      if ((listed.contains(name) || name == run_marker) && is_stale(name, file)) ::unlink(entry.path().c_str());
    }
  };
  sweep("");
  for (const char* folder : sub_folders) sweep(folder);
}

std::string made_folder(std::string path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) throw IoError(fmt::format("cannot make the folder {}: {}", path, failed.message()));
  return path;
}

}  // namespace

bool is_run_file(std::string_view name) {
  if (std::find(fixed_names.begin(), fixed_names.end(), name) != fixed_names.end()) return true;
  return std::any_of(numbered_names.begin(), numbered_names.end(), [&](const NumberedName& n) {
    if (name.size() < n.head.size() + n.digits + n.tail.size() || !name.starts_with(n.head) || !name.ends_with(n.tail))
      return false;
    const std::string_view digits = name.substr(n.head.size(), name.size() - n.head.size() - n.tail.size());
    return digits.size() <= most_digits && all_digits(digits);
  });
}

std::set<std::string> parse_run_marker(const std::string& text, const std::string& path) {
  nlohmann::ordered_json json;
  try {
    json = parse_foreign_json(text, path);
  } catch (const InputError& error) {
    throw bad_marker(path, error.faults().front().message);
  }
  if (!json.is_object() || !json.contains("files") || !json["files"].is_array())
    throw bad_marker(path, "is damaged: an object with a list 'files' was expected");
  std::set<std::string> names;
  for (const nlohmann::ordered_json& entry : json["files"]) {
    const std::string name = entry.is_string() ? entry.get<std::string>() : entry.dump();
    if (!is_run_file(name)) throw bad_marker(path, fmt::format("lists '{}', which no run writes", name.substr(0, 80)));
    names.insert(name);
  }
  return names;
}

RunFolder::RunFolder(std::string path, Use use, Foreign foreign)
    : path_(made_folder(std::move(path))), foreign_(foreign), lock_(path_) {
  // The list is looked for after the files: it is written before them, so another process that has just begun here is
  // not taken for a stranger.
  const std::string stranger = first_foreign_entry(path_, use);
  std::optional<std::set<std::string>> listed;
  try {
    listed = read_marker(path_);
  } catch (const InputError&) {
    if (foreign == Foreign::refuse) throw;
  }
  if (!listed && !stranger.empty() && foreign == Foreign::refuse)
    throw file_fault(path_,
                     fmt::format("holds files that no run of Grus is known to have written, '{}' among them; give "
                                 "an empty folder as --out, or let --force write here: it replaces files with "
                                 "the names of a run's and leaves all others",
                                 stranger));
  if (listed)
    names_ = std::move(*listed);
  else
    write_marker(*this / run_marker, names_);
  remove_stale_temporaries(path_, names_);
}

bool RunFolder::holds(const std::string& name) const { return names_.contains(name) && exists_at(*this / name); }

void RunFolder::claim(const std::vector<std::string>& names) {
  check_in_place();
  if (std::all_of(names.begin(), names.end(), [&](const std::string& name) { return names_.contains(name); })) {
    for (const std::string& name : names) make_sub_folder(path_, name);
    return;
  }
  OpenMarker marker(path_);
  list_names(path_, names, foreign_, marker.names());
  marker.write();
  names_ = marker.names();
}

void RunFolder::write(const std::string& name, std::string_view bytes) {
  claim({name});
  write_whole_file(*this / name, bytes);
  written_.insert(name);
}

FileStamp RunFolder::stamp(const std::string& name) const {
  struct stat status {};
  if (::lstat((*this / name).c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino, status.st_size};
}

std::vector<std::string> RunFolder::missing() const {
  std::vector<std::string> gone;
  for (const std::string& name : written_)
    if (!exists_at(*this / name)) gone.push_back(name);
  return gone;
}

void RunFolder::remove(const std::string& name) {
  if (!names_.contains(name)) return;
  written_.erase(name);
  const auto [folder, file] = split_name(name);
  FileDescriptor inside;
  if (!folder.empty()) {
    inside = FileDescriptor::adopt(
        ::openat(lock_.descriptor(), folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (inside.get() < 0 && errno == ENOENT) return;
    if (inside.get() < 0)
      throw file_fault(*this / folder,
                       "is a link or a file, expected a folder: a run removes beneath its own folder only");
  }
  const int at = folder.empty() ? lock_.descriptor() : inside.get();
  if (::unlinkat(at, file.c_str(), 0) != 0 && errno != ENOENT) fail_io("remove", *this / name);
}

std::vector<std::string> RunFolder::listed(std::string_view beginning) const {
  std::vector<std::string> found;
  for (auto it = names_.lower_bound(std::string(beginning)); it != names_.end() && it->starts_with(beginning); ++it)
    found.push_back(*it);
  return found;
}

void RunFolder::clear() {
  check_in_place();
  if (names_.empty()) return;
  // Without it the other files belong to no run that could be resumed.
  remove(checkpoint_name);
  for (const std::string& name : names_) remove(name);
  for (const char* folder : sub_folders) ::unlinkat(lock_.descriptor(), folder, AT_REMOVEDIR);
  OpenMarker marker(path_);
  marker.names().clear();
  marker.write();
  names_.clear();
}

void RunFolder::adopt() {
  OpenMarker marker(path_);
  const auto look = [&](const std::string& folder) {
    const std::string path = folder.empty() ? path_ : *this / folder;
    if (!is_real_folder(path)) return;
    for (const auto& entry : fs::directory_iterator(path)) {
      const std::string name = (folder.empty() ? "" : folder + "/") + entry.path().filename().string();
      if (is_run_file(name) && entry.symlink_status().type() == fs::file_type::regular) marker.names().insert(name);
    }
  };
  look("");
  for (const char* folder : sub_folders) look(folder);
  marker.write();
  names_ = marker.names();
}

void RunFolder::check_in_place() const {
  struct stat mine {
  }, named{};
  if (::fstat(lock_.descriptor(), &mine) != 0) fail_io("read", path_);
  if (::stat(path_.c_str(), &named) != 0 || named.st_ino != mine.st_ino || named.st_dev != mine.st_dev)
    throw IoError(fmt::format("the folder {} was removed, moved or replaced while the run was writing to it", path_));
}

void claim_beside(const std::string& directory, const std::vector<std::string>& names) {
  if (!exists_at(directory + "/" + run_marker)) return;
  OpenMarker marker(directory);
  const std::size_t before = marker.names().size();
  list_names(directory, names, RunFolder::Foreign::refuse, marker.names());
  if (marker.names().size() != before) marker.write();
}

}  // namespace grus
