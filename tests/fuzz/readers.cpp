#include "fuzz/readers.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "integrators/stepper.hpp"
#include "io/bed_file.hpp"
#include "io/checkpoint.hpp"
#include "io/foreign_file.hpp"
#include "io/frames.hpp"
#include "io/hdf5_memory.hpp"
#include "io/mesh_file.hpp"
#include "io/problem/fclib_problem.hpp"
#include "io/problem/problem_file.hpp"
#include "io/run_folder.hpp"
#include "io/scene/scene.hpp"
#include "io/series.hpp"
#include "io/summary.hpp"
#include "io/urdf.hpp"
#include "io/whole_file.hpp"
#include "multibody/make_scene.hpp"
#include "support/paths.hpp"
#include "unit/io/example_run.hpp"
#include "unit/io/problem_samples.hpp"
#include "unit/io/temporary_directory.hpp"
#include "view/http_request.hpp"
#include "view/run_files.hpp"

namespace grus::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* source_folder = GRUS_SOURCE_DIR;
// Larger seeds take their time and have no parts that smaller ones lack.
constexpr std::uintmax_t largest_seed = 16 << 10;

std::vector<std::string> files_below(const std::string& folder, std::initializer_list<const char*> endings) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(std::string(source_folder) + "/" + folder)) {
    const bool wanted = std::any_of(endings.begin(), endings.end(),
                                    [&](const char* ending) { return entry.path().extension() == ending; });
    if (entry.is_regular_file() && wanted && entry.file_size() <= largest_seed) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());  // a folder has no order of its own
  std::vector<std::string> texts;
  for (const std::string& path : paths) texts.push_back(read_whole_file(path));
  return texts;
}

// Good files and those that are refused.
std::vector<std::string> example_files(std::initializer_list<const char*> endings) {
  std::vector<std::string> texts = files_below("examples", endings);
  for (std::string& text : files_below("tests/robustness/corpus", endings)) texts.push_back(std::move(text));
  return texts;
}

// Without waiting for the disk, unlike write_whole_file.
void put_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

void expect(bool held, const char* words) {
  if (!held) throw BrokenPromise(words);
}

// Files that are written by the thousand lie in memory where the system has a place for them.
fs::path quick_folder() {
  const fs::path memory = "/dev/shm";
  return fs::is_directory(memory) ? memory : fs::temp_directory_path();
}

// ---- scenes

std::vector<std::string> scene_seeds() { return example_files({".yaml"}); }

// Large beds are legal and slow; fuzzing looks for faults, not for memory.
bool is_small(const Spec& spec) {
  constexpr Index most_grains = 50;
  constexpr std::size_t most_generators = 5;
  for (const GeneratorSpec& generator : spec.generators) {
    const std::int64_t cells = std::int64_t{1} * generator.cells[0] * generator.cells[1] * generator.cells[2];
    if (generator.count.value_or(0) > most_grains || cells > most_grains) return false;
    if (!generator.count && generator.kind == GeneratorSpec::Kind::fill) return false;
  }
  return spec.generators.size() < most_generators;
}

// Leading lines "#set name=value" are given as overrides.
std::vector<std::string> take_overrides(std::string_view& text) {
  std::vector<std::string> overrides;
  while (text.starts_with("#set ") && overrides.size() < 10) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    overrides.emplace_back(text.substr(5, end - 5));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return overrides;
}

// What scenes name: the parts, robots and meshes of all examples in one folder.
class SceneFolder {
 public:
  SceneFolder() {
    std::set<fs::path> folders = {fs::path(source_folder) / "tests/robustness/corpus"};
    for (const auto& example : fs::directory_iterator(fs::path(source_folder) / "examples")) {
      if (example.is_directory()) folders.insert(example.path());
    }
    for (const fs::path& folder : folders) copy(folder);
  }
  std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  void copy(const fs::path& from) const {
    for (const auto& entry : fs::recursive_directory_iterator(from)) {
      const fs::path to = folder_.path() / fs::relative(entry.path(), from);
      if (entry.is_regular_file() && entry.file_size() <= largest_seed) {
        fs::create_directories(to.parent_path());
        fs::copy_file(entry.path(), to, fs::copy_options::overwrite_existing);
      }
    }
  }

  test::TemporaryDirectory folder_{quick_folder()};
};

Spec load_scene_of_files(std::string_view text, const std::vector<std::string>& overrides) {
  static const SceneFolder folder;
  put_file(folder / "fuzz.yaml", std::string(text));
  return load_scene(folder / "fuzz.yaml", overrides);
}

void read_scene(const std::string& bytes) {
  std::string_view text = bytes;
  const std::vector<std::string> overrides = take_overrides(text);
  if (text.find("include") != text.npos || text.find("file") != text.npos) {
    const Spec spec = load_scene_of_files(text, overrides);
    if (is_small(spec)) make_scene(spec);
    return;
  }
  const Spec spec = parse_scene(text, "fuzz.yaml", overrides);
  try {
    parse_scene(spec.text, "again.yaml");  // what is written for reports
  } catch (const InputError& error) {
    throw BrokenPromise(std::string("the composed text is refused: ") + error.what());
  }
  parse_analysis(spec.text, "again.yaml");
  if (is_small(spec)) make_scene(spec);
}

// ---- robots and meshes

std::vector<std::string> urdf_seeds() { return example_files({".urdf"}); }

void read_robot(const std::string& bytes) {
  static const Spec room = parse_scene(
      "scene: robot\ntime: {step: 1e-3, end: 1}\nmaterials: [{name: steel, density: 7800}]\n"
      "pairs: [{between: [steel, steel], friction: 0.3}]\n",
      "room.yaml");
  UrdfRequest request;
  request.file = std::string(source_folder) + "/examples/quadruped/robot.urdf";  // meshes lie beside it
  request.material = "steel";
  Spec spec = room;
  spec.mechanisms.emplace_back().name = "robot";
  std::vector<Fault> faults;
  parse_urdf(bytes, request, spec.mechanisms.back(), faults);
  if (!faults.empty()) throw InputError(faults);
  make_scene(spec);
}

template <class Value>
void append_bytes(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// A tetrahedron.
std::string binary_stl() {
  std::string bytes(80, ' ');
  const std::array<std::array<float, 3>, 4> corners = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const std::array<std::array<std::size_t, 3>, 4> faces = {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}};
  append_bytes(bytes, static_cast<std::uint32_t>(faces.size()));
  for (const auto& face : faces) {
    append_bytes(bytes, std::array<float, 3>{0, 0, 0});
    for (const std::size_t corner : face) append_bytes(bytes, corners[corner]);
    append_bytes(bytes, std::uint16_t{0});
  }
  return bytes;
}

std::vector<std::string> stl_text_seeds() { return example_files({".stl"}); }
std::vector<std::string> stl_binary_seeds() { return {binary_stl()}; }
std::vector<std::string> obj_seeds() { return example_files({".obj"}); }

void read_mesh(const std::string& bytes, const char* name) {
  auto result = parse_mesh(bytes, name);
  if (const auto* words = std::get_if<std::string>(&result)) throw InputError({Fault{{name, 0, 0}, *words}});
  const TriangleMesh& mesh = std::get<TriangleMesh>(result);
  for (const MeshPiece& piece : mesh_pieces(mesh)) {
    piece_volume(mesh, piece);
    convex_hull(piece_points(mesh, piece), flat_in_single);
  }
  wall_triangles(mesh, 0.001);
}
void read_stl(const std::string& bytes) { read_mesh(bytes, "fuzz.stl"); }
void read_obj(const std::string& bytes) { read_mesh(bytes, "fuzz.obj"); }

// ---- contact problems

ProblemFile sample_problem(int dimension, Index contacts, Index rows) {
  ProblemFile file = test::file_of(test::chain_problem(dimension, contacts, rows));
  file.title = "a chain";
  file.description = "for tests";
  file.guess.assign(static_cast<std::size_t>(file.problem.unknown_count()), 0.5);
  file.solution = file.guess;
  return file;
}

// Two free bodies of three velocities with one contact between them.
GlobalForm sample_form() {
  GlobalForm form;
  form.mass.rows = form.mass.columns = form.directions.rows = 6;
  form.directions.columns = 2;
  for (Index i = 0; i < 6; ++i) form.mass.add(i, i, 2.0 + i);
  form.mass.add(0, 2, 0.5);
  form.mass.add(2, 0, 0.5);
  for (const Index i : {0, 1}) {
    form.directions.add(i, i, 1.0);
    form.directions.add(i + 3, i, -1.0);
    form.directions.add(5, i, 0.3);
  }
  form.force = {1, -2, 3, 0.5, 0, -1};
  form.shift = {0.1, 0.2};
  return form;
}

std::vector<std::string> fclib_file_seeds() {
  std::vector<std::string> images;
  for (const int dimension : {2, 3}) {
    for (const Index rows : {0, 2})
      images.push_back(fclib_bytes(sample_problem(dimension, 3, rows), nullptr, "seed.hdf5"));
  }
  const GlobalForm form = sample_form();
  images.push_back(fclib_bytes(sample_problem(2, 1, 0), &form, "seed.hdf5"));
  return images;
}

std::vector<std::string> fclib_seeds() {
  std::vector<std::string> seeds;
  for (const std::string& image : fclib_file_seeds()) seeds.push_back(pack_fclib_arrays(image));
  return seeds;
}

// Hdf5Error is a sentence of the functions around these, which run the library in another process.
template <class Work>
void in_words(const Work& work) {
  try {
    work();
  } catch (const Hdf5Error& error) {
    throw InputError({Fault{{"fuzz.h5", 0, 0}, error.what()}});
  }
}

void read_fclib_file(const std::string& bytes) { parse_fclib(bytes, "fuzz.hdf5"); }

void read_fclib(const std::string& bytes) {
  in_words([&] {
    const ProblemFile file = fclib_problem(unpack_fclib_arrays(bytes), "fuzz.hdf5");
    expect(file.problem.q.size() == static_cast<std::size_t>(file.problem.unknown_count()), "q has another length");
  });
}

std::vector<std::string> dat_seeds() {
  std::vector<std::string> seeds;
  for (const int dimension : {2, 3}) {
    for (const auto format :
         {ProblemFormat::siconos_dense, ProblemFormat::siconos_blocks, ProblemFormat::siconos_sparse})
      seeds.push_back(problem_bytes(sample_problem(dimension, 2, 0), format, "seed.dat"));
  }
  return seeds;
}

void read_dat(const std::string& bytes) {
  if (looks_like_hdf5(bytes)) return;  // read_fclib
  const ProblemFile file = parse_problem(bytes, "fuzz.dat");
  for (const auto format :
       {ProblemFormat::siconos_dense, ProblemFormat::siconos_blocks, ProblemFormat::siconos_sparse}) {
    const LocalProblem again = parse_problem(problem_bytes(file, format, "again.dat"), "again.dat").problem;
    expect(again.q == file.problem.q && again.friction == file.problem.friction, "another problem is read back");
  }
}

// ---- beds and checkpoints, behind their hashes (io/hashed_file.hpp)

constexpr std::size_t hash_bytes = 16;

std::string without_hash(const std::string& path) {
  std::string image = read_whole_file(path);
  image.resize(image.size() - hash_bytes);
  return image;
}

std::string bed_image() {
  BedFile file;
  file.scene_text = "scene: bed";
  file.program_version = "test";
  file.statistics["solid_fraction"] = {0.6};
  const std::vector<Vec3> tetrahedron = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1)};
  std::vector<Vec3> cube;
  for (int k = 0; k < 8; ++k) cube.emplace_back(k & 1, (k >> 1) & 1, k >> 2);
  for (const auto& points : {tetrahedron, cube})
    file.bed.shapes.push_back(std::make_shared<const ConvexHull>(std::get<ConvexHull>(convex_hull(points))));
  for (const Index shape : {0, 1, 0}) {
    BedStone stone;
    stone.shape = shape;
    stone.scale = 0.1;
    stone.position = Vec3(0.0, 0.0, static_cast<Real>(file.bed.stones.size()));
    file.bed.stones.push_back(stone);
  }
  const test::TemporaryDirectory folder(quick_folder());
  write_bed(folder / "bed.h5", file);
  return without_hash(folder / "bed.h5");
}
std::vector<std::string> bed_seeds() { return {pack_hdf5_arrays(bed_image())}; }
std::vector<std::string> bed_file_seeds() { return {bed_image()}; }

void use_bed(const Hdf5Arrays& arrays) { bed_hash(parse_bed(arrays, "fuzz.h5").bed); }
void read_bed_arrays(const std::string& bytes) {
  in_words([&] { use_bed(Hdf5Arrays::unpack(bytes)); });
}
void read_bed_image(const std::string& bytes) {
  in_words([&] { use_bed(Hdf5Arrays::read(bytes)); });
}

constexpr const char* checkpoint_scene_text = R"(scene: forged
time: {step: 1e-3, end: 1}
materials: [{name: steel, density: 7800}]
pairs: [{between: [steel, steel], friction: 0.3}]
bodies:
  - {name: floor, fixed: true, material: steel, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: one, material: steel, shape: {box: {size: [0.1, 0.1, 0.1]}}, position: [0, 0, 0.05]}
  - {name: two, material: steel, shape: {sphere: {radius: 0.05}}, position: [0.3, 0, 0.05]}
mechanisms:
  - name: pendulum
    bodies:
      - {name: bob, material: steel, shape: {sphere: {radius: 0.05}}, joint: {kind: revolute, axis: [0, 1, 0], at: [0, 0, 2]}}
)";

const CompiledScene& checkpoint_scene() {
  static const CompiledScene scene = make_scene(parse_scene(checkpoint_scene_text, "seed.yaml"));
  return scene;
}

std::string checkpoint_image() {
  const CompiledScene& scene = checkpoint_scene();
  Stepper stepper(scene.model, scene.initial, Parallel(1));
  for (int k = 0; k < 3; ++k) stepper.step();
  Checkpoint checkpoint;
  checkpoint.state = stepper.state();
  checkpoint.program_version = "test";
  checkpoint.extra = {{"series_offset", {100.0}}, {"frame_count", {2.0}}};
  const test::TemporaryDirectory folder(quick_folder());
  save_checkpoint(folder / "checkpoint.h5", checkpoint);
  return without_hash(folder / "checkpoint.h5");
}
std::vector<std::string> checkpoint_seeds() { return {pack_hdf5_arrays(checkpoint_image())}; }
std::vector<std::string> checkpoint_file_seeds() { return {checkpoint_image()}; }

// What fits the scene is used: one step from it.
void use_checkpoint(const Hdf5Arrays& arrays) {
  const CompiledScene& scene = checkpoint_scene();
  const Checkpoint checkpoint = parse_checkpoint(arrays, "fuzz.h5");
  check_fits(checkpoint, scene.model, scene.initial, "fuzz.h5");
  saved_count(checkpoint, "series_offset", "fuzz.h5");
  Stepper(scene.model, checkpoint.state, Parallel(1)).step();
}
void read_checkpoint_arrays(const std::string& bytes) {
  in_words([&] { use_checkpoint(Hdf5Arrays::unpack(bytes)); });
}
void read_checkpoint_image(const std::string& bytes) {
  in_words([&] { use_checkpoint(Hdf5Arrays::read(bytes)); });
}

// ---- folders of runs

// A small run; every reader that writes into one has its own.
class ExampleFolder {
 public:
  explicit ExampleFolder(bool stones = false, bool planar = false) {
    test::ExampleRun run;
    run.grains = 8;
    run.frames = 3;
    run.rows = 20;
    run.stones = stones;
    run.planar = planar;
    test::write_example_run(folder_.path(), run);
  }
  const std::string& path() const { return folder_.path(); }
  std::string text(const std::string& name) const { return read_whole_file(folder_ / name); }
  void put(const std::string& name, const std::string& bytes) const { put_file(folder_ / name, bytes); }

 private:
  test::TemporaryDirectory folder_{quick_folder()};
};

std::vector<std::string> file_of_examples(const std::string& name) {
  return {ExampleFolder().text(name), ExampleFolder(true).text(name), ExampleFolder(false, true).text(name)};
}

constexpr const char* frame_index_name = "frames/index.json";
constexpr const char* frame_scene_name = "frames/scene.json";
constexpr const char* frame_part_name = "frames/part-00000.bin";

std::vector<std::string> frame_index_seeds() { return file_of_examples(frame_index_name); }
std::vector<std::string> frame_scene_seeds() { return file_of_examples(frame_scene_name); }
std::vector<std::string> frame_part_seeds() { return {ExampleFolder().text(frame_part_name)}; }
std::vector<std::string> series_seeds() { return {ExampleFolder().text("series.csv"), "t,x\n0,nan\n1,-inf\n"}; }

std::vector<std::string> summary_seeds() {
  std::vector<std::string> seeds = file_of_examples("summary.json");
  StudySummary study;
  study.scene = "study.yaml";
  study.title = "Two runs";
  study.runs = {{"a", "a", {{"friction", "0.1"}}, "done", "0123456789abcdef", 1.5, {{"rests", 0.0, "< 1", true}}},
                {"b", "b", {}, "failed", "", 0.5, {}}};
  study.checks = {{"differ", 2.0, "> 1", true}};
  study.warnings = {"a warning"};
  const test::TemporaryDirectory folder(quick_folder());
  write_study_summary(folder / "summary.json", study);
  seeds.push_back(read_whole_file(folder / "summary.json"));
  return seeds;
}

// As the viewer, the report and the analysis read them.
void read_frames(const ExampleFolder& folder) {
  const FrameReader reader(folder.path());
  for (std::int64_t frame = 0; frame < reader.frame_count(); ++frame) reader.read(frame);
  const std::vector<float> track = read_body_track(ForeignFolder(folder.path()), 0);
  expect(track.size() == static_cast<std::size_t>(reader.frame_count() * floats_per_body), "a track of other length");
}

// By a run that goes on after its first frame, too.
void read_frame_index(const std::string& bytes) {
  static const ExampleFolder folder;
  static const FrameScene scene = FrameReader(folder.path()).scene();
  static const std::string part = folder.text(frame_part_name);
  static RunFolder run(folder.path());
  folder.put(frame_index_name, bytes);
  folder.put(frame_part_name, part);
  read_frames(folder);
  FrameWriter::resume(run, scene, 1);
}
void read_frame_scene(const std::string& bytes) {
  static const ExampleFolder folder;
  folder.put(frame_scene_name, bytes);
  read_frames(folder);
}
void read_frame_part(const std::string& bytes) {
  static const ExampleFolder folder;
  folder.put(frame_part_name, bytes);
  read_frames(folder);
}

// A column that is read back is a column; a run goes on at the end of the last whole line.
void read_series_text(const std::string& bytes) {
  static const test::TemporaryDirectory folder(quick_folder());
  static const std::vector<std::string> columns = parse_series(series_seeds()[0], "seed.csv").columns;
  const std::string path = folder / "series.csv";
  put_file(path, bytes);
  const auto end = static_cast<std::int64_t>(bytes.rfind('\n') + 1);
  bool refused = false;
  try {
    SeriesWriter::resume(path, columns, end).append(std::vector<Real>(columns.size(), 1.0));
  } catch (const InputError&) {
    refused = true;
  }
  const Series series = parse_series(bytes, "fuzz.csv");
  for (const auto& column : series.values) expect(column.size() == series.rows(), "columns of different lengths");
  expect(refused || series.columns == columns, "a run goes on in a file with other columns");
}

void read_summaries(const std::string& bytes) {
  if (is_study_summary(bytes, "fuzz.json"))
    parse_study_summary(bytes, "fuzz.json");
  else
    parse_summary(bytes, "fuzz.json");
}

std::vector<std::string> marker_seeds() {
  const test::TemporaryDirectory folder(quick_folder());
  {
    RunFolder run(folder / "run");
    run.claim({"series.csv", "frames/index.json", "frames/part-00012.bin"});
  }
  return {read_whole_file(folder / "run/grus-run.json"), R"({"files": []})"};
}

void read_marker_text(const std::string& bytes) {
  for (const std::string& name : parse_run_marker(bytes, "grus-run.json"))
    expect(is_run_file(name), "a file that no run writes is listed");
}

// ---- requests

std::vector<std::string> http_seeds() {
  std::vector<std::string> seeds;
  for (const char* target : {"/", "/runs.json", "/run/-/summary.json", "/run/-/series.csv", "/run/-/frames/index.json",
                             "/run/-/frames/part-00000.bin", "/run/-/track/3", "/run/a%20b/track/-1?x=%2e%2e"}) {
    const std::string head = std::string(target) + " HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n";
    seeds.push_back("GET " + head + "Range: bytes=0-99\r\nAccept: */*\r\n\r\n");
    seeds.push_back("GET " + head + "Range: bytes=-5\r\nConnection: keep-alive, Upgrade\r\n\r\n");
  }
  seeds.emplace_back("POST /picture HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 12\r\nConnection: close\r\n\r\n");
  seeds.emplace_back("HEAD / HTTP/1.0\r\nhost: [::1]:80\r\nRange: bytes=10-\r\n\r\n");
  return seeds;
}

void expect_in_file(const ByteRange& range, std::int64_t size) {
  expect(range.begin >= 0 && range.begin <= range.end && range.end <= size, "a range beyond its file");
}

void read_request(const std::string& bytes) {
  static const ExampleFolder folder;
  static const RunFiles files(folder.path(), "<html></html>");
  const auto parsed = parse_http_request(bytes);
  if (const auto* fault = std::get_if<HttpFault>(&parsed)) {
    expect(fault->status >= 400 && fault->status < 600 && !fault->words.empty(), "a fault without words");
    throw InputError({Fault{{"request", 0, 0}, fault->words}});
  }
  const auto& request = std::get<HttpRequest>(parsed);
  expect(request.path.starts_with('/') && (request.path + "/").find("/../") == std::string::npos, "a path upwards");
  expect(std::none_of(request.path.begin(), request.path.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }),
         "a control character in a path");
  is_loopback_host(request.host, 8080);
  constexpr std::int64_t size = 1000;
  if (const auto range = parse_byte_range(request.range, size); const auto* found = std::get_if<ByteRange>(&range))
    expect_in_file(*found, size);
  const HttpResponse response = files.respond(request);
  expect(response.status >= 200 && response.status < 600, "no status");
  if (response.file) expect_in_file(response.range, std::int64_t{1} << 20);
}

// HDF5 breaks down on some bytes, so whole files are read as in the program, in a process each (guarded_call.hpp); what
// this process makes of their arrays is fuzzed without the library.
constexpr int process_share = 1;

}  // namespace

const std::vector<Reader>& fuzzed_readers() {
  static const std::vector<Reader> readers = {
      {"scene", Grammar::words, scene_seeds, read_scene},
      {"urdf", Grammar::xml, urdf_seeds, read_robot},
      {"stl_text", Grammar::words, stl_text_seeds, read_stl},
      {"stl_binary", Grammar::numbers, stl_binary_seeds, read_stl},
      {"obj", Grammar::words, obj_seeds, read_obj},
      {"fclib", Grammar::fclib_arrays, fclib_seeds, read_fclib},
      {"fclib_file", Grammar::numbers, fclib_file_seeds, read_fclib_file, process_share},
      {"dat", Grammar::words, dat_seeds, read_dat},
      {"bed", Grammar::arrays, bed_seeds, read_bed_arrays},
      {"bed_file", Grammar::numbers, bed_file_seeds, read_bed_image, process_share},
      {"checkpoint", Grammar::arrays, checkpoint_seeds, read_checkpoint_arrays},
      {"checkpoint_file", Grammar::numbers, checkpoint_file_seeds, read_checkpoint_image, process_share},
      {"frame_index", Grammar::json, frame_index_seeds, read_frame_index},
      {"frame_scene", Grammar::json, frame_scene_seeds, read_frame_scene},
      {"frame_part", Grammar::numbers, frame_part_seeds, read_frame_part},
      {"series", Grammar::words, series_seeds, read_series_text},
      {"summary", Grammar::json, summary_seeds, read_summaries},
      {"marker", Grammar::json, marker_seeds, read_marker_text},
      {"http", Grammar::words, http_seeds, read_request},
  };
  return readers;
}

const Reader& fuzzed_reader(const std::string& name) {
  for (const Reader& reader : fuzzed_readers()) {
    if (reader.name == name) return reader;
  }
  throw std::invalid_argument("no reader is named " + name);
}

std::vector<std::string> inputs_of(const Reader& reader) {
  std::vector<std::string> inputs = reader.seeds();
  const fs::path folder = fs::path(source_folder) / "tests/fuzz/corpus" / reader.name;
  if (!fs::exists(folder)) return inputs;
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) inputs.push_back(read_whole_file(path));
  return inputs;
}

bool feed(const Reader& reader, const std::string& bytes) {
  try {
    reader.read(bytes);
    return true;
  } catch (const InputError& error) {
    expect(!error.faults().empty(), "refused without a fault");
    for (const Fault& fault : error.faults()) {
      expect(!fault.message.empty(), "a fault without words");
      expect(!fault.where.file.starts_with("again"), "what we wrote ourselves is refused");
    }
  } catch (const IoError& error) {
    expect(*error.what() != '\0', "refused without words");
  } catch (const NumericalError& error) {
    expect(*error.what() != '\0', "refused without words");
  }
  return false;
}

}  // namespace grus::testing
