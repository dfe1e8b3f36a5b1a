#include "collision/narrow/epa.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace grus {

namespace {

// Of the size. A face sees a new vertex when it lies this far above it: well over rounding, so that the faces of
// a flat region agree and the horizon stays one loop.
constexpr Real seen_height = 1e-12;
constexpr Real converged_height = 1e-11;

struct Vertex {
  Vec3 w, a;  // w = b - a
};

struct Face {
  std::array<std::uint8_t, 3> v;
  Vec3 normal;
  Real offset;
};

struct Edge {
  std::uint8_t from, to;
};

class Polytope {
 public:
  static constexpr int max_vertices = 120;
  static constexpr int max_faces = 2 * max_vertices;

  explicit Polytope(Real size) : size_(size) {}

  bool full() const { return vertex_count_ == max_vertices; }
  const Vertex& vertex(int i) const { return vertices_[static_cast<std::size_t>(i)]; }

  std::uint8_t add_vertex(const Vertex& v) {
    vertices_[static_cast<std::size_t>(vertex_count_)] = v;
    return static_cast<std::uint8_t>(vertex_count_++);
  }

  void add_face(std::uint8_t a, std::uint8_t b, std::uint8_t c) {
    Face f{{a, b, c}, Vec3::UnitX(), 1e300};
    const Vec3 ab = vertex(b).w - vertex(a).w, ac = vertex(c).w - vertex(a).w;
    const Vec3 n = ab.cross(ac);
    const Real length = n.norm();
    // a sliver has no usable normal: it closes the surface but is never pushed out
    if (length > 1e-13 * size_ * std::max(ab.norm(), ac.norm())) {
      f.normal = n / length;
      f.offset = f.normal.dot(vertex(a).w);
    }
    faces_[static_cast<std::size_t>(face_count_++)] = f;
  }

  std::span<const Face> faces() const { return {faces_.data(), static_cast<std::size_t>(face_count_)}; }

  int lowest() const {
    int best = 0;
    for (int i = 1; i < face_count_; ++i)
      if (face(i).offset < face(best).offset) best = i;
    return best;
  }

  const Face& face(int i) const { return faces_[static_cast<std::size_t>(i)]; }

  // Replaces the faces that see w by a fan about w: those connected with `from`, so that the hole has one rim.
  // False when the polytope cannot take it.
  bool push_out(int from, const Vertex& w) {
    collect_seen(from, w);
    horizon_count_ = 0;
    int kept = 0;
    for (int i = 0; i < face_count_; ++i) {
      const Face f = face(i);
      if (!seen_[static_cast<std::size_t>(i)]) {
        faces_[static_cast<std::size_t>(kept++)] = f;
        continue;
      }
      for (std::size_t k = 0; k < 3; ++k) add_horizon(f.v[k], f.v[(k + 1) % 3]);
    }
    if (kept + horizon_count_ > max_faces) return false;
    face_count_ = kept;
    const std::uint8_t tip = add_vertex(w);
    for (int i = 0; i < horizon_count_; ++i)
      add_face(horizon_[static_cast<std::size_t>(i)].from, horizon_[static_cast<std::size_t>(i)].to, tip);
    return true;
  }

 private:
  bool sees(const Face& f, const Vertex& w) const {
    // a sliver has no side of its own: it goes with its neighbour
    return f.offset > 1e299 || f.normal.dot(w.w) > f.offset + seen_height * size_;
  }

  static bool share_edge(const Face& f, const Face& g) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        if (f.v[i] == g.v[(k + 1) % 3] && f.v[(i + 1) % 3] == g.v[k]) return true;
    return false;
  }

  void collect_seen(int from, const Vertex& w) {
    int candidates = 0, done = 0, found = 0;
    for (int i = 0; i < face_count_; ++i) {
      seen_[static_cast<std::size_t>(i)] = i == from;
      if (i != from && sees(face(i), w)) candidates_[static_cast<std::size_t>(candidates++)] = i;
    }
    queue_[static_cast<std::size_t>(found++)] = from;
    while (done < found) {
      const Face& f = face(queue_[static_cast<std::size_t>(done++)]);
      for (int c = 0; c < candidates; ++c) {
        const int i = candidates_[static_cast<std::size_t>(c)];
        if (!share_edge(f, face(i))) continue;
        seen_[static_cast<std::size_t>(i)] = true;
        queue_[static_cast<std::size_t>(found++)] = i;
        candidates_[static_cast<std::size_t>(c--)] = candidates_[static_cast<std::size_t>(--candidates)];
      }
    }
  }

  // An edge shared by two seen faces occurs in both senses and drops out.
  void add_horizon(std::uint8_t from, std::uint8_t to) {
    for (int i = 0; i < horizon_count_; ++i) {
      Edge& e = horizon_[static_cast<std::size_t>(i)];
      if (e.from == to && e.to == from) {
        e = horizon_[static_cast<std::size_t>(--horizon_count_)];
        return;
      }
    }
    if (horizon_count_ < max_faces) horizon_[static_cast<std::size_t>(horizon_count_++)] = {from, to};
  }

  Real size_;
  std::array<Vertex, max_vertices> vertices_;
  std::array<Face, max_faces> faces_;
  std::array<Edge, max_faces> horizon_;
  std::array<bool, max_faces> seen_;
  std::array<int, max_faces> candidates_, queue_;
  int vertex_count_ = 0, face_count_ = 0, horizon_count_ = 0;
};

// A tetrahedron with volume from supports of D: the longest axis, then the farthest points from the line and
// from the plane found so far.
template <class Support>
bool start(const Support& support, Real size, Polytope& polytope) {
  const Real thin = 1e-10 * size;
  Vertex p0 = support(Vec3::UnitX()), p1 = support(-Vec3::UnitX());
  for (const Vec3& d : {Vec3(Vec3::UnitY()), Vec3(Vec3::UnitZ())}) {
    const Vertex q0 = support(d), q1 = support(-d);
    if ((q1.w - q0.w).squaredNorm() > (p1.w - p0.w).squaredNorm()) {
      p0 = q0;
      p1 = q1;
    }
  }
  const Vec3 line = p1.w - p0.w;
  if (!(line.norm() > thin)) return false;
  Vec3 t1, t2;
  tangents(line.normalized(), t1, t2);
  Vertex p2 = p0;
  Real far = thin;
  for (const Vec3& d : {t1, Vec3(-t1), t2, Vec3(-t2)}) {
    const Vertex q = support(d);
    const Real off = std::abs(d.dot(q.w - p0.w));
    if (off > far) {
      far = off;
      p2 = q;
    }
  }
  if (far == thin) return false;
  const Vec3 n = line.cross(p2.w - p0.w).normalized();
  const Vertex above = support(n), below = support(-n);
  const Real height = n.dot(above.w - p0.w), depth = -n.dot(below.w - p0.w);
  if (!(std::max(height, depth) > thin)) return false;
  const bool up = height >= depth;
  const std::uint8_t i0 = polytope.add_vertex(p0), i1 = polytope.add_vertex(up ? p1 : p2);
  const std::uint8_t i2 = polytope.add_vertex(up ? p2 : p1), i3 = polytope.add_vertex(up ? above : below);
  polytope.add_face(i0, i2, i1);
  polytope.add_face(i0, i1, i3);
  polytope.add_face(i1, i2, i3);
  polytope.add_face(i2, i0, i3);
  return true;
}

// Weights of the foot of the origin on the face, negative outside of it.
Vec3 foot_weights(const Polytope& polytope, const Face& f) {
  const Vec3 &a = polytope.vertex(f.v[0]).w, &b = polytope.vertex(f.v[1]).w, &c = polytope.vertex(f.v[2]).w;
  const Vec3 foot = f.offset * f.normal;
  const Real area = f.normal.dot((b - a).cross(c - a));
  const Real u = f.normal.dot((b - foot).cross(c - foot)) / area;
  const Real v = f.normal.dot((c - foot).cross(a - foot)) / area;
  return {u, v, 1.0 - u - v};
}

// Point of core a under the foot of the origin. A flat side of D is many triangles: the one that holds the foot counts.
Vec3 witness(const Polytope& polytope, const Face& lowest, Real size) {
  Face face = lowest;
  Vec3 weights = foot_weights(polytope, lowest);
  for (const Face& f : polytope.faces()) {
    if (f.offset > lowest.offset + 1e-9 * size || f.normal.dot(lowest.normal) < 1.0 - 1e-9) continue;
    const Vec3 w = foot_weights(polytope, f);
    if (w.minCoeff() <= weights.minCoeff()) continue;
    face = f;
    weights = w;
  }
  weights = weights.cwiseMax(0.0);
  weights /= weights.sum();
  return weights[0] * polytope.vertex(face.v[0]).a + weights[1] * polytope.vertex(face.v[1]).a +
         weights[2] * polytope.vertex(face.v[2]).a;
}

}  // namespace

bool epa(const ConvexCore& a, const ConvexCore& b, Real size, ConvexSeparation& out) {
  const auto support = [&](const Vec3& d) {
    const Vec3 on_a = a.support(-d);
    return Vertex{b.support(d) - on_a, on_a};
  };
  Polytope polytope(size);
  if (!start(support, size, polytope)) return false;
  Face face;
  Real height = 0.0;
  for (bool growing = true; growing;) {
    const int lowest = polytope.lowest();
    face = polytope.face(lowest);
    const Vertex w = support(face.normal);
    height = face.normal.dot(w.w);
    growing = height - face.offset > converged_height * size && !polytope.full() && polytope.push_out(lowest, w);
  }
  // D = B - A: moving b along the outward normal of the nearest face by -height parts the two, so the normal
  // from a to b is the opposite one
  out.normal = -face.normal;
  out.distance = -height;
  out.on_a = witness(polytope, face, size);
  return true;
}

}  // namespace grus
