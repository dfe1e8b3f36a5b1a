// The examples that come with the program.
#pragma once

#include <string>
#include <vector>

namespace grus {

struct Example {
  std::string name;                 // folder under examples/
  std::string path;                 // of its main scene
  std::vector<std::string> scenes;  // file names
  std::string title;                // what it shows
  std::string paper;
  double seconds = 0.0;  // run time on two cores
};

// Sorted by name. Throws IoError when the examples folder is not found.
std::vector<Example> examples();

}  // namespace grus
