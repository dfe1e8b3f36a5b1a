#include "io/hdf5_arrays.hpp"

#include <cstring>

#include <fmt/format.h>

#include "io/hdf5_memory.hpp"
#include "io/reader_limits.hpp"
#include "io/reader_program.hpp"

namespace grus {
namespace {

using Kind = Hdf5Array::Kind;

// One kind for each type that our files have: real, signed and unsigned of 8 bytes, unsigned of 4, bytes of text.
constexpr char real_kind = 'd', int_kind = 'i', unsigned_kind = 'u', index_kind = 'w', text_kind = 'b';

char kind_of(const Hdf5Array& array) {
  if (array.kind == Kind::real && array.element_size == 8) return real_kind;
  if (array.kind != Kind::whole) return 0;
  if (array.is_signed) return array.element_size == 8 ? int_kind : char{0};
  return array.element_size == 8   ? unsigned_kind
         : array.element_size == 4 ? index_kind
         : array.element_size == 1 ? text_kind
                                   : char{0};
}

template <class T>
void append_number(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

std::string array_bytes(const Hdf5Memory& file, const std::string& name, char kind, std::size_t columns) {
  switch (kind) {
    case real_kind:
      return bytes_of(file.read_real(name, columns));
    case int_kind:
      return bytes_of(file.read_int(name, columns));
    case unsigned_kind:
      return bytes_of(file.read_unsigned(name, columns));
    case index_kind:
      return bytes_of(file.read_index(name, columns));
    default:
      return file.read_text(name);
  }
}

}  // namespace

std::string pack_hdf5_arrays(const std::string& image) {
  const Hdf5Memory file(image);
  // Two arrays can claim the same bytes of a forged file.
  std::uint64_t budget = image.size();
  std::string packed;
  for (const std::string& name : file.arrays()) {
    const Hdf5Array array = file.describe(name);
    const char kind = kind_of(array);
    if (kind == 0 || array.rank > 2 || (kind == text_kind && array.rank > 1))
      throw Hdf5Error(name + " has a type or shape that no array of this program has");
    if (array.packed) throw Hdf5Error(name + " lies in chunks, expected one piece");
    if (array.count > budget / array.element_size)
      throw Hdf5Error(
          fmt::format("{}: found {} elements announced, more than the file has bytes for", name, array.count));
    budget -= array.count * array.element_size;
    const std::size_t columns = array.rank == 2 ? array.columns : 1;
    const std::string bytes = array_bytes(file, name, kind, columns);
    packed += kind;
    append_number(packed, std::uint64_t{columns});
    append_number(packed, std::uint64_t{name.size()});
    append_number(packed, std::uint64_t{bytes.size()});
    packed += name;
    packed += bytes;
  }
  return packed;
}

Hdf5Arrays Hdf5Arrays::read(const std::string& image) {
  const GuardedResult result = read_apart(ReaderTask::own_arrays, image);
  if (!result.finished) throw Hdf5Error(result.reason);
  return unpack(result.bytes);
}

Hdf5Arrays Hdf5Arrays::unpack(std::string_view packed) {
  Hdf5Arrays arrays;
  const auto take = [&](std::uint64_t size) {
    // the other process may have been broken by what it read
    if (size > packed.size()) throw Hdf5Error("the library that reads it broke down");
    const std::string_view taken = packed.substr(0, size);
    packed.remove_prefix(size);
    return taken;
  };
  const auto take_number = [&] {
    std::uint64_t number = 0;
    std::memcpy(&number, take(sizeof number).data(), sizeof number);
    return number;
  };
  while (!packed.empty()) {
    Array array;
    array.kind = take(1)[0];
    array.columns = take_number();
    const std::uint64_t name_size = take_number(), byte_size = take_number();
    const std::string name(take(name_size));
    array.bytes = take(byte_size);
    arrays.arrays_[name] = std::move(array);
  }
  return arrays;
}

template <class T>
std::vector<T> Hdf5Arrays::values(const std::string& name, char kind, std::size_t columns) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) throw Hdf5Error("cannot find " + name);
  const Array& array = found->second;
  if (array.kind != kind || array.columns != columns || array.bytes.size() % (sizeof(T) * columns) != 0)
    throw Hdf5Error("cannot read " + name + ": it has another type or shape");
  std::vector<T> result(array.bytes.size() / sizeof(T));
  if (!result.empty()) std::memcpy(result.data(), array.bytes.data(), array.bytes.size());
  return result;
}

std::vector<double> Hdf5Arrays::read_real(const std::string& name, std::size_t columns) const {
  return values<double>(name, real_kind, columns);
}
std::vector<std::int64_t> Hdf5Arrays::read_int(const std::string& name, std::size_t columns) const {
  return values<std::int64_t>(name, int_kind, columns);
}
std::vector<std::uint64_t> Hdf5Arrays::read_unsigned(const std::string& name, std::size_t columns) const {
  return values<std::uint64_t>(name, unsigned_kind, columns);
}
std::vector<std::uint32_t> Hdf5Arrays::read_index(const std::string& name, std::size_t columns) const {
  return values<std::uint32_t>(name, index_kind, columns);
}
std::string Hdf5Arrays::read_text(const std::string& name) const {
  const std::vector<char> letters = values<char>(name, text_kind, 1);
  return {letters.begin(), letters.end()};
}

std::vector<std::string> Hdf5Arrays::list(const std::string& group) const {
  std::vector<std::string> names;
  const std::string head = group + "/";
  for (const auto& [name, array] : arrays_) {
    if (name.starts_with(head) && name.find('/', head.size()) == std::string::npos)
      names.push_back(name.substr(head.size()));
  }
  return names;
}

}  // namespace grus
