#include "io/urdf_check.hpp"

#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "io/reader_limits.hpp"
#include "io/scene/utf8.hpp"
#include "io/text_words.hpp"

namespace grus {
namespace {

constexpr std::size_t most_faults = 20;

bool is_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return !word.empty() && error == std::errc{} && end == word.data() + word.size() && std::isfinite(value);
}

class UrdfChecker {
 public:
  UrdfChecker(const XmlOutline& xml, std::vector<XmlFault>& faults) : xml_(xml), faults_(faults) {}

  void check() {
    const XmlElement& robot = xml_.elements.front();
    if (robot.name != "robot") return fault(robot, fmt::format("found <{}>, expected <robot>", robot.name));
    text(robot, "name");
    for (const int number : robot.children) {
      const XmlElement& element = at(number);
      if (element.name == "link") check_link(element);
      if (element.name == "joint") joints_.push_back(number);
    }
    if (links_.empty()) return fault(robot, "found no <link>");
    if (links_.size() > most_urdf_links)
      return fault(robot, fmt::format("found {} links, at most {} are read", links_.size(), most_urdf_links));
    for (const int number : joints_) check_joint(at(number));
    if (faults_.empty()) check_tree(robot);
  }

 private:
  const XmlElement& at(int number) const { return xml_.elements[static_cast<std::size_t>(number)]; }

  void fault(const XmlElement& element, std::string message) {
    if (faults_.size() < most_faults) faults_.push_back({element.line, std::move(message)});
  }

  // An attribute that must be there and not be empty.
  std::string text(const XmlElement& element, std::string_view key) {
    const std::string_view* value = element.attribute(key);
    if (value == nullptr || value->empty()) {
      fault(element, fmt::format("<{}> has no {}", element.name, key));
      return "";
    }
    return std::string(*value);
  }

  void numbers(const XmlElement& element, std::string_view key, int count, bool required) {
    const std::string_view* value = element.attribute(key);
    if (value == nullptr) {
      if (required) fault(element, fmt::format("<{}> has no {}", element.name, key));
      return;
    }
    TextWords words(*value);
    for (int i = 0; i < count; ++i) {
      const std::string_view word = words.next();
      if (is_number(word)) continue;
      fault(element, fmt::format("<{}> {}: found {}, expected {}", element.name, key, found_word(word),
                                 count == 1 ? std::string("a number") : fmt::format("{} numbers", count)));
      return;
    }
    if (!words.at_end())
      fault(element, fmt::format("<{}> {}: found {} after {} numbers, expected nothing more", element.name, key,
                                 found_word(words.next()), count));
  }

  void check_origin(const XmlElement& of) {
    const XmlElement* origin = xml_.child(of, "origin");
    if (origin == nullptr) return;
    numbers(*origin, "xyz", 3, false);
    numbers(*origin, "rpy", 3, false);
  }

  void check_shape(const XmlElement& element) {
    check_origin(element);
    const XmlElement* geometry = xml_.child(element, "geometry");
    if (geometry == nullptr || geometry->children.empty())
      return fault(element, fmt::format("<{}> has no shape, expected <geometry> with one", element.name));
    const XmlElement& shape = at(geometry->children.front());
    if (geometry->children.size() > 1)
      fault(shape, fmt::format("found {} shapes in one <geometry>, expected one", geometry->children.size()));
    if (shape.name == "sphere") {
      numbers(shape, "radius", 1, true);
    } else if (shape.name == "box") {
      numbers(shape, "size", 3, true);
    } else if (shape.name == "cylinder") {
      numbers(shape, "radius", 1, true);
      numbers(shape, "length", 1, true);
    } else if (shape.name == "mesh") {
      text(shape, "filename");
      numbers(shape, "scale", 3, false);
    } else {
      fault(shape, fmt::format("found the shape <{}>, expected box, sphere, cylinder or mesh", shape.name));
    }
  }

  void check_inertial(const XmlElement& inertial) {
    check_origin(inertial);
    const XmlElement* mass = xml_.child(inertial, "mass");
    const XmlElement* inertia = xml_.child(inertial, "inertia");
    if (mass == nullptr || inertia == nullptr) return fault(inertial, "<inertial> expects <mass> and <inertia>");
    numbers(*mass, "value", 1, true);
    for (const char* key : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) numbers(*inertia, key, 1, true);
  }

  void check_link(const XmlElement& link) {
    const std::string name = text(link, "name");
    if (!links_.emplace(name, &link).second)
      fault(link, fmt::format("link {} is there twice, first in line {}", scene::quoted(name), links_[name]->line));
    for (const int number : link.children) {
      const XmlElement& part = at(number);
      if (part.name == "inertial") check_inertial(part);
      if (part.name == "collision" || part.name == "visual") check_shape(part);
    }
  }

  // The link that a joint names at one of its sides; empty after a fault.
  std::string side(const XmlElement& joint, std::string_view which) {
    const XmlElement* element = xml_.child(joint, which);
    if (element == nullptr) {
      fault(joint, fmt::format("<joint> has no <{}>", which));
      return "";
    }
    const std::string name = text(*element, "link");
    if (!name.empty() && !links_.contains(name)) {
      fault(*element, fmt::format("<{}>: found {}, which is no link of the file", which, scene::quoted(name)));
      return "";
    }
    return name;
  }

  void check_joint(const XmlElement& joint) {
    const std::string name = text(joint, "name");
    if (!joint_names_.insert(name).second) fault(joint, fmt::format("joint {} is there twice", scene::quoted(name)));
    text(joint, "type");
    check_origin(joint);
    if (const XmlElement* axis = xml_.child(joint, "axis")) numbers(*axis, "xyz", 3, true);
    if (const XmlElement* limit = xml_.child(joint, "limit")) {
      for (const char* key : {"lower", "upper", "effort", "velocity"}) numbers(*limit, key, 1, false);
    }
    if (const XmlElement* dynamics = xml_.child(joint, "dynamics")) {
      for (const char* key : {"damping", "friction"}) numbers(*dynamics, key, 1, false);
    }
    const std::string parent = side(joint, "parent"), child = side(joint, "child");
    if (parent.empty() || child.empty()) return;
    if (!parent_of_.emplace(child, parent).second)
      fault(joint, fmt::format("link {} is the child of a second joint", scene::quoted(child)));
  }

  // One root, and every link leads to it.
  void check_tree(const XmlElement& robot) {
    std::vector<std::string> roots;
    for (const auto& [name, link] : links_) {
      if (!parent_of_.contains(name)) roots.push_back(name);
    }
    if (roots.size() > 1)
      return fault(*links_[roots[1]], fmt::format("found two links without a parent, {} and {}; expected one root",
                                                  scene::quoted(roots[0]), scene::quoted(roots[1])));
    if (roots.empty()) return fault(robot, "found no link without a parent: every link hangs on another in a circle");
    for (const auto& [name, link] : links_) {
      std::string above = name;
      std::size_t steps = 0;
      while (above != roots[0] && steps <= links_.size()) {
        above = parent_of_[above];
        ++steps;
      }
      if (above != roots[0])
        return fault(*link, fmt::format("link {} is its own parent, through the joints above it", scene::quoted(name)));
    }
  }

  const XmlOutline& xml_;
  std::vector<XmlFault>& faults_;
  std::map<std::string, const XmlElement*> links_;
  std::vector<int> joints_;
  std::set<std::string> joint_names_;
  std::map<std::string, std::string> parent_of_;
};

}  // namespace

std::vector<XmlFault> check_urdf(std::string_view text) {
  if (const auto bad = scene::find_text_fault(text)) return {{bad->line, bad->message}};
  XmlLimits limits;
  limits.depth = deepest_urdf_tag;
  limits.elements = most_urdf_tags;
  const auto parsed = parse_xml_outline(text, limits);
  if (const auto* fault = std::get_if<XmlFault>(&parsed)) return {*fault};
  std::vector<XmlFault> faults;
  UrdfChecker(std::get<XmlOutline>(parsed), faults).check();
  return faults;
}

}  // namespace grus
