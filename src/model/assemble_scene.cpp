// Drafts to flat arrays: bodies sorted by release time, colliders by body, the initial state, the domain.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "core/hash.hpp"
#include "math/rotation.hpp"
#include "model/compile_context.hpp"

namespace grus {

namespace {

struct Box {
  Vec3 low = Vec3::Constant(std::numeric_limits<Real>::infinity());
  Vec3 high = Vec3::Constant(-std::numeric_limits<Real>::infinity());
  void add(const Vec3& center, Real radius) {
    low = low.cwiseMin(center - Vec3::Constant(radius));
    high = high.cwiseMax(center + Vec3::Constant(radius));
  }
  bool is_empty() const { return !(low.x() <= high.x()); }
};

// Each polyhedron is kept once, however many bodies have it and however often it was written.
class PolyhedronTable {
 public:
  Index add(const std::shared_ptr<const ConvexHull>& hull, std::vector<Polyhedron>& polyhedra) {
    const auto [found, is_new] = by_hull_.emplace(hull.get(), no_index);
    if (!is_new) return found->second;
    Hash hash;
    for (const Vec3& v : hull->polyhedron.vertices) {
      for (int axis = 0; axis < 3; ++axis) hash.value(v[axis]);
    }
    for (const Index i : same_hash_[hash.digest()]) {
      const Polyhedron& other = polyhedra[static_cast<std::size_t>(i)];
      if (other.vertices == hull->polyhedron.vertices && other.face_vertices == hull->polyhedron.face_vertices)
        return found->second = i;
    }
    found->second = static_cast<Index>(polyhedra.size());
    same_hash_[hash.digest()].push_back(found->second);
    polyhedra.push_back(hull->polyhedron);
    return found->second;
  }

 private:
  std::map<const ConvexHull*, Index> by_hull_;
  std::map<std::uint64_t, std::vector<Index>> same_hash_;
};

struct Assembly {
  const CompileContext& context;
  CompiledScene& scene;
  PolyhedronTable polyhedra;
};

void add_colliders(Assembly& assembly, const Blueprint& blueprint, Index body, Real scale) {
  Model& model = assembly.scene.model;
  const auto vertex_shift = static_cast<Index>(model.polygon_vertices.size());
  const auto triangle_shift = static_cast<Index>(model.triangles.size());
  for (Collider collider : blueprint.colliders) {
    collider.body = body;
    collider.vertex_begin += collider.vertex_count > 0 ? vertex_shift : 0;
    if (collider.kind == ShapeKind::triangle) collider.geometry += triangle_shift;
    if (collider.kind == ShapeKind::polyhedron)
      collider.geometry =
          assembly.polyhedra.add(blueprint.hulls[static_cast<std::size_t>(collider.geometry)], model.polyhedra);
    if (scale != 1.0) {
      collider.radius *= scale;
      collider.half *= scale;
      collider.scale *= scale;
      collider.p_BC *= scale;
      collider.bound_radius *= scale;
    }
    model.colliders.push_back(collider);
  }
  for (const Vec2& vertex : blueprint.vertices) model.polygon_vertices.push_back(scale * vertex);
  model.triangles.insert(model.triangles.end(), blueprint.triangles.begin(), blueprint.triangles.end());
}

// m ~ s^3 and I ~ s^5 in space, s^2 and s^4 in the plane.
void add_dynamic(Assembly& assembly, const BodyDraft& draft) {
  const CompileContext& context = assembly.context;
  CompiledScene& scene = assembly.scene;
  Model& model = scene.model;
  State& state = scene.initial;
  const Blueprint& blueprint = context.blueprints[static_cast<std::size_t>(draft.blueprint)];
  const Real s = draft.scale;
  const Real measure = model.planar ? s * s : s * s * s;
  const auto body = static_cast<Index>(model.mass.size());
  model.mass.push_back(measure * blueprint.mass);
  model.inertia.push_back(measure * s * s * blueprint.inertia);
  model.release_time.push_back(draft.release_time);
  model.R_UB.push_back(blueprint.R_UB);
  model.p_UB.push_back(s * blueprint.p_UB);
  model.collider_begin.push_back(static_cast<Index>(model.colliders.size()));
  add_colliders(assembly, blueprint, body, s);

  state.position.push_back(draft.position);
  state.rotation.push_back(draft.rotation);
  if (model.planar) state.angle.push_back(draft.angle);
  state.velocity.push_back(draft.velocity);
  state.angular_velocity.push_back(draft.angular_velocity);
  scene.names.body.push_back(draft.name);
  scene.names.group_of.push_back(draft.group);
}

void add_linked(Assembly& assembly, const LinkedDraft& draft) {
  const CompileContext& context = assembly.context;
  CompiledScene& scene = assembly.scene;
  Model& model = scene.model;
  const Blueprint& blueprint = context.blueprints[static_cast<std::size_t>(draft.blueprint)];
  const auto body = static_cast<Index>(scene.names.body.size());
  model.R_UB.push_back(blueprint.R_UB);
  model.p_UB.push_back(blueprint.p_UB);
  model.mechanism_of.push_back(draft.mechanism);
  model.collider_begin.push_back(static_cast<Index>(model.colliders.size()));
  add_colliders(assembly, blueprint, body, 1.0);
  scene.names.body.push_back(draft.name);
}

void add_kinematic(Assembly& assembly, const KinematicDraft& draft) {
  const CompileContext& context = assembly.context;
  CompiledScene& scene = assembly.scene;
  Model& model = scene.model;
  const auto body = static_cast<Index>(scene.names.body.size());
  model.R_UB.push_back(Quat::Identity());
  model.p_UB.push_back(Vec3::Zero());
  model.motion.push_back(draft.motion);
  model.collider_begin.push_back(static_cast<Index>(model.colliders.size()));
  add_colliders(assembly, context.blueprints[static_cast<std::size_t>(draft.blueprint)], body, 1.0);
  scene.names.body.push_back(draft.name);
}

void reserve(const CompileContext& context, CompiledScene& scene) {
  Model& model = scene.model;
  State& state = scene.initial;
  const std::size_t dynamic = context.dynamic.size();
  const std::size_t bodies = dynamic + context.linked.size() + context.kinematic.size();
  std::size_t colliders = 0, vertices = 0;
  const auto count = [&](Index blueprint) {
    colliders += context.blueprints[static_cast<std::size_t>(blueprint)].colliders.size();
    vertices += context.blueprints[static_cast<std::size_t>(blueprint)].vertices.size();
  };
  for (const BodyDraft& draft : context.dynamic) count(draft.blueprint);
  for (const LinkedDraft& draft : context.linked) count(draft.blueprint);
  for (const KinematicDraft& draft : context.kinematic) count(draft.blueprint);
  model.mass.reserve(dynamic);
  model.inertia.reserve(dynamic);
  model.release_time.reserve(dynamic);
  model.R_UB.reserve(bodies);
  model.p_UB.reserve(bodies);
  model.motion.reserve(context.kinematic.size());
  model.collider_begin.reserve(bodies + 1);
  model.colliders.reserve(colliders);
  model.polygon_vertices.reserve(vertices);
  state.position.reserve(dynamic);
  state.rotation.reserve(dynamic);
  if (model.planar) state.angle.reserve(dynamic);
  state.velocity.reserve(dynamic);
  state.angular_velocity.reserve(dynamic);
  scene.names.body.reserve(bodies);
  scene.names.group_of.reserve(dynamic);
}

// Of the dynamic bodies: the grains set the scale of contacts. A scene without any is measured by its machines.
void set_bound_radii(Model& model) {
  const auto measure = [&](auto counts) {
    Real smallest = std::numeric_limits<Real>::infinity();
    Real largest = 0.0;
    for (const Collider& collider : model.colliders) {
      if (!counts(collider.body) || !collider.collides || is_unbounded(collider.kind)) continue;
      smallest = std::min(smallest, collider.bound_radius);
      largest = std::max(largest, collider.bound_radius);
    }
    if (largest == 0.0) return false;
    model.smallest_bound_radius = smallest;
    model.largest_bound_radius = largest;
    return true;
  };
  if (!measure([&](Index body) { return model.is_dynamic(body); }))
    measure([&](Index body) { return model.is_linked(body); });
}

// How far anything of a mechanism can be from where it is fixed to the ground: all its lengths in a row. Slides count
// with their start; the margin of the domain is for their travel.
void add_reach(const Mechanism& mechanism, const State& initial, const Model& model, Box& box) {
  Real reach = 0.0;
  for (Index i = 0; i < mechanism.link_count(); ++i) {
    const Link& link = mechanism.links[static_cast<std::size_t>(i)];
    reach += link.X_JB.position.norm() + (link.parent == no_index ? 0.0 : link.X_PJ.position.norm());
    for (Index k = link.axis_begin; k < link.axis_end; ++k) {
      const JointAxis& axis = mechanism.axes[static_cast<std::size_t>(k)];
      if (axis.kind != AxisKind::slide) continue;
      reach += std::abs(initial.joint_position[static_cast<std::size_t>(mechanism.first_position + axis.position)]);
    }
    const auto body = static_cast<std::size_t>(mechanism.first_body + i);
    Real radius = 0.0;
    for (Index c = model.collider_begin[body]; c < model.collider_begin[body + 1]; ++c) {
      const Collider& collider = model.colliders[static_cast<std::size_t>(c)];
      if (!is_unbounded(collider.kind)) radius = std::max(radius, collider.p_BC.norm() + collider.bound_radius);
    }
    reach += radius;
  }
  for (const Link& link : mechanism.links) {
    if (link.parent == no_index) box.add(link.X_PJ.position, reach);
  }
}

// Bounded shapes, plane points, the round of tubes and rings; grown by its diagonal on every side.
void set_domain(const CompileContext& context, CompiledScene& scene) {
  Model& model = scene.model;
  if (context.spec.domain) {
    std::tie(model.domain_min, model.domain_max) = *context.spec.domain;
    if (model.planar) {
      model.domain_min.z() = -1e30;
      model.domain_max.z() = 1e30;
    }
    return;
  }
  Box box;
  for (const Collider& collider : model.colliders) {
    if (model.is_linked(collider.body)) continue;
    const bool is_dynamic = model.is_dynamic(collider.body);
    const auto i = static_cast<std::size_t>(collider.body);
    const Pose pose = is_dynamic ? Pose{scene.initial.position[i], scene.initial.rotation[i]}
                                 : model.motion[i - static_cast<std::size_t>(model.kinematic_begin())].base;
    const Vec3 center = pose.position + pose.rotation * collider.p_BC;
    if (!is_unbounded(collider.kind))
      box.add(center, collider.bound_radius);
    else if (collider.kind == ShapeKind::plane)
      box.add(center, 0.0);
    else
      box.add(center, collider.radius);
  }
  for (const Vec3& position : scene.initial.position) box.add(position, 0.0);
  for (const Mechanism& mechanism : model.mechanisms) add_reach(mechanism, scene.initial, model, box);
  if (box.is_empty()) return;
  const Real margin = (box.high - box.low).norm();
  if (margin == 0.0) return;  // one body without a shape: nothing tells how far is far
  model.domain_min = box.low - Vec3::Constant(margin);
  model.domain_max = box.high + Vec3::Constant(margin);
}

// Mechanisms and joints, with the numbers of drafts changed to those of the Model: only dynamic bodies were sorted.
void add_mechanisms(const CompileContext& context, const std::vector<std::size_t>& order, CompiledScene& scene) {
  std::vector<Index> number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) number[order[i]] = static_cast<Index>(i);
  const auto renumber = [&](Index body) {
    return body != no_index && body < static_cast<Index>(order.size()) ? number[static_cast<std::size_t>(body)] : body;
  };
  Model& model = scene.model;
  model.mechanisms = context.mechanisms;
  model.joint_conditions = context.joint_conditions;
  for (JointCondition& condition : model.joint_conditions) {
    condition.a = renumber(condition.a);
    condition.b = renumber(condition.b);
  }
  for (const auto& [a, b] : context.excluded_pairs)
    model.excluded_pairs.push_back(std::minmax({renumber(a), renumber(b)}));
  std::sort(model.excluded_pairs.begin(), model.excluded_pairs.end());
  const auto repeats = std::unique(model.excluded_pairs.begin(), model.excluded_pairs.end());
  model.excluded_pairs.erase(repeats, model.excluded_pairs.end());

  State& state = scene.initial;
  state.joint_position = context.joint_position;
  state.joint_velocity = context.joint_velocity;
  for (const Mechanism& mechanism : context.mechanisms) {
    for (const Coordinate& coordinate : mechanism.coordinates)
      state.joint_dependent.push_back(coordinate.role == CoordinateRole::dependent ? 1 : 0);
    state.memory.resize(state.memory.size() + mechanism.memories.size(), 0.0);
    state.held_force.resize(state.held_force.size() + mechanism.law_count(), 0U);
  }
  state.limit_impulse.assign(state.joint_velocity.size(), 0.0);
  state.friction_impulse.assign(state.joint_velocity.size(), 0.0);
  state.condition_impulse.assign(model.joint_conditions.size(), 0.0);
  scene.names.mechanism = context.mechanism_names;
  scene.names.joint = context.joint_names;
}

}  // namespace

// What a contact of a machine may be off by, m/s: this part of what gravity adds in one step. It bounds the contact,
// not the force: a heavy machine on a column of light grains moves with the sum of their errors (docs/theory.md).
// Without gravity there is no such scale, and no bound.
Real default_machine_tolerance(const Vec3& gravity, Real step) {
  constexpr Real part_of_gravity = 0.1;
  const Real speed = gravity.norm() * step;
  return speed > 0.0 ? part_of_gravity * speed : std::numeric_limits<Real>::infinity();
}

CompiledScene assemble_scene(CompileContext& context) {
  const Spec& spec = context.spec;
  CompiledScene scene;
  Model& model = scene.model;
  model.planar = spec.planar;
  model.gravity = spec.gravity;
  model.integrator = spec.integrator;
  model.solver = spec.solver;
  if (!model.solver.machine_tolerance)
    model.solver.machine_tolerance = default_machine_tolerance(spec.gravity, spec.integrator.step);
  model.contact = spec.contact;
  model.seed = spec.seed;
  model.scene_hash = spec.hash;
  model.material_count = std::max<Index>(1, static_cast<Index>(context.materials.size()));
  model.pair_laws = context.pair_laws;

  std::vector<std::size_t> order(context.dynamic.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return context.dynamic[a].release_time < context.dynamic[b].release_time;
  });
  model.dynamic_count = static_cast<Index>(context.dynamic.size());
  model.linked_count = static_cast<Index>(context.linked.size());
  model.body_count = model.kinematic_begin() + static_cast<Index>(context.kinematic.size());
  reserve(context, scene);
  Assembly assembly{context, scene, {}};
  for (const std::size_t i : order) add_dynamic(assembly, context.dynamic[i]);
  for (const LinkedDraft& draft : context.linked) add_linked(assembly, draft);
  for (const KinematicDraft& draft : context.kinematic) add_kinematic(assembly, draft);
  model.collider_begin.push_back(static_cast<Index>(model.colliders.size()));

  add_mechanisms(context, order, scene);
  set_bound_radii(model);
  set_domain(context, scene);
  model.inputs = context.input_models;
  scene.initial.input = scene.initial.input_start = scene.initial.input_end = context.inputs.start;
  scene.initial.input_rate.assign(context.inputs.start.size(), 0.0);
  scene.names.input = context.inputs.name;
  scene.names.group = context.groups;
  scene.names.material = context.materials;
  return scene;
}

void add_warnings(CompileContext& context, const Model& model, const State& initial) {
  if (model.dynamic_count == 0) {
    const auto unknown = [](const GeneratorSpec& generator) { return generator.bed_is_unknown; };
    const std::vector<GeneratorSpec>& generators = context.spec.generators;
    if (!model.mechanisms.empty() || std::any_of(generators.begin(), generators.end(), unknown)) return;
    context.warn({context.spec.file, 0, 0}, "the scene has no dynamic body: nothing will move freely");
    return;
  }
  if (model.colliders.empty()) return;
  // a grain that fell by its own radius, or starts fast, should not cross half its radius in one step
  const Real r = model.smallest_bound_radius;
  const Real h = model.integrator.step;
  const Real fall_speed = std::sqrt(2.0 * model.gravity.norm() * r);
  constexpr Real part = 0.5;
  const SourceMark step_mark = context.mark_of("time.step");
  if (h * fall_speed > part * r)
    context.warn(step_mark, fmt::format("time.step {} s is large for grains of radius {:.3g} m: after falling one "
                                        "radius they move {:.2g} radii per "
                                        "step; try {:.1g} s",
                                        h, r, h * fall_speed / r, 0.1 * r / fall_speed));
  Real fastest = 0.0;
  for (const Vec3& v : initial.velocity) fastest = std::max(fastest, v.norm());
  if (h * fastest > part * r)
    context.warn(step_mark, fmt::format("the fastest body moves {:.2g} radii of the smallest grain in one step at the "
                                        "start; try time.step {:.1g} s",
                                        h * fastest / r, 0.1 * r / fastest));
}

}  // namespace grus
