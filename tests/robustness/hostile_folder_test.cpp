// Folders of runs that somebody else made to do harm: every one is refused in words, quickly, and nothing outside the
// folder is read or changed.
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "grus/analyze.hpp"
#include "grus/error.hpp"
#include "io/report.hpp"
#include "io/whole_file.hpp"
#include "unit/io/example_run.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::testing::hostile_folder_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::ordered_json;

constexpr const char* secret = "what-only-the-reader-may-know";
constexpr std::chrono::seconds patience{10};

// Without waiting for the disk, unlike write_whole_file.
void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

// Written once and copied for every case.
const test::TemporaryDirectory& example() {
  static const test::TemporaryDirectory folder;
  static const bool written = [] {
    test::ExampleRun run;
    run.grains = 12;
    run.frames = 3;
    run.rows = 20;
    test::write_example_run(folder.path(), run);
    return true;
  }();
  static_cast<void>(written);
  return folder;
}

// The folder of a run, and a file beside it that is none of its business.
class Folder {
 public:
  Folder() {
    fs::copy(example().path(), run_path(), fs::copy_options::recursive);
    put(folder_ / "secret", secret);
    fs::create_directory(folder_ / "private");
  }
  std::string run_path() const { return folder_ / "run"; }
  std::string outside(const std::string& name) const { return folder_ / name; }
  std::string path(const std::string& name) const { return run_path() + "/" + name; }

  void edit(const std::string& name, const std::function<void(Json&)>& change) const {
    Json json = Json::parse(read_whole_file(path(name)));
    change(json);
    put(path(name), json.dump());
  }
  void bytes(const std::string& name, std::size_t offset, const void* values, std::size_t size) const {
    std::string all = read_whole_file(path(name));
    std::memcpy(all.data() + offset, values, size);
    put(path(name), all);
  }
  void replace(const std::string& name, const std::string& text) const {
    fs::remove_all(path(name));
    put(path(name), text);
  }
  void link(const std::string& name, const std::string& target) const {
    fs::remove_all(path(name));
    fs::create_symlink(target, path(name));
  }
  void pipe(const std::string& name) const {
    fs::remove_all(path(name));
    ASSERT_EQ(::mkfifo(path(name).c_str(), 0600), 0);
  }
  void directory(const std::string& name) const {
    fs::remove_all(path(name));
    fs::create_directory(path(name));
  }

 private:
  test::TemporaryDirectory folder_;
};

struct Hostile {
  std::string name;
  std::function<void(const Folder&)> make;
};

constexpr const char* index_file = "frames/index.json";
constexpr const char* scene_file = "frames/scene.json";
constexpr const char* part_file = "frames/part-00000.bin";
constexpr const char* summary_file = "summary.json";

// Field `field` of the last frame: 2 part, 3 offset, 4 size, 5 active, 6 contacts.
Hostile entry(const std::string& name, std::size_t field, const Json& value) {
  return {"index entry " + name,
          [=](const Folder& f) { f.edit(index_file, [&](Json& json) { json["frames"][2][field] = value; }); }};
}
Hostile index(const std::string& name, const std::function<void(Json&)>& change) {
  return {"index " + name, [=](const Folder& f) { f.edit(index_file, change); }};
}
Hostile scene(const std::string& name, const std::function<void(Json&)>& change) {
  return {"scene " + name, [=](const Folder& f) { f.edit(scene_file, change); }};
}
Hostile text(const char* file, const std::string& name, const std::string& content) {
  return {std::string(file) + " " + name, [=](const Folder& f) { f.replace(file, content); }};
}

std::vector<Hostile> forged_indices() {
  std::vector<Hostile> all;
  for (const char* part : {"../../secret", "../secret", "/etc/passwd", "part-00001.bin", "part-00000.bin/../x", ""})
    all.push_back(index(std::string("part ") + part, [=](Json& json) { json["parts"][0] = part; }));
  all.push_back(index("two billion bodies", [](Json& json) { json["body_count"] = 2147483647; }));
  all.push_back(index("more bodies than a count holds", [](Json& json) { json["body_count"] = 1e300; }));
  all.push_back(index("negative bodies", [](Json& json) { json["body_count"] = -1; }));
  all.push_back(index("one body more", [](Json& json) { json["body_count"] = 15; }));
  all.push_back(index("another version", [](Json& json) { json["version"] = 99; }));
  all.push_back(index("frames are a word", [](Json& json) { json["frames"] = "all"; }));
  all.push_back(index("no parts", [](Json& json) { json["parts"] = Json::array(); }));
  all.push_back(index("no list of parts", [](Json& json) { json.erase("parts"); }));
  all.push_back(index("a short entry", [](Json& json) { json["frames"][1] = {0.0, 1}; }));
  all.push_back(index("an entry of words", [](Json& json) { json["frames"][1] = "abcdefg"; }));
  all.push_back(entry("part -1", 2, -1));
  all.push_back(entry("part beyond the list", 2, 7));
  all.push_back(entry("offset below 0", 3, -8));
  all.push_back(entry("offset beyond the file", 3, std::int64_t{1} << 62));
  all.push_back(entry("largest offset", 3, 9223372036854775807LL));
  all.push_back(entry("size below 0", 4, -1));
  all.push_back(entry("size 0", 4, 0));
  all.push_back(entry("size of a disk", 4, std::int64_t{1} << 60));
  all.push_back(entry("negative active bodies", 5, -3));
  all.push_back(entry("too many active bodies", 5, 2000000));
  all.push_back(entry("two billion contacts", 6, 2147483647));
  all.push_back(entry("negative contacts", 6, -2));
  return all;
}

std::vector<Hostile> forged_scenes() {
  return {
      scene("two billion bodies", [](Json& json) { json["body_count"] = 2147483647; }),
      scene("more dynamic bodies than bodies", [](Json& json) { json["dynamic_count"] = 99; }),
      scene("negative dynamic bodies", [](Json& json) { json["dynamic_count"] = -1; }),
      scene("a name too few", [](Json& json) { json["body_names"].erase(0); }),
      scene("no groups", [](Json& json) { json["group_of"] = Json::array(); }),
      scene("a group that is not there", [](Json& json) { json["group_of"][0] = 1000; }),
      scene("names are numbers", [](Json& json) { json["body_names"][0] = 3; }),
      scene("a collider of no body", [](Json& json) { json["colliders"]["body"][0] = 1000; }),
      scene("a collider of body -1", [](Json& json) { json["colliders"]["body"][0] = -1; }),
      scene("colliders out of order", [](Json& json) { json["colliders"]["body"][0] = 11; }),
      scene("an unknown shape", [](Json& json) { json["colliders"]["kind"][0] = "teapot"; }),
      scene("a grain without end", [](Json& json) { json["colliders"]["kind"][0] = "plane"; }),
      scene("a flat shape in space", [](Json& json) { json["colliders"]["kind"][0] = "disk"; }),
      scene("a stone that is not there",
            [](Json& json) {
              json["colliders"]["kind"][0] = "polyhedron";
              json["colliders"]["geometry"][0] = 1000;
            }),
      scene("vertices that are not there", [](Json& json) { json["colliders"]["vertex_count"][0] = 2147483647; }),
      scene("vertices below 0", [](Json& json) { json["colliders"]["vertex_begin"][0] = -5; }),
      scene("too few radii", [](Json& json) { json["colliders"]["radius"] = Json::array({1.0}); }),
      scene("planar in space", [](Json& json) { json["planar"] = true; }),
      scene("a stone of no faces",
            [](Json& json) {
              json["polyhedra"] = {{{"vertices", {0, 0, 0}}, {"face_begin", {0, 99}}, {"face_vertices", {7, 8, 9}}}};
            }),
      scene("no gravity", [](Json& json) { json.erase("gravity"); })};
}

std::vector<Hostile> forged_bytes() {
  const auto number = [](const std::string& name, std::size_t offset, std::int32_t value) {
    return Hostile{"part " + name, [=](const Folder& f) { f.bytes(part_file, offset, &value, sizeof value); }};
  };
  return {number("without its mark", 0, 0),
          number("of two billion bodies", 24, 2147483647),
          number("of negative active bodies", 28, -1),
          number("of too many active bodies", 28, 13),
          number("of other contacts", 32, 2147483647),
          {"part is cut", [](const Folder& f) { fs::resize_file(f.path(part_file), 50); }},
          {"part is empty", [](const Folder& f) { fs::resize_file(f.path(part_file), 0); }},
          {"part is missing", [](const Folder& f) { fs::remove(f.path(part_file)); }}};
}

std::vector<Hostile> odd_texts() {
  std::vector<Hostile> all;
  const std::string deep(200'000, '[');
  std::string deep_map;
  for (int i = 0; i < 50'000; ++i) deep_map += "{\"a\":";
  for (const char* file : {index_file, scene_file, summary_file}) {
    all.push_back(text(file, "empty", ""));
    all.push_back(text(file, "no JSON", "hello"));
    all.push_back(text(file, "cut", "{\"version\": 1, \"fra"));
    all.push_back(text(file, "deep lists", deep));
    all.push_back(text(file, "deep lists in a good one", "{\"scene\": " + deep + std::string(deep.size(), ']') + "}"));
    all.push_back(text(file, "deep maps", deep_map));
    all.push_back(text(file, "null", "null"));
    all.push_back(text(file, "numbers that overflow", "{\"version\": 1e999, \"scene\": 1e999}"));
  }
  all.push_back(text(summary_file, "of numbers", "{\"scene\": 3}"));
  all.push_back(
      text(summary_file, "with a scene of text", "{\"scene\": \"a\", \"scene_text\": \"include: ../secret\"}"));
  return all;
}

std::vector<Hostile> odd_files() {
  std::vector<Hostile> all;
  for (const char* file : {index_file, scene_file, part_file, summary_file}) {
    const std::string name = file;
    all.push_back({name + " is a link", [=](const Folder& f) { f.link(name, f.outside("secret")); }});
    all.push_back({name + " is a link upwards", [=](const Folder& f) { f.link(name, "../../secret"); }});
    all.push_back({name + " is a device", [=](const Folder& f) { f.link(name, "/dev/zero"); }});
    all.push_back({name + " is a pipe", [=](const Folder& f) { f.pipe(name); }});
    all.push_back({name + " is a folder", [=](const Folder& f) { f.directory(name); }});
  }
  all.push_back({"frames is a link", [](const Folder& f) {
                   fs::rename(f.path("frames"), f.outside("private/frames"));
                   f.link("frames", f.outside("private/frames"));
                 }});
  all.push_back({"frames is a file", [](const Folder& f) { f.replace("frames", "x"); }});
  all.push_back({"analysis is a link", [](const Folder& f) { f.link("analysis", f.outside("private")); }});
  return all;
}

// A study whose one run lies at `directory`.
Hostile study(const std::string& name, const std::string& directory, const std::function<void(const Folder&)>& more) {
  return {"study " + name, [=](const Folder& f) {
            const Json run = {{"name", "a"}, {"directory", directory}};
            f.replace(summary_file, Json{{"scene", "s"}, {"runs", {run}}}.dump());
            more(f);
          }};
}

std::vector<Hostile> forged_studies() {
  const auto nothing = [](const Folder&) {};
  // a whole run outside, that would be analysed and written into
  const auto whole = [](const Folder& f) {
    fs::copy(example().path(), f.outside("private"), fs::copy_options::recursive);
  };
  return {study("of a run beside it", "../private", whole),
          study("of a run beside it, twice up", "x/../../private", whole),
          study("of its parent", "..", nothing),
          study("of itself", ".", nothing),
          study("of nothing", "", nothing),
          study("of the root", "/", nothing),
          study("of a link", "a", [=](const Folder& f) {
            whole(f);
            f.link("a", f.outside("private"));
          })};
}

std::vector<Hostile> hostile_folders() {
  std::vector<Hostile> all;
  for (const auto& part :
       {forged_indices(), forged_scenes(), forged_bytes(), odd_texts(), odd_files(), forged_studies()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

// What lies beside the run's folder, by name with the size.
std::vector<std::string> neighbours(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& item : fs::recursive_directory_iterator(folder.outside("private")))
    names.push_back(item.path().string() + (item.is_regular_file() ? std::to_string(item.file_size()) : ""));
  std::sort(names.begin(), names.end());
  return names;
}

std::string words_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const InputError& error) {
    return error.what();
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

void analyze_folder(const Folder& folder) {
  AnalyzeOptions options;
  options.directory = folder.run_path();
  options.threads = 1;
  options.cell = 0.5;  // coarse: a map of few cells
  analyze(options);
}

TEST(HostileFolders, AGoodFolderIsAnalysed) {
  const Folder folder;
  EXPECT_EQ(words_of([&] { analyze_folder(folder); }), "");
}

TEST(HostileFolders, AreRefusedInWords) {
  const std::vector<Hostile> all = hostile_folders();
  EXPECT_GE(all.size(), 100u);
  for (const Hostile& hostile : all) {
    const Folder folder;
    hostile.make(folder);
    const std::vector<std::string> before = neighbours(folder);
    const auto start = std::chrono::steady_clock::now();
    const std::string words = words_of([&] { analyze_folder(folder); });
    EXPECT_FALSE(words.empty()) << hostile.name;
    EXPECT_THAT(words, Not(HasSubstr(secret))) << hostile.name;
    EXPECT_LT(std::chrono::steady_clock::now() - start, patience) << hostile.name;
    EXPECT_EQ(neighbours(folder), before) << hostile.name;
    EXPECT_EQ(read_whole_file(folder.outside("secret")), secret) << hostile.name;
  }
}

// A report is written whatever is damaged, with a note; never with the bytes of another file.
TEST(HostileFolders, AReportShowsNothingFromOutside) {
  for (const char* file : {"series.csv", "analysis.json", index_file, scene_file, part_file}) {
    const Folder folder;
    folder.link(file, folder.outside("secret"));
    const std::string page = report_text("<script>\"GRUS_REPORT_DATA\"</script>", folder.run_path(), {});
    EXPECT_THAT(page, Not(HasSubstr(secret))) << file;
    EXPECT_THAT(page, HasSubstr("is a link")) << file;
  }
}

}  // namespace
}  // namespace grus::testing::hostile_folder_test
