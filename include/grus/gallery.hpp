// The examples that come with the program.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace grus {

struct Example {
  std::string name;                                      // folder under examples/
  std::string path;                                      // of its main scene
  std::vector<std::string> scenes;                       // file names
  std::map<std::string, std::vector<std::string>> runs;  // names of the runs of each scene that is a study
  std::string title;                                     // what it shows
  std::string paper;
  double seconds = 0.0;  // run time on two cores
};

// Sorted by name. Throws IoError when the examples folder is not found.
std::vector<Example> examples();

}  // namespace grus
