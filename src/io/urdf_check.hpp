// What is wrong with the text of a URDF file, with lines. Done before urdfdom reads it: the library knows no lines,
// goes on without a shape or a link that it cannot read, and recurses without end on links that are their own parents.
#pragma once

#include <string_view>
#include <vector>

#include "io/xml_outline.hpp"

namespace grus {

// Empty when the file can be read: one tree of links, every number a number, every shape a known one.
std::vector<XmlFault> check_urdf(std::string_view text);

}  // namespace grus
