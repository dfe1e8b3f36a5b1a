// Grain diameters drawn from a SizeSpec.
//
// Sieve curves give the fraction P of the *mass* that passes a diameter, linear between the points. The number density
// is then n(d) ~ P'(d)/d^k with k = 3 (2 in the plane), so a piece from a to b with mass share p holds numbers in
// proportion to p/(b - a) * (a^(1-k) - b^(1-k))/(k - 1), and within it d^(1-k) is uniform.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "model/spec.hpp"

namespace grus {

// What is wrong with it, if anything.
std::optional<std::string> size_error(const SizeSpec& spec);

class SizeDistribution {
 public:
  // `spec` must be without error.
  SizeDistribution(const SizeSpec& spec, bool planar);

  Real sample(Random& random) const;
  Real smallest() const { return smallest_; }
  Real largest() const { return largest_; }

 private:
  SizeSpec spec_;
  Real power_;                    // 1 - k
  Real smallest_, largest_;       // m
  std::vector<Real> cumulative_;  // discrete and sieve: share of the number up to and with piece i
};

}  // namespace grus
