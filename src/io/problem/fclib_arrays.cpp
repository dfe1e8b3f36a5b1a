#include "io/problem/fclib_arrays.hpp"

#include <cstring>

#include <fmt/format.h>

#include "io/file_fault.hpp"
#include "io/hdf5_memory.hpp"
#include "io/reader_limits.hpp"
#include "io/reader_program.hpp"

namespace grus {
namespace {

// Deflate, the strongest filter HDF5 brings along, cannot pack more tightly.
constexpr std::uint64_t tightest_packing = 1032;
constexpr std::uint64_t longest_text = 1 << 16;

using Kind = Hdf5Array::Kind;

const char* kind_in_words(Kind kind) {
  switch (kind) {
    case Kind::whole:
      return "whole numbers";
    case Kind::real:
      return "numbers";
    case Kind::string:
      return "a string";
    case Kind::other:
      break;
  }
  return "another type";
}

// Refuses what would not be an array of this kind, or is larger than the bytes that are there for it.
Hdf5Array checked_array(const Hdf5Memory& file, const std::string& name, Kind expected, std::uint64_t& budget) {
  const Hdf5Array array = file.describe(name);
  const bool fits = array.kind == expected || (expected == Kind::real && array.kind == Kind::whole);
  if (!fits)
    throw Hdf5Error(fmt::format("{}: found {}, expected {}", name, kind_in_words(array.kind), kind_in_words(expected)));
  if (array.rank > 1)
    throw Hdf5Error(fmt::format("{}: found an array of {} dimensions, expected one", name, array.rank));
  if (array.element_size > longest_text || (expected != Kind::string && array.element_size > sizeof(double)))
    throw Hdf5Error(fmt::format("{}: found elements of {} bytes", name, array.element_size));
  const std::uint64_t backed = array.stored_bytes / array.element_size;
  const std::uint64_t most = array.packed ? (backed + 1) * tightest_packing : backed;
  if (array.count > most)
    throw Hdf5Error(fmt::format("{}: found {} elements announced, but stored are only {} bytes", name, array.count,
                                array.stored_bytes));
  if (array.count > budget / sizeof(double))
    throw Hdf5Error(fmt::format("{}: found {} elements, more than are read from a problem file", name, array.count));
  budget -= array.count * sizeof(double);
  return array;
}

template <class T>
void append_raw(std::string& bytes, const T* values, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(values), count * sizeof(T));
}

// One array in the bytes that pass from process to process: kind, length of the name, number of elements, name,
// elements.
template <class T>
void append_array(std::string& bytes, char kind, const std::string& name, const T* values, std::size_t count) {
  bytes += kind;
  const std::uint64_t sizes[2] = {name.size(), count};
  append_raw(bytes, sizes, 2);
  bytes += name;
  append_raw(bytes, values, count);
}

std::vector<std::string> names_below(const std::string& group, std::initializer_list<const char*> names) {
  std::vector<std::string> full;
  for (const char* name : names) full.push_back(group + "/" + name);
  return full;
}

// In grus-reader.
class ArrayReader {
 public:
  explicit ArrayReader(const std::string& image)
      : file_(image), budget_(most_unpacked_base + most_unpacked_factor * image.size()) {}

  std::string read() {
    const bool local = file_.has("/fclib_local"), global = file_.has("/fclib_global");
    if (!local && !global) throw Hdf5Error("found neither the group /fclib_local nor /fclib_global");
    const std::string group = local ? "/fclib_local" : "/fclib_global";
    append_array(bytes_, 'g', "", group.data(), group.size());
    whole(names_below(group, {"spacedim"}));
    for (const char matrix : std::string_view(local ? "WVR" : "MHG")) {
      whole(names_below(group + "/" + matrix, {"m", "n", "nz", "p", "i"}));
      real(names_below(group + "/" + matrix, {"x"}));
    }
    real(names_below(group + "/vectors", {"q", "mu", "s", "f", "w", "b"}));
    real(names_below(group + "/grus", {"lower", "upper"}));
    for (const char* set : {"/solution", "/guesses/1"}) {
      // Some files have room for a solution that nobody wrote.
      const std::string r = std::string(set) + "/r";
      if (file_.has(r) && file_.describe(r).stored_bytes > 0) real(names_below(set, {"r", "l"}));
    }
    text(names_below(group + "/info", {"title", "description"}));
    return std::move(bytes_);
  }

 private:
  void whole(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!file_.has(name)) continue;
      checked_array(file_, name, Kind::whole, budget_);
      const std::vector<std::int64_t> values = file_.read_int(name, 1);
      append_array(bytes_, 'i', name, values.data(), values.size());
    }
  }
  void real(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!file_.has(name)) continue;
      checked_array(file_, name, Kind::real, budget_);
      const std::vector<double> values = file_.read_real(name, 1);
      append_array(bytes_, 'r', name, values.data(), values.size());
    }
  }
  // Words for people: a file is not refused because of them.
  void text(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
      if (!file_.has(name)) continue;
      const Hdf5Array array = file_.describe(name);
      if (array.kind != Kind::string || array.count != 1 || array.element_size > longest_text) continue;
      const std::string value = file_.read_string(name);
      append_array(bytes_, 's', name, value.data(), value.size());
    }
  }

  Hdf5Memory file_;
  std::string bytes_;
  std::uint64_t budget_;  // bytes that arrays may still unpack to
};

}  // namespace

std::string pack_fclib_arrays(const std::string& image) { return ArrayReader(image).read(); }

// What append_array() wrote, unless the other process was broken by what it read.
FclibArrays unpack_fclib_arrays(std::string_view packed) {
  FclibArrays arrays;
  const auto take = [&](std::uint64_t count, std::size_t size) {
    if (count > packed.size() / size) throw Hdf5Error("the library that reads it broke down");
    const std::string_view taken = packed.substr(0, count * size);
    packed.remove_prefix(count * size);
    return taken;
  };
  const auto take_values = [&]<class T>(std::uint64_t count, std::vector<T>& values) {
    const std::string_view bytes = take(count, sizeof(T));
    values.resize(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  };
  while (!packed.empty()) {
    const char kind = take(1, 1)[0];
    std::uint64_t sizes[2] = {0, 0};
    std::memcpy(sizes, take(2, sizeof sizes[0]).data(), sizeof sizes);
    const std::string name(take(sizes[0], 1));
    if (kind == 'g')
      arrays.group = take(sizes[1], 1);
    else if (kind == 's')
      arrays.text[name] = take(sizes[1], 1);
    else if (kind == 'i')
      take_values(sizes[1], arrays.whole[name]);
    else
      take_values(sizes[1], arrays.real[name]);
  }
  return arrays;
}

FclibArrays read_fclib_arrays(const std::string& bytes, const std::string& path) {
  const auto no_problem = [&](const std::string& why) {
    return file_fault(path, fmt::format("is no FCLIB problem: {}", why));
  };
  const GuardedResult result = read_apart(ReaderTask::fclib_arrays, bytes);
  if (!result.finished) throw no_problem(result.reason);
  try {
    return unpack_fclib_arrays(result.bytes);
  } catch (const Hdf5Error& error) {
    throw no_problem(error.what());
  }
}

}  // namespace grus
