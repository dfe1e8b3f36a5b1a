// The elements of an XML text with their lines: strict, without recursion, bounded in depth and number. For checking a
// file of unknown origin before a library with neither lines nor bounds reads it.
//
// Elements, attributes, comments, processing instructions and CDATA; text between tags is skipped. Documents with a
// DOCTYPE are refused: entities are a way to make ten bytes into gigabytes. So are two attributes of one name, and two
// roots.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace grus {

struct XmlElement {
  std::string_view name;  // of the text that was parsed
  int line = 1;
  int parent = -1;                                                        // in XmlOutline::elements; -1: the root
  std::vector<std::pair<std::string_view, std::string_view>> attributes;  // values as written, entities and all
  std::vector<int> children;

  // Null when there is none of this name.
  const std::string_view* attribute(std::string_view wanted) const;
};

struct XmlOutline {
  std::vector<XmlElement> elements;  // the root first, parents before children

  const XmlElement* child(const XmlElement& of, std::string_view name) const;  // the first one, or null
};

struct XmlFault {
  int line = 1;
  std::string message;
};

struct XmlLimits {
  int depth = 32;
  std::size_t elements = 100'000;
  std::size_t attributes = 64;  // of one element
};

// `text` must outlive the outline.
std::variant<XmlOutline, XmlFault> parse_xml_outline(std::string_view text, const XmlLimits& limits);

}  // namespace grus
