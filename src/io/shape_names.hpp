// The word for each shape in files; the same as in scenes.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "model/shape.hpp"

namespace grus {

inline constexpr std::array<std::string_view, shape_kind_count> shape_names = {
    "sphere", "capsule", "cylinder", "box", "plane", "disk", "polygon", "tube", "ring", "polyhedron", "triangle"};

inline std::string_view shape_name(ShapeKind kind) { return shape_names[static_cast<std::size_t>(kind)]; }

inline std::optional<ShapeKind> shape_of_name(std::string_view name) {
  for (std::size_t i = 0; i < shape_names.size(); ++i) {
    if (shape_names[i] == name) return static_cast<ShapeKind>(i);
  }
  return std::nullopt;
}

}  // namespace grus
