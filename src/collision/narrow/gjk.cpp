#include "collision/narrow/gjk.hpp"

#include <array>
#include <cmath>

namespace grus {

namespace {

struct SupportPoint {
  Vec3 w, a;  // w = b - a
};

struct Simplex {
  std::array<SupportPoint, 4> v;
  std::array<Real, 4> weight{};
  int count = 0;

  Vec3 point() const {
    Vec3 x = Vec3::Zero();
    for (int i = 0; i < count; ++i) x += weight[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(i)].w;
    return x;
  }
};

Simplex make(const SupportPoint& a, Real weight) {
  Simplex s;
  s.v[0] = a;
  s.weight[0] = weight;
  s.count = 1;
  return s;
}

Simplex nearest(const SupportPoint& a, const SupportPoint& b) {
  const Vec3 e = b.w - a.w;
  const Real e2 = e.squaredNorm();
  const Real t = e2 > 0.0 ? -a.w.dot(e) / e2 : 0.0;
  if (t <= 0.0) return make(a, 1.0);
  if (t >= 1.0) return make(b, 1.0);
  Simplex s = make(a, 1.0 - t);
  s.v[1] = b;
  s.weight[1] = t;
  s.count = 2;
  return s;
}

// Voronoi regions of a triangle, Ericson 2005, section 5.1.5, for the origin.
Simplex nearest(const SupportPoint& a, const SupportPoint& b, const SupportPoint& c) {
  const Vec3 ab = b.w - a.w, ac = c.w - a.w;
  const Real d1 = -ab.dot(a.w), d2 = -ac.dot(a.w);
  if (d1 <= 0.0 && d2 <= 0.0) return make(a, 1.0);
  const Real d3 = -ab.dot(b.w), d4 = -ac.dot(b.w);
  if (d3 >= 0.0 && d4 <= d3) return make(b, 1.0);
  const Real d5 = -ab.dot(c.w), d6 = -ac.dot(c.w);
  if (d6 >= 0.0 && d5 <= d6) return make(c, 1.0);
  const Real vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return nearest(a, b);
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return nearest(a, c);
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) return nearest(b, c);
  const Real sum = va + vb + vc;
  if (!(sum > 0.0)) {  // without area: the best of the three edges
    Simplex best = nearest(a, b);
    for (const Simplex& s : {nearest(a, c), nearest(b, c)})
      if (s.point().squaredNorm() < best.point().squaredNorm()) best = s;
    return best;
  }
  Simplex s = make(a, va / sum);
  s.v[1] = b;
  s.v[2] = c;
  s.weight[1] = vb / sum;
  s.weight[2] = vc / sum;
  s.count = 3;
  return s;
}

// Is the origin on the other side of the face (a, b, c) than d, or the tetrahedron flat?
bool beyond(const SupportPoint& a, const SupportPoint& b, const SupportPoint& c, const SupportPoint& d) {
  const Vec3 n = (b.w - a.w).cross(c.w - a.w);
  const Real side_d = n.dot(d.w - a.w), side_0 = -n.dot(a.w);
  return side_d * side_0 <= 0.0;
}

// Nearest point of the simplex to the origin, with the vertices that carry it. count = 4: the origin is inside.
Simplex nearest(const Simplex& s) {
  if (s.count == 1) return make(s.v[0], 1.0);
  if (s.count == 2) return nearest(s.v[0], s.v[1]);
  if (s.count == 3) return nearest(s.v[0], s.v[1], s.v[2]);
  constexpr std::array<std::array<std::size_t, 4>, 4> faces{{{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}}};
  Simplex best = s;
  Real best2 = 1e300;
  for (const auto& f : faces) {
    if (!beyond(s.v[f[0]], s.v[f[1]], s.v[f[2]], s.v[f[3]])) continue;
    const Simplex candidate = nearest(s.v[f[0]], s.v[f[1]], s.v[f[2]]);
    const Real d2 = candidate.point().squaredNorm();
    if (d2 < best2) {
      best = candidate;
      best2 = d2;
    }
  }
  return best;
}

// A triangle names the direction by its own plane: unlike v/|v| it keeps its digits as the distance goes to zero.
Vec3 direction(const Simplex& s, const Vec3& v) {
  if (s.count == 3) {
    const Vec3 n = (s.v[1].w - s.v[0].w).cross(s.v[2].w - s.v[0].w);
    const Real length = n.norm();
    const Real scale = (s.v[1].w - s.v[0].w).norm() * (s.v[2].w - s.v[0].w).norm();
    if (length > 1e-6 * scale) return n.dot(v) >= 0.0 ? Vec3(n / length) : Vec3(-n / length);
  }
  return v.normalized();
}

// The point of core a that the weights name.
Vec3 carried_point(const Simplex& s) {
  Vec3 on_a = Vec3::Zero();
  for (int i = 0; i < s.count; ++i) on_a += s.weight[static_cast<std::size_t>(i)] * s.v[static_cast<std::size_t>(i)].a;
  return on_a;
}

// Weights of the origin in a tetrahedron that holds it: volumes of the parts.
void weigh_inside(Simplex& s) {
  const auto volume = [](const Vec3& a, const Vec3& b, const Vec3& c) { return std::abs(a.dot(b.cross(c))); };
  const Vec3 &w0 = s.v[0].w, &w1 = s.v[1].w, &w2 = s.v[2].w, &w3 = s.v[3].w;
  s.weight = {volume(w1, w2, w3), volume(w0, w2, w3), volume(w0, w1, w3), volume(w0, w1, w2)};
  const Real sum = s.weight[0] + s.weight[1] + s.weight[2] + s.weight[3];
  for (Real& weight : s.weight) weight = sum > 0.0 ? weight / sum : 0.25;
}

}  // namespace

GjkStatus gjk(const ConvexCore& a, const ConvexCore& b, Real limit, Real size, ConvexSeparation& out) {
  const Vec3 start = b.p - a.p;
  return gjk(a, b, limit, size, start.squaredNorm() > 0.0 ? start : Vec3(Vec3::UnitX()), out);
}

GjkStatus gjk(const ConvexCore& a, const ConvexCore& b, Real limit, Real size, const Vec3& start,
              ConvexSeparation& out) {
  constexpr int max_iterations = 100;
  constexpr Real relative_error = 1e-13;  // of the squared distance; below it rounding decides
  const auto support = [&](const Vec3& d) {
    const Vec3 on_a = a.support(-d);
    return SupportPoint{b.support(d) - on_a, on_a};
  };
  Simplex simplex = make(support(-start), 1.0);
  Vec3 v = simplex.v[0].w;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    const Real v2 = v.squaredNorm();
    if (v2 <= 1e-24 * size * size) {
      out.on_a = carried_point(simplex);
      return GjkStatus::overlapping;
    }
    const SupportPoint w = support(-v);
    const Real bound = v.dot(w.w);
    if (bound > 0.0 && bound > limit * std::sqrt(v2)) {
      out.normal = v / std::sqrt(v2);
      return GjkStatus::beyond_limit;
    }
    if (v2 - bound <= relative_error * v2) break;
    bool known = false;
    for (int i = 0; i < simplex.count; ++i) known = known || simplex.v[static_cast<std::size_t>(i)].w == w.w;
    if (known) break;
    Simplex grown = simplex;
    grown.v[static_cast<std::size_t>(grown.count++)] = w;
    const Simplex next = nearest(grown);
    if (next.count == 4) {
      weigh_inside(grown);
      out.on_a = carried_point(grown);
      return GjkStatus::overlapping;
    }
    const Vec3 x = next.point();
    if (x.squaredNorm() >= v2) break;  // no more digits
    simplex = next;
    v = x;
  }
  out.normal = direction(simplex, v);
  out.distance = v.norm();
  out.on_a = carried_point(simplex);
  return GjkStatus::separated;
}

}  // namespace grus
