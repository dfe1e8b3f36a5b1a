#include "model/model.hpp"

#include <algorithm>

namespace grus {

Index Model::active_count(Real time) const {
  const auto end = std::upper_bound(release_time.begin(), release_time.end(), time);
  return static_cast<Index>(end - release_time.begin());
}

}  // namespace grus
