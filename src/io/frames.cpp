#include "io/frames.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_fault.hpp"
#include "io/foreign_file.hpp"
#include "io/frames_json.hpp"
#include "io/reader_limits.hpp"
#include "io/whole_file.hpp"

namespace grus {
namespace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian, and written as they lie");

struct FrameHeader {
  char magic[8] = {'G', 'R', 'U', 'S', 'F', 'R', 'M', '1'};
  double time = 0.0;
  std::int64_t step = 0;
  std::int32_t body_count = 0;
  std::int32_t active_count = 0;
  std::int32_t contact_count = 0;
  std::int32_t reserved = 0;
};
static_assert(sizeof(FrameHeader) == 40);

constexpr std::int64_t words_per_contact = 3 + 3 + 3 + 1 + 1 + 1;

template <class T>
void put(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <class Vector>
void put_floats(std::string& out, const Vector& v) {
  for (int i = 0; i < v.size(); ++i) put(out, static_cast<float>(v[i]));
}

void put_vectors(std::string& out, std::span<const Vec3> dynamic, std::span<const Vec3> carried) {
  for (const Vec3& v : dynamic) put_floats(out, v);
  for (const Vec3& v : carried) put_floats(out, v);
}

void put_frame(std::string& out, const FrameData& f) {
  FrameHeader header;
  header.time = f.time;
  header.step = f.step;
  header.body_count = static_cast<std::int32_t>(f.dynamic.size() + f.carried.size());
  header.active_count = f.active_count;
  header.contact_count = static_cast<std::int32_t>(f.contacts.size());
  const std::size_t end = out.size() + static_cast<std::size_t>(frame_bytes(header.body_count, header.contact_count));
  put(out, header);
  put_vectors(out, f.dynamic.position, f.carried.position);
  for (const Quat& q : f.dynamic.rotation) put_floats(out, q.coeffs());
  for (const Quat& q : f.carried.rotation) put_floats(out, q.coeffs());
  put_vectors(out, f.dynamic.velocity, f.carried.velocity);
  put_vectors(out, f.dynamic.angular_velocity, f.carried.angular_velocity);
  for (const FrameContact& c : f.contacts) put_floats(out, c.position);
  for (const FrameContact& c : f.contacts) put_floats(out, c.normal);
  for (const FrameContact& c : f.contacts) put_floats(out, c.impulse);
  for (const FrameContact& c : f.contacts) put(out, static_cast<float>(c.gap));
  for (const FrameContact& c : f.contacts) put(out, c.body_a);
  for (const FrameContact& c : f.contacts) put(out, c.body_b);
  out.resize(end, '\0');
}

// Takes `count` values off the front of `bytes`.
template <class T>
std::vector<T> take(std::string_view& bytes, std::size_t count) {
  std::vector<T> values(count);
  if (count != 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes.remove_prefix(count * sizeof(T));
  return values;
}

constexpr const char* frames_name = "frames";

std::string listed_part_name(Index part) { return "frames/" + part_name(part); }

// Parts with numbers of `first` and up: an index that no longer names them is already on the disk.
void remove_parts_from(RunFolder& folder, Index first) {
  const std::string first_name = listed_part_name(first);
  for (const std::string& name : folder.listed("frames/part-")) {
    if (name.size() > first_name.size() || name >= first_name) folder.remove(name);
  }
}

FrameIndex read_index(const ForeignFolder& frames) {
  return parse_frame_index(frames.read("index.json", most_json_bytes), frames.path_of("index.json"));
}

}  // namespace

std::int64_t frame_bytes(std::int64_t bodies, std::int64_t contacts) {
  const auto bytes =
      static_cast<std::int64_t>(sizeof(FrameHeader)) + 4 * (floats_per_body * bodies + words_per_contact * contacts);
  return (bytes + 7) / 8 * 8;  // every frame starts at a multiple of 8 bytes
}

FrameScene make_frame_scene(const std::string& name, const Model& model, const ModelNames& names) {
  FrameScene scene;
  scene.name = name;
  scene.planar = model.planar;
  scene.dynamic_count = model.dynamic_count;
  scene.body_count = model.body_count;
  scene.gravity = model.gravity;
  scene.colliders = model.colliders;
  scene.polygon_vertices = model.polygon_vertices;
  for (const Polyhedron& p : model.polyhedra) scene.polyhedra.push_back({p.vertices, p.face_begin, p.face_vertices});
  for (const MeshTriangle& t : model.triangles)
    scene.triangles.push_back({t.vertices[0], t.vertices[1], t.vertices[2]});
  scene.body_names = names.body;
  scene.group_names = names.group;
  scene.group_of = names.group_of;
  scene.moving.assign(static_cast<std::size_t>(model.linked_count), true);
  for (const Motion& motion : model.motion) scene.moving.push_back(!motion.is_fixed());
  return scene;
}

FrameWriter::FrameWriter(RunFolder& folder, Index body_count, const FrameOptions& options)
    : folder_(&folder), body_count_(body_count), options_(options), last_flush_(std::chrono::steady_clock::now()) {}

FrameWriter::FrameWriter(RunFolder& folder, const FrameScene& scene, const FrameOptions& options)
    : FrameWriter(folder, scene.body_count, options) {
  write_index();
  remove_parts_from(folder, 0);
  folder.write("frames/scene.json", frame_scene_text(scene));
}

FrameWriter FrameWriter::resume(RunFolder& folder, const FrameScene& scene, std::int64_t frame_count,
                                const FrameOptions& options) {
  FrameWriter writer(folder, scene.body_count, options);
  const ForeignFolder frames(folder / frames_name);
  const std::string path = frames.path_of("index.json");
  FrameIndex index = read_index(frames);
  if (index.body_count != scene.body_count) {
    throw file_fault(path, fmt::format("frames of {} bodies were found, the scene has {}; start the run anew",
                                       index.body_count, scene.body_count));
  }
  if (static_cast<std::int64_t>(index.entries.size()) < frame_count) {
    throw file_fault(path, fmt::format("{} frames were found, the checkpoint was made after {}; start the run anew",
                                       index.entries.size(), frame_count));
  }
  index.entries.resize(static_cast<std::size_t>(frame_count));
  writer.entries_ = std::move(index.entries);
  if (!writer.entries_.empty()) {
    const FrameEntry& last = writer.entries_.back();
    writer.part_ = last.part;
    for (Index part = 0; part < last.part; ++part) writer.full_parts_.push_back(folder.stamp(listed_part_name(part)));
    const std::string name = part_name(last.part);
    writer.part_buffer_ = read_bytes_at(frames.open(name), 0, last.offset + last.size, frames.path_of(name));
  }
  writer.write_index();
  remove_parts_from(folder, writer.entries_.empty() ? 0 : writer.part_ + 1);
  return writer;
}

void FrameWriter::append(const FrameData& frame) {
  GRUS_ASSERT(static_cast<Index>(frame.dynamic.size() + frame.carried.size()) == body_count_);
  if (static_cast<std::int64_t>(part_buffer_.size()) >= options_.part_bytes) {
    flush();
    full_parts_.push_back(folder_->stamp(listed_part_name(part_)));
    ++part_;
    part_buffer_.clear();
  }
  FrameEntry entry;
  entry.time = frame.time;
  entry.step = frame.step;
  entry.part = part_;
  entry.offset = static_cast<std::int64_t>(part_buffer_.size());
  entry.active_count = frame.active_count;
  entry.contact_count = static_cast<Index>(frame.contacts.size());
  put_frame(part_buffer_, frame);
  entry.size = static_cast<std::int64_t>(part_buffer_.size()) - entry.offset;
  entries_.push_back(entry);
  dirty_ = true;
  if (std::chrono::steady_clock::now() - last_flush_ >= options_.every) flush();
}

void FrameWriter::check_full_parts() const {
  for (std::size_t part = 0; part < full_parts_.size(); ++part) {
    const std::string name = listed_part_name(static_cast<Index>(part));
    if (folder_->stamp(name) != full_parts_[part])
      throw IoError(*folder_ / name + " was deleted, replaced or cut while the run went on; start the run anew");
  }
}

void FrameWriter::flush() {
  check_full_parts();
  if (dirty_) {
    folder_->write(listed_part_name(part_), part_buffer_);
    write_index();
    dirty_ = false;
  }
  last_flush_ = std::chrono::steady_clock::now();
}

void FrameWriter::write_index() const {
  FrameIndex index;
  index.body_count = body_count_;
  index.entries = entries_;
  folder_->write("frames/index.json", frame_index_text(index));
}

std::vector<float> read_body_track(const ForeignFolder& run, Index body) {
  const ForeignFolder frames = run.folder(frames_name);
  const FrameIndex index = read_index(frames);
  if (body < 0 || body >= index.body_count)
    throw file_fault(frames.path_of("index.json"),
                     fmt::format("body {} was asked for, there are {}", body, index.body_count));
  std::vector<float> track;
  track.reserve(index.entries.size() * static_cast<std::size_t>(floats_per_body));
  Index part_number = no_index;
  SizedFile part;
  for (const FrameEntry& entry : index.entries) {
    const std::string name = part_name(entry.part);
    if (entry.part != part_number) part = frames.open(name);
    part_number = entry.part;
    std::int64_t before = 0;  // floats per body of the arrays that lie before
    for (const std::int64_t width : {3, 4, 3, 3}) {
      const auto begin =
          static_cast<std::int64_t>(sizeof(FrameHeader)) + 4 * (before * index.body_count + width * body);
      std::array<float, 4> values{};
      const auto bytes = static_cast<std::size_t>(4 * width);
      if (entry.offset > part.size - entry.size ||
          ::pread(part.file.get(), values.data(), bytes, static_cast<off_t>(entry.offset + begin)) != ssize_t(bytes)) {
        throw file_fault(frames.path_of(name),
                         fmt::format("ends before the frame at byte {} that the index names", entry.offset));
      }
      track.insert(track.end(), values.begin(), values.begin() + width);
      before += width;
    }
  }
  return track;
}

FrameReader::FrameReader(const std::string& run_directory) : FrameReader(ForeignFolder(run_directory)) {}

FrameReader::FrameReader(const ForeignFolder& run) : folder_(run.folder(frames_name)) {
  scene_ = parse_frame_scene(folder_.read("scene.json", most_json_bytes), folder_.path_of("scene.json"));
  FrameIndex index = read_index(folder_);
  if (index.body_count != scene_.body_count) {
    throw file_fault(folder_.path_of("index.json"), fmt::format("frames of {} bodies were found, scene.json has {}",
                                                                index.body_count, scene_.body_count));
  }
  entries_ = std::move(index.entries);
}

Frame FrameReader::read(std::int64_t number) const {
  const FrameEntry& entry = entries_.at(static_cast<std::size_t>(number));
  const std::string name = part_name(entry.part), path = folder_.path_of(name);
  const auto damaged = [&] {
    return file_fault(path, fmt::format("no frame of {} bodies and {} contacts was found at byte {}", scene_.body_count,
                                        entry.contact_count, entry.offset));
  };
  const std::string stored = read_bytes_at(folder_.open(name), entry.offset, entry.size, path);
  FrameHeader header;
  const FrameHeader expected;
  std::memcpy(&header, stored.data(), sizeof header);
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 || header.body_count != scene_.body_count ||
      header.contact_count != entry.contact_count || header.active_count < 0 ||
      header.active_count > scene_.dynamic_count) {
    throw damaged();
  }

  std::string_view bytes(stored);
  bytes.remove_prefix(sizeof header);
  const auto bodies = static_cast<std::size_t>(header.body_count);
  const auto contacts = static_cast<std::size_t>(header.contact_count);
  Frame frame;
  frame.time = header.time;
  frame.step = header.step;
  frame.active_count = header.active_count;
  frame.position = take<float>(bytes, 3 * bodies);
  frame.rotation = take<float>(bytes, 4 * bodies);
  frame.velocity = take<float>(bytes, 3 * bodies);
  frame.angular_velocity = take<float>(bytes, 3 * bodies);
  frame.contact_position = take<float>(bytes, 3 * contacts);
  frame.contact_normal = take<float>(bytes, 3 * contacts);
  frame.contact_impulse = take<float>(bytes, 3 * contacts);
  frame.contact_gap = take<float>(bytes, contacts);
  frame.contact_body_a = take<Index>(bytes, contacts);
  frame.contact_body_b = take<Index>(bytes, contacts);
  const auto unknown = [&](Index body) { return body != no_index && (body < 0 || body >= scene_.body_count); };
  for (const std::vector<Index>* bodies_of : {&frame.contact_body_a, &frame.contact_body_b}) {
    if (std::any_of(bodies_of->begin(), bodies_of->end(), unknown)) throw damaged();
  }
  return frame;
}

}  // namespace grus
