// Scratch arrays that fluctuate in size from step to step: grown with room to spare, so that a steady run stops
// allocating. (std::vector::assign takes exactly what it is asked for, and would allocate at every new maximum.)
#pragma once

#include <cstddef>
#include <vector>

namespace grus {

template <class T>
void assign_with_room(std::vector<T>& values, std::size_t count, const T& value) {
  if (count > values.capacity()) values.reserve(count + count / 2);
  values.assign(count, value);
}

// New elements are zero.
template <class T>
void resize_with_room(std::vector<T>& values, std::size_t count) {
  if (count > values.capacity()) values.reserve(count + count / 2);
  values.resize(count);
}

}  // namespace grus
