#include "model/size_distribution.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace grus {

namespace {

using SizeKind = SizeSpec::Kind;

bool positive(Real x) { return std::isfinite(x) && x > 0.0; }

// Truncation where none was given: three standard deviations.
std::pair<Real, Real> limits(const SizeSpec& spec) {
  constexpr Real deviations = 3.0;
  switch (spec.kind) {
    case SizeKind::fixed:
      return {spec.diameter, spec.diameter};
    case SizeKind::uniform:
      return {spec.min, spec.max};
    case SizeKind::normal:
      if (spec.max == 0.0)
        return {spec.diameter - deviations * spec.deviation, spec.diameter + deviations * spec.deviation};
      return {spec.min, spec.max};
    case SizeKind::lognormal:
      if (spec.max == 0.0)
        return {spec.diameter * std::exp(-deviations * spec.deviation),
                spec.diameter * std::exp(deviations * spec.deviation)};
      return {spec.min, spec.max};
    case SizeKind::discrete:
    case SizeKind::sieve: {
      const auto [low, high] = std::minmax_element(spec.points.begin(), spec.points.end());
      return {low->first, high->first};
    }
  }
  return {0.0, 0.0};
}

std::optional<std::string> bell_error(const SizeSpec& spec) {
  if (!positive(spec.diameter)) return fmt::format("size: diameter is {}, expected more than 0", spec.diameter);
  if (!(std::isfinite(spec.deviation) && spec.deviation >= 0.0))
    return fmt::format("size: deviation is {}, expected 0 or more", spec.deviation);
  const auto [low, high] = limits(spec);
  if (!positive(low) || !positive(high) || low > high)
    return fmt::format(
        "size: smallest {} and largest {} diameter (min and max, or three deviations) must be positive "
        "and in order",
        low, high);
  if (spec.deviation > 0.0) {
    // draws outside are thrown away, so the range must hold a fair part of them
    const auto below = [&](Real d) {
      const Real score = spec.kind == SizeKind::normal ? d - spec.diameter : std::log(d / spec.diameter);
      return 0.5 * std::erfc(-score / (std::sqrt(2.0) * spec.deviation));
    };
    constexpr Real least_part = 1e-3;
    if (below(high) - below(low) < least_part)
      return fmt::format("size: the range from {} to {} holds almost nothing of the distribution about {}", low, high,
                         spec.diameter);
  }
  if (spec.deviation == 0.0 && (low > spec.diameter || high < spec.diameter))
    return fmt::format("size: diameter {} lies outside min {} and max {}", spec.diameter, low, high);
  return std::nullopt;
}

std::optional<std::string> points_error(const SizeSpec& spec) {
  const bool sieve = spec.kind == SizeKind::sieve;
  if (spec.points.size() < (sieve ? 2u : 1u))
    return fmt::format("size: {} points, expected at least {}", spec.points.size(), sieve ? 2 : 1);
  Real sum = 0.0;
  for (std::size_t i = 0; i < spec.points.size(); ++i) {
    const auto& [diameter, share] = spec.points[i];
    if (!positive(diameter)) return fmt::format("size: diameter {} of a point, expected more than 0", diameter);
    if (!std::isfinite(share) || share < 0.0)
      return fmt::format("size: share {} of a point, expected 0 or more", share);
    sum += share;
    if (sieve && i > 0 && (diameter <= spec.points[i - 1].first || share < spec.points[i - 1].second))
      return std::string("size: diameters and passing fractions of a sieve curve must rise");
  }
  if (sieve && (spec.points.front().second != 0.0 || spec.points.back().second != 1.0))
    return fmt::format("size: a sieve curve rises from 0 to 1, found {} to {}", spec.points.front().second,
                       spec.points.back().second);
  if (!positive(sum)) return std::string("size: all weights are 0");
  return std::nullopt;
}

}  // namespace

std::optional<std::string> size_error(const SizeSpec& spec) {
  switch (spec.kind) {
    case SizeKind::fixed:
      if (!positive(spec.diameter)) return fmt::format("size: diameter is {}, expected more than 0", spec.diameter);
      return std::nullopt;
    case SizeKind::uniform:
      if (!positive(spec.min) || !positive(spec.max) || spec.min > spec.max)
        return fmt::format("size: min {} and max {} must be positive and in order", spec.min, spec.max);
      return std::nullopt;
    case SizeKind::normal:
    case SizeKind::lognormal:
      return bell_error(spec);
    case SizeKind::discrete:
    case SizeKind::sieve:
      return points_error(spec);
  }
  return std::string("size: unknown kind");
}

SizeDistribution::SizeDistribution(const SizeSpec& spec, bool planar) : spec_(spec), power_(planar ? -1.0 : -2.0) {
  std::tie(smallest_, largest_) = limits(spec);
  if (spec.kind == SizeKind::discrete) {
    Real sum = 0.0;
    for (const auto& point : spec.points) cumulative_.push_back(sum += point.second);
  } else if (spec.kind == SizeKind::sieve) {
    Real sum = 0.0;
    // relative to the largest, so that no power overflows
    for (std::size_t i = 0; i + 1 < spec.points.size(); ++i) {
      const Real a = spec.points[i].first / largest_;
      const Real b = spec.points[i + 1].first / largest_;
      const Real share = spec.points[i + 1].second - spec.points[i].second;
      cumulative_.push_back(sum += share / (b - a) * (std::pow(a, power_) - std::pow(b, power_)));
    }
  }
}

Real SizeDistribution::sample(Random& random) const {
  const auto piece = [&] {
    const Real mark = random.uniform() * cumulative_.back();
    const auto found = std::upper_bound(cumulative_.begin(), cumulative_.end(), mark);
    return static_cast<std::size_t>(std::min(found, cumulative_.end() - 1) - cumulative_.begin());
  };
  switch (spec_.kind) {
    case SizeKind::fixed:
      return spec_.diameter;
    case SizeKind::uniform:
      return random.uniform(spec_.min, spec_.max);
    case SizeKind::normal:
    case SizeKind::lognormal: {
      if (spec_.deviation == 0.0) return spec_.diameter;
      while (true) {
        const Real score = spec_.deviation * random.normal();
        const Real d = spec_.kind == SizeKind::normal ? spec_.diameter + score : spec_.diameter * std::exp(score);
        if (d >= smallest_ && d <= largest_) return d;
      }
    }
    case SizeKind::discrete:
      return spec_.points[piece()].first;
    case SizeKind::sieve: {
      const std::size_t i = piece();
      const Real a = spec_.points[i].first;
      const Real b = spec_.points[i + 1].first;
      const Real high = std::pow(b / a, power_);
      const Real d = a * std::pow(1.0 + random.uniform() * (high - 1.0), 1.0 / power_);
      return std::clamp(d, a, b);
    }
  }
  return spec_.diameter;
}

}  // namespace grus
