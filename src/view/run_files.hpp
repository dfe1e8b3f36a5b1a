// What the viewer may ask for: the page, the list of runs, the files of a run that it reads, the way of one body.
// Nothing else of the disk can be named: a path is taken apart and compared with these, never joined to a folder as it
// came; and the files are opened as foreign ones (foreign_file.hpp), so that links of the folder lead nowhere.
//
//   /                                    the page
//   /runs.json                           folder, version, names of runs
//   /run/NAME/summary.json, series.csv   NAME: folder of a run inside a study, "-" for the folder itself
//   /run/NAME/frames/scene.json, index.json, part-00000.bin
//   /run/NAME/track/BODY                 float32[frames][13]: position, rotation, velocity, angular velocity
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "view/http_server.hpp"

namespace grus {

class RunFiles {
 public:
  // `directory` is the folder of a run or a study; `page` outlives this. Throws InputError when it is neither.
  RunFiles(std::string directory, std::string_view page);

  // Folders with frames, or that may still get some: one empty name for a run, else the names of a study's runs.
  std::vector<std::string> runs() const;

  HttpResponse respond(const HttpRequest& request) const;

 private:
  HttpResponse run_list() const;
  HttpResponse run_file(std::string_view name, std::string_view rest, const HttpRequest& request) const;

  std::string directory_;
  std::string_view page_;
  std::unique_ptr<std::mutex> track_mutex_ = std::make_unique<std::mutex>();
};

}  // namespace grus
