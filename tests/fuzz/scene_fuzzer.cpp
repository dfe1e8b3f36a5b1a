// Any bytes are a scene or an InputError with a place: no crash, no hang, no other exception, no undefined behaviour.
// Leading lines "#set name=value" are given as overrides.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "io/scene/scene.hpp"
#include "multibody/make_scene.hpp"

namespace {

// Large beds are legal and slow; the fuzzer looks for faults, not for memory.
bool is_small(const grus::Spec& spec) {
  constexpr grus::Index most_grains = 200;
  for (const grus::GeneratorSpec& generator : spec.generators) {
    const std::int64_t cells = std::int64_t{1} * generator.cells[0] * generator.cells[1] * generator.cells[2];
    if (generator.count.value_or(0) > most_grains || cells > most_grains) return false;
    if (!generator.count && generator.kind == grus::GeneratorSpec::Kind::fill) return false;
  }
  return spec.generators.size() < 10;
}

std::vector<std::string> take_overrides(std::string_view& text) {
  std::vector<std::string> overrides;
  while (text.starts_with("#set ") && overrides.size() < 10) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    overrides.emplace_back(text.substr(5, end - 5));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return overrides;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::vector<std::string> overrides = take_overrides(text);
  try {
    const grus::Spec spec = grus::parse_scene(text, "fuzz.yaml", overrides);
    if (is_small(spec)) grus::make_scene(spec);
    // what is written for reports must read back
    grus::parse_scene(spec.text, "again.yaml");
  } catch (const grus::InputError& error) {
    if (error.faults().empty()) std::abort();
    for (const grus::Fault& fault : error.faults()) {
      if (fault.where.file == "again.yaml" || fault.message.empty()) std::abort();
    }
  }
  return 0;
}
