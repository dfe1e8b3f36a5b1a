// Single values of a scene: numbers (or formulas of the scene's parameters), vectors, names, choices. Each function
// returns nothing after adding a fault.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/hash.hpp"
#include "io/scene/document.hpp"
#include "math/vector.hpp"
#include "model/time_function.hpp"
#include "model/triangle_mesh.hpp"

namespace grus::scene {

// Six digits without the clutter of exponents: 1e-9, 1e6.
std::string plain_number(Real value);

// An interval of allowed values. The limits are generous, but finite: squares and cubes of anything that passes stay
// far from overflow and underflow.
struct Range {
  Real min = -1e9;
  Real max = 1e9;
  const char* unit = "";
  bool without_min = false;  // min itself is excluded
  std::string words() const;
  bool holds(Real value) const { return (without_min ? value > min : value >= min) && value <= max; }
};

inline constexpr Real largest = 1e9;
inline constexpr Range any_number{-largest, largest};
inline constexpr Range any_length{-largest, largest, "m"};
inline constexpr Range some_length{1e-9, largest, "m"};
inline constexpr Range some_stiffness{0.0, 1e15};  // also of dampers and of forces
inline constexpr Range any_speed{-1e6, 1e6, "m/s"};
inline constexpr Range any_angle{-largest, largest, "rad"};
inline constexpr Range any_spin{-1e6, 1e6, "rad/s"};
inline constexpr Range some_density{1e-6, largest, "kg/m3"};
inline constexpr Range some_mass{1e-15, 1e12, "kg"};
inline constexpr Range some_inertia{1e-30, 1e15, "kg m2"};
inline constexpr Range later{0.0, largest, "s"};

enum class TextRule {
  any,         // one line of text
  name,        // no quotes, commas, '=' or control characters: names of bodies, materials, columns
  folder,      // a name that is safe as the name of a folder
  expression,  // checked by whoever evaluates it
};

enum class VectorRule {
  point,      // x, y, z; planar: x, y
  direction,  // as point, not zero; made unit
  size,       // as point
  spatial,    // always three
};

std::string type_name(TextRule rule);

// `text` with what is not safe in the name of a folder replaced; the same text when all of it is.
inline constexpr std::size_t longest_folder_name = 200;  // file systems take 255 bytes
std::string folder_name(std::string text);
std::string type_name(VectorRule rule);

class ValueReader {
 public:
  explicit ValueReader(FaultList& faults) : faults_(faults) {}

  std::optional<Real> number(const std::string& key, const Node& node, const Range& range);
  std::optional<std::int64_t> integer(const std::string& key, const Node& node, const Range& range);
  std::optional<bool> boolean(const std::string& key, const Node& node);
  std::optional<std::string> text(const std::string& key, const Node& node, TextRule rule);
  std::optional<std::size_t> choice(const std::string& key, const Node& node, const std::vector<std::string>& words);
  std::optional<Vec3> vector(const std::string& key, const Node& node, VectorRule rule, const Range& range);
  // `count` numbers, or any number of them with count < 0.
  std::optional<std::vector<Real>> numbers(const std::string& key, const Node& node, int count, const Range& range);
  // Pairs of numbers [[a, b], ...], at least one.
  std::optional<std::vector<std::pair<Real, Real>>> points(const std::string& key, const Node& node, const Range& first,
                                                           const Range& second);
  // Items of a list of elements; empty after a fault.
  const std::vector<NodePtr>& list(const std::string& key, const Node& node);

  void define_parameter(const std::string& name, Real value) { parameters_[name] = value, formulas_.clear(); }
  const std::map<std::string, Real>& parameters() const { return parameters_; }
  InputNames inputs;  // functions of time may use them

  void fault(const Node& node, std::string message) { faults_.add(node.mark.source(), std::move(message)); }
  void fault(const Entry& entry, std::string message) { faults_.add(entry.mark.source(), std::move(message)); }
  // "key: found X, expected Y"
  void mismatch(const std::string& key, const Node& node, const std::string& expected);
  FaultList& faults() { return faults_; }

  // What a scene takes from other files is part of it: their content goes into the scene's hash.
  void add_file_content(const TriangleMesh& mesh);
  void add_file_content(std::uint64_t digest) { file_contents_.value(digest), has_files_ = true; }
  std::optional<std::uint64_t> file_digest() const {
    return has_files_ ? std::optional(file_contents_.digest()) : std::nullopt;
  }

  bool may_read_files = true;
  bool planar = false;
  std::map<std::string, SourceMark> marks;  // of single values by path from the root
  std::string path;                         // of the section being read; see read_object
  bool in_list = false;                     // elements of lists have no path

 private:
  std::optional<Real> value_of(const std::string& key, const Node& node, const std::string& expected);

  FaultList& faults_;
  Hash file_contents_;
  bool has_files_ = false;
  std::map<std::string, Real> parameters_;
  std::unordered_map<std::string, Real> formulas_;  // values of formulas already read: beds repeat them
};

}  // namespace grus::scene
