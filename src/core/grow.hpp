// Scratch arrays that fluctuate in size from step to step: grown with room to spare, so that a steady run stops
// allocating. (std::vector::assign takes exactly what it is asked for, and would allocate at every new maximum.)
#pragma once

#include <cstddef>
#include <vector>

namespace grus {

// Empties `values`; up to `count` can be pushed back without allocating.
template <class T>
void clear_with_room(std::vector<T>& values, std::size_t count) {
  values.clear();
  if (count > values.capacity()) values.reserve(count + count / 2);
}

template <class T>
void assign_with_room(std::vector<T>& values, std::size_t count, const T& value) {
  clear_with_room(values, count);
  values.assign(count, value);
}

// New elements are zero.
template <class T>
void resize_with_room(std::vector<T>& values, std::size_t count) {
  if (count > values.capacity()) values.reserve(count + count / 2);
  values.resize(count);
}

}  // namespace grus
