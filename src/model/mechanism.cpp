#include "model/mechanism.hpp"

namespace grus {

std::vector<std::string> coordinate_variables(const std::vector<std::string>& coordinate_names,
                                              const std::vector<std::string>& input_names) {
  std::vector<std::string> names{"t"};
  for (const std::string& name : coordinate_names) {
    names.push_back(name);
    names.push_back(name + ".rate");
  }
  names.insert(names.end(), input_names.begin(), input_names.end());
  return names;
}

std::vector<std::string> force_variables(const std::vector<std::string>& coordinate_names,
                                         const std::vector<std::string>& input_names,
                                         const std::vector<std::string>& memory_names) {
  std::vector<std::string> names = coordinate_variables(coordinate_names, input_names);
  names.insert(names.end(), memory_names.begin(), memory_names.end());
  return names;
}

}  // namespace grus
