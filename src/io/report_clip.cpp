#include "io/report_clip.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

#include "io/frames.hpp"
#include "io/frames_json.hpp"
#include "io/json_text.hpp"
#include "io/packed.hpp"

namespace grus {
namespace {

using Json = nlohmann::ordered_json;

// Parts of the scene's largest side, of the fastest grains' speed and of 1 that the eye does not tell apart: a picture
// has some thousand pixels, a colour map 256 colours, and 1e-4 rad move the end of a five metre boom by half a
// millimetre.
constexpr Real length_quanta = 32768.0;
constexpr Real speed_quanta = 256.0;
constexpr Real rotation_quanta = 16384.0;
constexpr Real strength_quanta = 4095.0;
// A few bodies that fell out of the scene must not make the quantum coarse.
constexpr Real stray_part = 0.005;
constexpr std::int64_t sample_frames = 9;

// The bodies that a page draws: every `stride`-th dynamic one and all others.
struct Selection {
  Index stride = 1;
  std::vector<Index> bodies;    // in the run
  std::vector<Index> position;  // of a run's body in `bodies`, or no_index
  Index dynamic_count = 0;      // of `bodies`

  Index of(Index body) const {
    return body >= 0 && static_cast<std::size_t>(body) < position.size() ? position[static_cast<std::size_t>(body)]
                                                                         : no_index;
  }
};

Selection select_bodies(const FrameScene& scene, std::size_t limit) {
  Selection selection;
  const auto dynamic = static_cast<std::size_t>(scene.dynamic_count);
  selection.stride = static_cast<Index>(std::max<std::size_t>(1, (dynamic + limit - 1) / limit));
  selection.position.assign(static_cast<std::size_t>(scene.body_count), no_index);
  for (Index body = 0; body < scene.body_count; ++body) {
    const bool is_dynamic = body < scene.dynamic_count;
    if (is_dynamic && body % selection.stride != 0) continue;
    selection.position[static_cast<std::size_t>(body)] = static_cast<Index>(selection.bodies.size());
    selection.bodies.push_back(body);
    if (is_dynamic) ++selection.dynamic_count;
  }
  return selection;
}

// Six digits are more than a picture shows.
Real brief(Real x) { return std::strtod(fmt::format("{:.6g}", x).c_str(), nullptr); }
template <class Vector>
void make_brief(Vector& v) {
  for (int k = 0; k < v.size(); ++k) v[k] = brief(v[k]);
}

// The scene as if it had the drawn bodies only.
FrameScene drawn_scene(const FrameScene& scene, const Selection& selection) {
  FrameScene drawn = scene;
  drawn.body_count = static_cast<Index>(selection.bodies.size());
  drawn.dynamic_count = selection.dynamic_count;
  drawn.colliders.clear();
  for (Collider c : scene.colliders) {
    c.body = selection.of(c.body);
    if (c.body == no_index) continue;
    c.radius = brief(c.radius);
    c.scale = brief(c.scale);
    make_brief(c.half);
    make_brief(c.p_BC);
    make_brief(c.R_BC.coeffs());
    drawn.colliders.push_back(c);
  }
  for (Vec2& v : drawn.polygon_vertices) make_brief(v);
  for (FramePolyhedron& p : drawn.polyhedra)
    for (Vec3& v : p.vertices) make_brief(v);
  for (FrameTriangle& t : drawn.triangles)
    for (Vec3& v : t) make_brief(v);
  drawn.body_names.clear();
  drawn.group_of.clear();
  for (const Index body : selection.bodies) {
    const auto b = static_cast<std::size_t>(body);
    drawn.body_names.push_back(b < scene.body_names.size() ? scene.body_names[b] : "");
    if (body < scene.dynamic_count) drawn.group_of.push_back(b < scene.group_of.size() ? scene.group_of[b] : no_index);
  }
  return drawn;
}

struct Quanta {
  Real length = 1.0;  // m
  Real speed = 1.0;   // m/s
};

Real quantile(std::vector<float>& values, Real part) {
  if (values.empty()) return 0.0;
  const auto at = static_cast<std::ptrdiff_t>(part * static_cast<Real>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// `kept` numbers from 0 to count - 1, evenly spread, first and last among them.
std::vector<std::int64_t> spread(std::int64_t count, std::int64_t kept) {
  std::vector<std::int64_t> numbers;
  kept = std::min(count, kept);
  for (std::int64_t i = 0; i < kept; ++i) numbers.push_back(kept == 1 ? 0 : i * (count - 1) / (kept - 1));
  return numbers;
}

Quanta quanta_of(const FrameReader& reader, const Selection& selection) {
  std::vector<float> places[3], speeds;
  for (const std::int64_t number : spread(reader.frame_count(), sample_frames)) {
    const Frame frame = reader.read(number);
    for (const Index body : selection.bodies) {
      const auto b = static_cast<std::size_t>(body);
      if (!std::isfinite(frame.position[3 * b] + frame.position[3 * b + 1] + frame.position[3 * b + 2])) continue;
      for (std::size_t k = 0; k < 3; ++k) places[k].push_back(frame.position[3 * b + k]);
      const float speed = std::hypot(frame.velocity[3 * b], frame.velocity[3 * b + 1], frame.velocity[3 * b + 2]);
      if (std::isfinite(speed)) speeds.push_back(speed);
    }
  }
  Real extent = 0.0;
  for (std::vector<float>& list : places)
    extent = std::max(extent, quantile(list, 1.0 - stray_part) - quantile(list, stray_part));
  // a lone body at rest still has a size
  for (const Collider& c : reader.scene().colliders) {
    if (c.kind != ShapeKind::plane) extent = std::max({extent, c.radius, c.scale, c.half.maxCoeff()});
  }
  const Real top = quantile(speeds, 1.0 - stray_part);
  return {extent > 0.0 ? extent / length_quanta : 1.0, top > 0.0 ? top / speed_quanta : 1.0};
}

// Beyond +-2^29 quanta a body has left every picture; differences then still fit.
std::int32_t quantised(Real x, Real quantum) {
  constexpr Real most = 1 << 29;
  return std::isfinite(x) ? static_cast<std::int32_t>(std::lround(std::clamp(x / quantum, -most, most))) : 0;
}

// Bodies that look the same however they are turned.
std::vector<bool> round_bodies(const FrameScene& scene) {
  std::vector<bool> round(static_cast<std::size_t>(scene.body_count), true);
  for (const Collider& c : scene.colliders) {
    const bool ball = (c.kind == ShapeKind::sphere || c.kind == ShapeKind::disk) && c.p_BC.isZero(0.0);
    if (!ball) round[static_cast<std::size_t>(c.body)] = false;
  }
  return round;
}

class ClipEncoder {
 public:
  ClipEncoder(const FrameScene& scene, const Selection& selection, const Quanta& quanta, std::size_t contact_limit)
      : selection_(selection),
        quanta_(quanta),
        contact_limit_(contact_limit),
        round_(round_bodies(scene)),
        position_(3 * selection.bodies.size(), 0),
        rotation_(4 * selection.bodies.size(), 0) {}

  // The next frame; what it holds depends on the one before.
  Json encode(const Frame& frame) {
    values_.clear();
    encode_positions(frame);
    encode_rotations(frame);
    encode_velocities(frame);
    const std::vector<Chain> chains = strongest_chains(frame);
    encode_contacts(frame, chains);
    return {{"time", frame.time},
            {"step", frame.step},
            {"active", (frame.active_count + selection_.stride - 1) / selection_.stride},
            {"contacts", chains.size()},
            {"strongest", strongest_},
            {"data", packed_integers(values_)}};
  }

  bool left_contacts_out() const { return left_contacts_out_; }

 private:
  struct Chain {
    std::size_t contact = 0;
    Index a = no_index, b = no_index;  // of the selection
    float strength = 0.0f;             // N s
  };

  std::size_t count() const { return selection_.bodies.size(); }
  std::size_t run_body(std::size_t i) const { return static_cast<std::size_t>(selection_.bodies[i]); }

  void encode_positions(const Frame& frame) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < count(); ++i)
        push_change(position_[3 * i + k], quantised(frame.position[3 * run_body(i) + k], quanta_.length));
    }
  }

  // q and -q are the same rotation: the one nearer to the frame before changes less.
  void encode_rotations(const Frame& frame) {
    std::vector<float> sign(count(), 1.0f);
    for (std::size_t i = 0; i < count(); ++i) {
      const float* q = &frame.rotation[4 * run_body(i)];
      Real along = 0.0;
      for (std::size_t k = 0; k < 4; ++k) along += Real(q[k]) * Real(rotation_[4 * i + k]);
      sign[i] = round_[run_body(i)] ? 0.0f : along < 0.0 ? -1.0f : 1.0f;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      for (std::size_t i = 0; i < count(); ++i)
        push_change(rotation_[4 * i + k],
                    quantised(sign[i] * frame.rotation[4 * run_body(i) + k], 1.0 / rotation_quanta));
    }
  }

  void encode_velocities(const Frame& frame) {
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t i = 0; i < count(); ++i)
        values_.push_back(quantised(frame.velocity[3 * run_body(i) + k], quanta_.speed));
    }
  }

  bool is_grain(Index body) const { return body >= 0 && body < selection_.dynamic_count; }

  // Contacts that press on a drawn grain, in their stored order, at most the limit.
  std::vector<Chain> strongest_chains(const Frame& frame) {
    std::vector<Chain> chains;
    for (std::size_t i = 0; i < frame.contact_count(); ++i) {
      const float* p = &frame.contact_impulse[3 * i];
      const Chain chain{i, selection_.of(frame.contact_body_a[i]), selection_.of(frame.contact_body_b[i]),
                        std::hypot(p[0], p[1], p[2])};
      if ((is_grain(chain.a) || is_grain(chain.b)) && chain.strength > 0.0f && std::isfinite(chain.strength))
        chains.push_back(chain);
    }
    if (chains.size() > contact_limit_) {
      left_contacts_out_ = true;
      std::nth_element(chains.begin(), chains.begin() + static_cast<std::ptrdiff_t>(contact_limit_), chains.end(),
                       [](const Chain& x, const Chain& y) {
                         return x.strength != y.strength ? x.strength > y.strength : x.contact < y.contact;
                       });
      chains.resize(contact_limit_);
    }
    std::sort(chains.begin(), chains.end(),
              [](const Chain& x, const Chain& y) { return x.a != y.a ? x.a < y.a : x.contact < y.contact; });
    strongest_ = 0.0f;
    for (const Chain& chain : chains) strongest_ = std::max(strongest_, chain.strength);
    return chains;
  }

  void encode_contacts(const Frame& frame, const std::vector<Chain>& chains) {
    Index before = 0;
    for (const Chain& chain : chains) {
      values_.push_back(chain.a - before);
      before = chain.a;
    }
    for (const Chain& chain : chains) values_.push_back(chain.b - chain.a);
    for (std::size_t k = 0; k < 3; ++k) {
      for (const Chain& chain : chains) {
        const auto grain = static_cast<std::size_t>(is_grain(chain.a) ? chain.a : chain.b);
        values_.push_back(quantised(frame.contact_position[3 * chain.contact + k], quanta_.length) -
                          position_[3 * grain + k]);
      }
    }
    for (const Chain& chain : chains)
      values_.push_back(quantised(std::sqrt(chain.strength / strongest_), 1.0 / strength_quanta));
  }

  void push_change(std::int32_t& last, std::int32_t now) {
    values_.push_back(now - last);
    last = now;
  }

  const Selection& selection_;
  Quanta quanta_;
  std::size_t contact_limit_;
  std::vector<bool> round_;
  std::vector<std::int32_t> position_, rotation_;  // quantised, of the frame before
  std::vector<std::int32_t> values_;
  float strongest_ = 0.0f;
  bool left_contacts_out_ = false;
};

struct EncodedFrames {
  Json frames = Json::array();
  std::size_t bytes = 0;
  bool left_contacts_out = false;
};

// Stops at the first frame that goes beyond `room`.
EncodedFrames encode_frames(const FrameReader& reader, ClipEncoder encoder, std::int64_t kept, std::size_t room) {
  EncodedFrames encoded;
  for (const std::int64_t number : spread(reader.frame_count(), kept)) {
    encoded.frames.push_back(encoder.encode(reader.read(number)));
    encoded.bytes += json_text(encoded.frames.back(), -1).size();
    if (encoded.bytes > room) break;
  }
  encoded.left_contacts_out = encoder.left_contacts_out();
  return encoded;
}

// As many frames as `room` takes, by the mean size of those that were tried; at least the first, middle and last.
EncodedFrames fitting_frames(const FrameReader& reader, const ClipEncoder& encoder, const ReportLimits& limits,
                             std::size_t room) {
  const auto least = static_cast<std::int64_t>(least_report_frames);
  std::int64_t kept = std::min(reader.frame_count(), std::max(least, static_cast<std::int64_t>(limits.frames)));
  for (;;) {
    const std::size_t bound = kept <= least ? std::numeric_limits<std::size_t>::max() : room;
    EncodedFrames encoded = encode_frames(reader, encoder, kept, bound);
    if (encoded.bytes <= bound) return encoded;
    const auto mean = encoded.bytes / encoded.frames.size() + 1;
    kept = std::clamp(static_cast<std::int64_t>(0.95 * static_cast<Real>(room) / static_cast<Real>(mean)), least,
                      kept - 1);
  }
}

}  // namespace

Json report_clip(const ForeignFolder& run, const ReportLimits& limits, std::size_t room) {
  const FrameReader reader(run);
  const FrameScene& scene = reader.scene();
  const Selection selection = select_bodies(scene, limits.bodies);
  const Quanta quanta = quanta_of(reader, selection);
  const std::string scene_text = packed_bytes(frame_scene_text(drawn_scene(scene, selection)));
  const std::size_t frame_room = room - std::min(room, scene_text.size());
  const EncodedFrames encoded =
      fitting_frames(reader, ClipEncoder(scene, selection, quanta, limits.contacts), limits, frame_room);
  Json notes = Json::array();
  if (selection.stride > 1) {
    notes.push_back(fmt::format("One grain of every {} is drawn, {} of {}.", selection.stride, selection.dynamic_count,
                                scene.dynamic_count));
  }
  if (static_cast<std::int64_t>(encoded.frames.size()) < reader.frame_count())
    notes.push_back(fmt::format("{} of {} frames are on this page.", encoded.frames.size(), reader.frame_count()));
  if (encoded.left_contacts_out)
    notes.push_back(fmt::format("The strongest {} contacts of a frame are drawn.", limits.contacts));
  return {{"scene", scene_text},   {"bodies", selection.bodies.size()}, {"length", quanta.length},
          {"speed", quanta.speed}, {"rotation", rotation_quanta},       {"frames", encoded.frames},
          {"notes", notes}};
}

}  // namespace grus
