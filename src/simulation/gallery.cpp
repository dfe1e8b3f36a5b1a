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
    // The main scene carries the folder's name; a folder without one is spoken for by its first scene.
    const fs::path named = entry.path() / (example.name + ".yaml");
    example.path = fs::exists(named) ? named : entry.path() / example.scenes.front();
    const Spec spec = load_scene(example.path);
    example.title = spec.about.title;
    example.paper = spec.about.paper;
    example.seconds = spec.about.seconds;
    list.push_back(std::move(example));
  }
  std::sort(list.begin(), list.end(), [](const Example& x, const Example& y) { return x.name < y.name; });
  return list;
}

}  // namespace grus
