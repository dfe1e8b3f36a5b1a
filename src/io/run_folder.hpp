// The folder of a run, and what in it is ours. A run writes into a folder that the user chose and that may hold work of
// the user's own. grus-run.json, the first file that is written, lists the files that runs wrote there; only these are
// ever removed or replaced, and a folder without it is refused unless it is empty. A folder may come from somebody
// else, so the list is believed only where it names what a run writes (is_run_file), and links inside the folder are
// not followed.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "io/folder_lock.hpp"

namespace grus {

inline constexpr const char* run_marker = "grus-run.json";

// "series.csv", "frames/part-00012.bin": relative to the folder, as a run may write it.
bool is_run_file(std::string_view name);

// The files that the text of a marker lists; `path` is for messages. Throws InputError.
std::set<std::string> parse_run_marker(const std::string& text, const std::string& path);

// Which file has a name, and how long it is; all zero for none.
struct FileStamp {
  std::uint64_t device = 0, number = 0;
  std::int64_t size = 0;
  bool operator==(const FileStamp&) const = default;
};

class RunFolder {
 public:
  // A study writes summary and report beside the folders of its runs, which may be there already.
  enum class Use { run, study };
  // What becomes of files that no run is known to have written: a folder of such files, or one that is in the way.
  enum class Foreign { refuse, replace };

  // Makes the folder, locks it, marks it, and removes temporary files that a killed run left. Throws InputError when
  // another run holds it or when it is not ours, IoError for the disk.
  explicit RunFolder(std::string path, Use use = Use::run, Foreign foreign = Foreign::refuse);

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  // Listed, and there.
  bool holds(const std::string& name) const;

  // Before a file is written for the first time: lists it, and makes its folder. Throws InputError when a file or link
  // that is not ours has the name; Foreign::replace removes it instead.
  void claim(const std::vector<std::string>& names);

  // Claims the name and writes the file whole.
  void write(const std::string& name, std::string_view bytes);

  // A listed file; others stay.
  void remove(const std::string& name);

  FileStamp stamp(const std::string& name) const;

  // Files that were written by write() and are gone, though remove() did not take them.
  std::vector<std::string> missing() const;

  // Listed files whose names begin so.
  std::vector<std::string> listed(std::string_view beginning) const;

  // For a fresh start: removes all that is listed, the checkpoint first, and the folders that are empty then.
  void clear();

  // Takes files with the names of a run for ours, though no list names them: the user knows better.
  void adopt();

  // Throws IoError when the path no longer leads to the folder that was opened: a run that went on would write into
  // another one, or into none.
  void check_in_place() const;

 private:
  std::string path_;
  Foreign foreign_;
  FolderLock lock_;
  std::set<std::string> names_;
  std::set<std::string> written_;  // by write() and not removed
};

// The same as claim() for a command that writes beside a run, which may be going on. Does nothing in a folder without
// a list: it is not a run's, and the user named it.
void claim_beside(const std::string& directory, const std::vector<std::string>& names);

}  // namespace grus
