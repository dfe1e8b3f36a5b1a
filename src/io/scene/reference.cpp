// docs/scene-reference.md from the tables of the schema.
#include "io/scene/scene.hpp"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/scene/tables.hpp"

namespace grus {

using namespace scene;

namespace {

// Depth first, each object once, in the order of its first use.
void collect(const Object& object, std::vector<const Object*>& order, std::set<const Object*>& seen) {
  if (!seen.insert(&object).second) return;
  order.push_back(&object);
  for (const Field& field : object.fields) {
    if (field.nested) collect(*field.nested, order, seen);
  }
}

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

std::string anchor(const std::string& name) {
  std::string link = name;
  for (char& c : link) {
    if (c == ' ') c = '-';
  }
  return link;
}

std::string type_cell(const Field& field) {
  std::string text = cell(field.type);
  if (field.nested && field.type.find(field.nested->name) != std::string::npos) {
    const std::size_t at = text.rfind(field.nested->name);
    text.replace(at, field.nested->name.size(),
                 fmt::format("[{}](#{})", field.nested->name, anchor(field.nested->name)));
  }
  if (!field.range.empty()) text += ", " + field.range;
  return text;
}

std::string default_cell(const Field& field) {
  if (field.required && field.only_of.empty()) return "**required**";
  if (field.required) return fmt::format("**required** with {}", fmt::join(field.only_of, ", "));
  return cell(field.fallback);
}

std::string object_section(const Object& object) {
  std::string text = fmt::format("## {}\n\n{}\n\n", object.name, object.about);
  for (const OneOf& group : object.one_of)
    text += fmt::format("{} of: {}.\n\n", group.required ? "Exactly one" : "At most one", fmt::join(group.keys, ", "));
  text += "| key | value | unit | default | meaning |\n|---|---|---|---|---|\n";
  for (const Field& field : object.fields) {
    std::string about = cell(field.about);
    if (!field.only_of.empty()) about += fmt::format(" (only {})", fmt::join(field.only_of, ", "));
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", field.key, type_cell(field), field.unit, default_cell(field),
                        about);
  }
  return text + "\n";
}

constexpr const char* head = R"(# Scene reference

Generated from the reader's own tables (`src/io/scene/*_table.cpp`): rewrite it with
`build/grus reference > docs/scene-reference.md`; a test compares.

A scene is a YAML file. Units are SI: m, kg, s, N, rad. The smallest scene that moves:

```yaml
time: {step: 1e-3, end: 1}
materials: [{name: glass, density: 2500}]
pairs: [{between: [glass, glass], friction: 0.3, restitution: 0.9}]
bodies:
  - {name: ball, shape: {sphere: {radius: 0.1}}, position: [0, 0, 1]}
walls:
  - {name: floor, plane: {normal: [0, 0, 1]}}
probes:
  - {column: ball.z, body: ball, quantity: position.z}
```

- **Numbers.** Wherever a number stands, so may a formula of the scene's `parameters` with `pi` and `e`:
  `radius: 0.5*d`. Operators `+ - * / ^ ( ) ?:` and comparisons; functions sin, cos, tan, asin, acos, atan, atan2,
  sinh, cosh, tanh, exp, ln, log10, sqrt, cbrt, abs, sign, rint, min, max. NaN and infinity are refused.
- **Motions** are expressions of `t` in the same language.
- **Planar scenes** (`planar: true`) live in the xy plane: points have two numbers, turns are about z.
- **Files** are composed by `include`: maps merge, lists of elements append, other values of the including file win; where
  two included files disagree on a value, the including file must give it.
- **Conditions.** `when: formula` in any map leaves the map out, with its place in the list or its key, where the
  formula of `parameters` is zero or false: `{name: lid, when: closed, ...}`. With `expression` a driven motion can
  be one of two variants: `drive: {expression: 2*pi*t, when: driven}`.
- **Overrides.** `--set NAME=value` sets a parameter of the scene, or else a setting by its path, such as `time.step`,
  `solver.tolerance` or `outputs.vtk`. The paths are listed at the end.
- **Faults** are all reported at once as `file:line:column: message`.

)";

}  // namespace

std::string scene_reference_markdown() {
  std::vector<const Object*> order;
  std::set<const Object*> seen;
  collect(scene_table(), order, seen);
  std::string text = head;
  for (const Object* object : order) text += object_section(*object);
  text += "## Settings that --set reaches\n\n";
  for (const std::string& path : setting_paths(scene_table())) text += fmt::format("- `{}`\n", path);
  return text;
}

}  // namespace grus
