#include "model/state.hpp"

#include "core/hash.hpp"
#include "model/state_fields.hpp"

namespace grus {

namespace {

struct HashField {
  Hash& hash;

  void operator()(const char*, Real value) const { hash.value(value); }
  void operator()(const char*, std::int64_t value) const { hash.value(value); }
  template <class T>
  void operator()(const char*, const std::vector<T>& values) const {
    // no padding, so the bytes are the values
    static_assert(sizeof(T) == sizeof(Real) || sizeof(T) == sizeof(Vec3) || sizeof(T) == sizeof(Quat) ||
                  sizeof(T) == sizeof(ContactKey) || sizeof(T) == sizeof(std::uint32_t));
    static_assert(sizeof(Vec3) == 3 * sizeof(Real) && sizeof(Quat) == 4 * sizeof(Real) && sizeof(ContactKey) == 12);
    // the length first, so that fields of different lengths cannot run into one another
    hash.value(static_cast<std::uint64_t>(values.size()));
    hash.bytes(values.data(), values.size() * sizeof(T));
  }
};

}  // namespace

std::uint64_t state_hash(const State& state) {
  Hash hash;
  visit_fields(state, HashField{hash});
  return hash.digest();
}

}  // namespace grus
