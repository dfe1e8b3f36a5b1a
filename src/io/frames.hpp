// Frames: what a viewer, a report and an analysis see of a run, in DIR/frames/.
//   scene.json       bodies and their shapes, written once
//   part-00000.bin   frames, one after the other, little-endian, up to a bounded size per part
//   index.json       which frames exist: part, byte offset, byte size, time, step, counts
// docs/files.md gives the layout byte by byte. Poses and velocities are float32: seven digits are plenty to look at
// and to analyse, and halve the disk; the exact state lives in the checkpoint.
//
// Kill-safety. A part that is not full is rewritten whole with more frames; its old bytes stay its prefix, so an index
// that is older than the part remains true. Hence the order: part first, then index; and on a cut back the index
// first, then the parts. At any moment the index names only bytes that exist.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "io/foreign_file.hpp"
#include "io/run_folder.hpp"
#include "model/compile.hpp"
#include "model/model.hpp"

namespace grus {

// A polyhedron at scale 1, as it is drawn.
struct FramePolyhedron {
  std::vector<Vec3> vertices;
  std::vector<Index> face_begin;     // into face_vertices [faces + 1]
  std::vector<Index> face_vertices;  // counter-clockwise seen from outside
};
using FrameTriangle = std::array<Vec3, 3>;

// The constant part of the frames, taken out of the compiled scene.
struct FrameScene {
  std::string name;
  bool planar = false;
  Index dynamic_count = 0;
  Index body_count = 0;
  Vec3 gravity = Vec3::Zero();  // m/s2; tells a viewer which way is up
  std::vector<Collider> colliders;
  std::vector<Vec2> polygon_vertices;
  std::vector<FramePolyhedron> polyhedra;  // Collider::geometry of polyhedra
  std::vector<FrameTriangle> triangles;    // Collider::geometry of triangles
  std::vector<std::string> body_names;     // [body_count]
  std::vector<std::string> group_names;    // distinct
  std::vector<Index> group_of;             // [dynamic_count], no_index: none
  std::vector<bool> moving;                // [body_count - dynamic_count]: linked, or kinematic with a motion
};
FrameScene make_frame_scene(const std::string& name, const Model& model, const ModelNames& names);

// Body-wise arrays of equal length; world frame, SI units.
struct BodyMotions {
  std::span<const Vec3> position;  // of the body frame's origin (centre of mass)
  std::span<const Quat> rotation;  // R_WB
  std::span<const Vec3> velocity;
  std::span<const Vec3> angular_velocity;
  std::size_t size() const { return position.size(); }
};

struct FrameContact {
  Vec3 position = Vec3::Zero();  // m, world
  Vec3 normal = Vec3::Zero();    // unit, world, from body a to body b
  Vec3 impulse = Vec3::Zero();   // N s over the last step, world, on body b
  Real gap = 0.0;                // m, negative when penetrating
  Index body_a = no_index;
  Index body_b = no_index;
};

struct FrameData {
  Real time = 0.0;
  std::int64_t step = 0;
  Index active_count = 0;  // dynamic bodies released so far: the first ones
  BodyMotions dynamic;
  BodyMotions carried;  // linked and kinematic bodies; with the dynamic ones FrameScene::body_count
  std::span<const FrameContact> contacts;
};

// Where one frame lies.
struct FrameEntry {
  Real time = 0.0;
  std::int64_t step = 0;
  Index part = 0;
  std::int64_t offset = 0;  // bytes from the start of the part
  std::int64_t size = 0;    // bytes
  Index active_count = 0;
  Index contact_count = 0;
};

struct FrameOptions {
  std::int64_t part_bytes = 32 << 20;     // a part is full beyond this
  std::chrono::milliseconds every{5000};  // frames reach the disk within about this wall time
};

class FrameWriter {
 public:
  // Starts with no frame. `folder` must outlive the writer.
  FrameWriter(RunFolder& folder, const FrameScene& scene, const FrameOptions& options = {});

  // Goes on after the first `frame_count` frames; later ones are dropped. Throws InputError when the files hold
  // fewer frames or other bodies.
  static FrameWriter resume(RunFolder& folder, const FrameScene& scene, std::int64_t frame_count,
                            const FrameOptions& options = {});

  void append(const FrameData& frame);

  // Everything appended is on the disk when this returns; call it before a checkpoint that remembers frame_count().
  void flush();

  std::int64_t frame_count() const { return static_cast<std::int64_t>(entries_.size()); }

 private:
  FrameWriter(RunFolder& folder, Index body_count, const FrameOptions& options);
  void write_index() const;
  // Throws IoError when a part that is full was deleted, replaced or cut.
  void check_full_parts() const;

  RunFolder* folder_;
  Index body_count_ = 0;
  FrameOptions options_;
  std::vector<FrameEntry> entries_;
  std::vector<FileStamp> full_parts_;
  Index part_ = 0;           // the part being filled
  std::string part_buffer_;  // all its bytes
  bool dirty_ = false;
  std::chrono::steady_clock::time_point last_flush_;
};

// One frame as stored. Vectors are flat: 3 floats per body, quaternions as x, y, z, w.
struct Frame {
  Real time = 0.0;
  std::int64_t step = 0;
  Index active_count = 0;
  std::vector<float> position, rotation, velocity, angular_velocity;
  std::vector<float> contact_position, contact_normal, contact_impulse;  // 3 per contact
  std::vector<float> contact_gap;
  std::vector<Index> contact_body_a, contact_body_b;

  std::size_t body_count() const { return position.size() / 3; }
  std::size_t contact_count() const { return contact_gap.size(); }
};

// The way of one body: per frame the 13 numbers position, rotation, velocity, angular velocity. Reads the index and
// these bytes only, not the scene and not whole frames. Throws IoError when there are no frames, InputError when a file
// is damaged or has no such body.
inline constexpr std::int64_t floats_per_body = 3 + 4 + 3 + 3;
std::vector<float> read_body_track(const ForeignFolder& run, Index body);

class FrameReader {
 public:
  // Throws IoError when there are no frames, InputError when a file is damaged.
  explicit FrameReader(const std::string& run_directory);
  explicit FrameReader(const ForeignFolder& run);

  const FrameScene& scene() const { return scene_; }  // colliders carry no material
  const std::vector<FrameEntry>& entries() const { return entries_; }
  std::int64_t frame_count() const { return static_cast<std::int64_t>(entries_.size()); }
  Frame read(std::int64_t frame) const;

 private:
  ForeignFolder folder_;  // frames/
  FrameScene scene_;
  std::vector<FrameEntry> entries_;
};

}  // namespace grus
