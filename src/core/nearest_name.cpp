#include "core/nearest_name.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace grus {

namespace {
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

// Names longer than this are not typed by hand; the bound keeps hostile input cheap.
constexpr std::size_t longest_compared = 100;
}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  a = a.substr(0, longest_compared);
  b = b.substr(0, longest_compared);
  // Rows i-2, i-1 and i of the table of distances between prefixes.
  std::vector<int> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& candidates) {
  std::string best;
  int best_distance = 0;
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(name, candidate);
    const int allowed = std::max(1, static_cast<int>(std::max(name.size(), candidate.size())) / 3);
    if (distance > allowed || (!best.empty() && distance >= best_distance)) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string name_hint(std::string_view name, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_name(name, candidates);
  if (!nearest.empty()) return fmt::format(" (did you mean '{}'?)", nearest);
  if (candidates.empty()) return "";
  constexpr std::size_t most_listed = 30;
  if (candidates.size() <= most_listed) return fmt::format(" (known: {})", fmt::join(candidates, ", "));
  const std::vector<std::string> head(candidates.begin(), candidates.begin() + most_listed);
  return fmt::format(" (known: {}, and {} more)", fmt::join(head, ", "), candidates.size() - most_listed);
}

}  // namespace grus
