#include "io/scene/fault_list.hpp"

#include <fmt/format.h>

namespace grus::scene {

void FaultList::add(SourceMark where, std::string message) {
  ++count_;
  if (!full()) faults_.push_back({std::move(where), std::move(message)});
}

void FaultList::raise() const {
  if (empty()) return;
  std::vector<Fault> faults = faults_;
  if (count_ > faults.size())
    faults.push_back({faults.back().where, fmt::format("and {} more faults from here on", count_ - faults.size())});
  throw InputError(std::move(faults));
}

std::string quoted(const std::string& text) {
  constexpr std::size_t longest = 60;
  std::string shown = "'";
  for (const char c : text.substr(0, longest)) shown += (c >= 0 && c < ' ') || c == 0x7f ? '?' : c;
  // a cut may leave half a multi-byte character
  if (text.size() > longest) {
    while (shown.size() > 1 && (static_cast<unsigned char>(shown.back()) & 0xc0) == 0x80) shown.pop_back();
    if (static_cast<unsigned char>(shown.back()) >= 0xc0) shown.pop_back();
    shown += "...";
  }
  return shown + "'";
}

}  // namespace grus::scene
