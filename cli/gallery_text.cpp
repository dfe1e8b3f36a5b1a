#include "gallery_text.hpp"

#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "grus/gallery.hpp"

namespace grus {

bool print_gallery(const std::string& name, bool json) {
  const std::vector<Example> all = examples();
  if (!name.empty()) {
    for (const Example& example : all) {
      if (example.name != name) continue;
      fmt::print("{}\n", example.path);
      return true;
    }
    fmt::print(stderr, "grus: no example '{}'; `grus examples` lists them\n", name);
    return false;
  }
  if (json) {
    nlohmann::json list = nlohmann::json::array();
    for (const Example& example : all)
      list.push_back({{"name", example.name},
                      {"path", example.path},
                      {"scenes", example.scenes},
                      {"runs", example.runs},
                      {"title", example.title},
                      {"paper", example.paper},
                      {"seconds", example.seconds}});
    fmt::print("{}\n", list.dump(2));
    return true;
  }
  for (const Example& example : all)
    fmt::print("{:18} {:5.0f} s  {}{}\n", example.name, example.seconds, example.title,
               example.paper.empty() ? "" : " (" + example.paper + ")");
  return true;
}

}  // namespace grus
