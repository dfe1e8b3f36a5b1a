#include "simulation/provide_beds.hpp"

#include <cstdlib>
#include <filesystem>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "grus/version.hpp"
#include "io/bed_file.hpp"
#include "io/scene/scene.hpp"
#include "io/whole_file.hpp"
#include "multibody/make_scene.hpp"

namespace grus {

namespace {

// A bed may lie on a bed; deeper nests are circles.
constexpr int deepest_bed = 8;

std::filesystem::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string own = variable("GRUS_CACHE"); !own.empty()) return own;
  if (const std::string user = variable("XDG_CACHE_HOME"); !user.empty()) return std::filesystem::path(user) / "grus";
  if (const std::string home = variable("HOME"); !home.empty()) return std::filesystem::path(home) / ".cache" / "grus";
  return std::filesystem::temp_directory_path() / "grus";
}

// Of the bytes of this program: every change of a solver may change a bed.
std::uint64_t program_hash() {
  static const std::uint64_t digest = [] {
    const std::string bytes = read_whole_file("/proc/self/exe");
    Hash hash;
    hash.bytes(bytes.data(), bytes.size());
    return hash.digest();
  }();
  return digest;
}

std::string cache_path(const Spec& bed_scene) {
  Hash hash;
  hash.value(bed_scene.hash);
  hash.value(program_hash());
  return (cache_folder() / fmt::format("bed-{}.h5", to_hex(hash.digest()))).string();
}

Spec load_bed_scene(const GeneratorSpec& generator) {
  std::vector<std::string> overrides;
  for (const auto& [name, value] : generator.bed_set) overrides.push_back(fmt::format("{}={}", name, value));
  Spec spec = load_scene(generator.bed_scene, overrides);
  if (!spec.settle)
    throw InputError({Fault{generator.mark, fmt::format("generator '{}': {} makes no bed, it has no 'settle'",
                                                        generator.name, generator.bed_scene)}});
  return spec;
}

// A full disk or a folder that cannot be written costs time later, not the run.
void keep_bed(const std::string& path, const BedFile& file, const SettleCallbacks& callbacks) {
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  try {
    write_bed(path, file);
  } catch (const IoError& error) {
    if (callbacks.message) callbacks.message(fmt::format("warning: the bed cannot be kept: {}", error.what()));
  }
}

class Provider {
 public:
  Provider(int threads, const SettleCallbacks& callbacks) : threads_(threads), callbacks_(callbacks) {}

  bool provide(Spec& spec, int depth) {
    if (depth > deepest_bed)
      throw InputError({Fault{{spec.file, 0, 0}, "its beds lie on beds without end: a scene asks for itself"}});
    for (GeneratorSpec& generator : spec.generators) {
      if (generator.kind != GeneratorSpec::Kind::bed || generator.bed) continue;
      if (!generator.bed_file.empty())
        generator.bed = std::make_shared<const Bed>(read_bed(generator.bed_file).bed);
      else if (!make(generator, depth))
        return false;
      mix(spec, *generator.bed);
    }
    return true;
  }

 private:
  static void mix(Spec& spec, const Bed& bed) {
    Hash hash;
    hash.value(spec.hash);
    hash.value(bed_hash(bed));
    spec.hash = hash.digest();
  }

  bool make(GeneratorSpec& generator, int depth) {
    Spec scene = load_bed_scene(generator);
    if (!provide(scene, depth + 1)) return false;
    generator.bed = keep_or_make_bed(scene, threads_, callbacks_);
    return generator.bed != nullptr;
  }

  int threads_;
  const SettleCallbacks& callbacks_;
};

void check_nested(Spec& spec, int depth, std::set<std::uint64_t>& checked, std::vector<std::string>& warnings) {
  if (depth > deepest_bed)
    throw InputError({Fault{{spec.file, 0, 0}, "its beds lie on beds without end: a scene asks for itself"}});
  for (GeneratorSpec& generator : spec.generators) {
    if (generator.kind != GeneratorSpec::Kind::bed || generator.bed) continue;
    if (!generator.bed_file.empty()) {
      generator.bed = std::make_shared<const Bed>(read_bed(generator.bed_file).bed);
      continue;
    }
    generator.bed_is_unknown = true;
    Spec scene = load_bed_scene(generator);
    if (checked.contains(scene.hash)) continue;
    check_nested(scene, depth + 1, checked, warnings);
    for (std::string& warning : make_scene(scene).warnings) warnings.push_back(std::move(warning));
    checked.insert(scene.hash);
  }
}

}  // namespace

bool provide_beds(Spec& spec, int threads, const SettleCallbacks& callbacks) {
  return Provider(threads, callbacks).provide(spec, 0);
}

std::shared_ptr<const Bed> keep_or_make_bed(const Spec& scene, int threads, const SettleCallbacks& callbacks) {
  const auto say = [&](const std::string& line) {
    if (callbacks.message) callbacks.message(line);
  };
  const std::string path = cache_path(scene);
  if (auto bed = read_kept_bed(path, scene.hash)) return bed;
  say(fmt::format("bed: making the stones of {} first; they are kept as {}", scene.file, path));
  std::optional<SettledBed> settled = settle_bed(scene, Parallel(threads), callbacks);
  if (!settled) return nullptr;
  for (const std::string& line : settled->statistics.words()) say("bed: " + line);
  BedFile file{std::move(settled->bed), scene.text, scene.hash, version(), settled->statistics.named()};
  keep_bed(path, file, callbacks);
  return std::make_shared<const Bed>(std::move(file.bed));
}

std::vector<std::string> check_beds(Spec& spec, std::set<std::uint64_t>& checked) {
  std::vector<std::string> warnings;
  check_nested(spec, 0, checked, warnings);
  return warnings;
}

}  // namespace grus
