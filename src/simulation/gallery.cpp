#include "grus/gallery.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "core/error.hpp"
#include "io/scene/scene.hpp"

namespace grus {

namespace fs = std::filesystem;

namespace {

// GRUS_EXAMPLES in the environment, the source tree the program was built from, or beside the program.
fs::path examples_folder() {
  std::vector<fs::path> places;
  if (const char* given = std::getenv("GRUS_EXAMPLES")) places.emplace_back(given);
  places.emplace_back(fs::path(GRUS_SOURCE_DIR) / "examples");
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) places.push_back(program.parent_path().parent_path() / "share/grus/examples");
  for (const fs::path& place : places)
    if (fs::is_directory(place, failed)) return place;
  throw IoError("the examples folder is not found; set GRUS_EXAMPLES to it");
}

}  // namespace

std::vector<Example> examples() {
  std::vector<Example> list;
  for (const fs::directory_entry& entry : fs::directory_iterator(examples_folder())) {
    if (!entry.is_directory()) continue;
    Example example;
    example.name = entry.path().filename();
    for (const fs::directory_entry& file : fs::directory_iterator(entry.path()))
      if (file.path().extension() == ".yaml" && file.path().filename().string().front() != '.')
        example.scenes.push_back(file.path().filename());
    if (example.scenes.empty()) continue;
    std::sort(example.scenes.begin(), example.scenes.end());
    // The main scene carries the folder's name or says that it leads; else it is the first.
    Spec main;
    bool found = false;
    for (const std::string& scene : example.scenes) {
      const fs::path path = entry.path() / scene;
      Spec spec = load_scene(path);
      for (const RunSpec& run : spec.runs) example.runs[scene].push_back(run.name);
      const bool leads = spec.about.leads || path.stem() == example.name;
      if (found || (!leads && !example.path.empty())) continue;
      example.path = path;
      main = std::move(spec);
      found = leads;
    }
    example.title = main.about.title;
    example.paper = main.about.paper;
    example.seconds = main.about.seconds;
    list.push_back(std::move(example));
  }
  std::sort(list.begin(), list.end(), [](const Example& x, const Example& y) { return x.name < y.name; });
  return list;
}

}  // namespace grus
