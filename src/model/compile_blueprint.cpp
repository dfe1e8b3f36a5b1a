// Shapes and mass of one body: user frame U to body frame B (centre of mass, principal axes).
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/nearest_name.hpp"
#include "model/compile_context.hpp"

namespace grus {

namespace {

struct KindFacts {
  const char* name;
  bool in_space;
  bool in_plane;
};

KindFacts facts(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::sphere:
      return {"sphere", true, false};
    case ShapeKind::capsule:
      return {"capsule", true, true};
    case ShapeKind::cylinder:
      return {"cylinder", true, false};
    case ShapeKind::box:
      return {"box", true, true};
    case ShapeKind::plane:
      return {"plane", true, true};
    case ShapeKind::disk:
      return {"disk", false, true};
    case ShapeKind::polygon:
      return {"polygon", false, true};
    case ShapeKind::tube:
      return {"tube", true, false};
    case ShapeKind::ring:
      return {"ring", false, true};
    case ShapeKind::polyhedron:
      return {"polyhedron", true, false};
    case ShapeKind::triangle:
      return {"mesh wall", true, false};
  }
  return {"?", false, false};
}

bool check_kind(CompileContext& context, const ShapeSpec& shape, const std::string& what) {
  const KindFacts kind = facts(shape.kind);
  if (context.spec.planar ? kind.in_plane : kind.in_space) return true;
  context.fault(shape.mark, context.spec.planar
                                ? fmt::format("{}: a {} has no place in a planar scene (expected disk, capsule, box, "
                                              "polygon, plane or ring)",
                                              what, kind.name)
                                : fmt::format("{}: a {} has no place in a spatial scene (expected sphere, capsule, "
                                              "cylinder, box, polyhedron, mesh, plane or tube)",
                                              what, kind.name));
  return false;
}

bool check_sizes(CompileContext& context, const ShapeSpec& shape, const std::string& what) {
  const auto label = [&](const char* size) {
    return fmt::format("{}: {} of the {}", what, size, facts(shape.kind).name);
  };
  switch (shape.kind) {
    case ShapeKind::sphere:
    case ShapeKind::disk:
    case ShapeKind::tube:
    case ShapeKind::ring:
      return check_positive(context, shape.mark, label("radius"), shape.radius);
    case ShapeKind::capsule:
    case ShapeKind::cylinder: {
      const bool radius = check_positive(context, shape.mark, label("radius"), shape.radius);
      return check_positive(context, shape.mark, label("length"), shape.length) && radius;
    }
    case ShapeKind::box: {
      bool good = true;
      for (int axis = 0; axis < (context.spec.planar ? 2 : 3); ++axis)
        good &= check_positive(context, shape.mark, label("size"), shape.size[axis]);
      return good;
    }
    case ShapeKind::polyhedron:
    case ShapeKind::triangle:
      return check_positive(context, shape.mark, label("scale"), shape.scale);
    case ShapeKind::polygon:
    case ShapeKind::plane:
      return true;
  }
  return false;
}

bool check_shape(CompileContext& context, const ShapeSpec& shape, const std::string& what) {
  bool good = check_kind(context, shape, what);
  if (good) good = check_sizes(context, shape, what);
  good &= check_vector(context, shape.mark, what + ": position of a shape", shape.position) &&
          check_in_plane(context, shape.mark, what + ": position of a shape", shape.position);
  good &= check_unit(context, shape.mark, what + ": rotation of a shape", shape.rotation) &&
          check_in_plane(context, shape.mark, what + ": rotation of a shape", shape.rotation);
  if (shape.density) good &= check_positive(context, shape.mark, what + ": density of a shape", *shape.density);
  return good;
}

Index find_material(CompileContext& context, const ShapeSpec& shape, const BlueprintRequest& request) {
  const std::string& name = shape.material.empty() ? request.material : shape.material;
  const SourceMark& where = shape.material.empty() ? request.mark : shape.mark;
  const auto found = context.material_index.find(name);
  if (found != context.material_index.end()) return found->second;
  context.fault(where, name.empty() ? request.what + " needs a material"
                                    : fmt::format("{}: unknown material '{}'{}", request.what, name,
                                                  name_hint(name, context.materials)));
  return no_index;
}

std::optional<Real> density_of(const CompileContext& context, const ShapeSpec& shape, const BlueprintRequest& request) {
  if (shape.density) return shape.density;
  if (request.density) return request.density;
  const std::string& name = shape.material.empty() ? request.material : shape.material;
  for (const MaterialSpec& material : context.spec.materials) {
    if (material.name == name) return material.density;
  }
  return std::nullopt;
}

Collider make_collider(const CompileContext& context, const ShapeSpec& shape, Index material, Blueprint& blueprint) {
  Collider collider;
  collider.kind = shape.kind;
  collider.material = material;
  collider.collides = shape.collides;
  collider.radius = shape.radius;
  if (shape.kind == ShapeKind::box) {
    collider.radius = 0.0;
    collider.half = 0.5 * shape.size;
    if (context.spec.planar) collider.half.z() = 0.0;
  } else if (shape.kind == ShapeKind::capsule || shape.kind == ShapeKind::cylinder) {
    collider.half = Vec3(0.0, 0.0, 0.5 * shape.length);
  } else if (shape.kind == ShapeKind::polygon) {
    collider.radius = 0.0;
    collider.vertex_begin = static_cast<Index>(blueprint.vertices.size());
    collider.vertex_count = static_cast<Index>(shape.vertices.size());
    blueprint.vertices.insert(blueprint.vertices.end(), shape.vertices.begin(), shape.vertices.end());
  } else if (shape.kind == ShapeKind::polyhedron) {
    collider.radius = 0.0;
    collider.scale = shape.scale;
    collider.geometry = static_cast<Index>(blueprint.hulls.size());
    blueprint.hulls.push_back(shape.hull);
  } else if (shape.kind == ShapeKind::plane) {
    collider.radius = 0.0;
  }
  collider.bound_radius = bound_radius(shape, context.spec.planar);
  collider.p_BC = shape.position;
  collider.R_BC = shape.rotation.normalized();
  return collider;
}

// A mesh wall is a collider per triangle, each about its own centroid.
void add_wall(CompileContext& context, const ShapeSpec& shape, Index material, Blueprint& blueprint) {
  auto result = wall_triangles(*shape.mesh, shape.scale);
  if (const auto* message = std::get_if<std::string>(&result)) {
    context.fault(shape.mark, *message);
    return;
  }
  const Quat rotation = shape.rotation.normalized();
  for (MeshTriangle& triangle : std::get<std::vector<MeshTriangle>>(result)) {
    const Vec3 center = (triangle.vertices[0] + triangle.vertices[1] + triangle.vertices[2]) / 3.0;
    Collider collider;
    collider.kind = ShapeKind::triangle;
    collider.material = material;
    collider.collides = shape.collides;
    collider.geometry = static_cast<Index>(blueprint.triangles.size());
    collider.p_BC = shape.position + rotation * center;
    collider.R_BC = rotation;
    for (Vec3& vertex : triangle.vertices) {
      vertex -= center;
      collider.bound_radius = std::max(collider.bound_radius, vertex.norm());
    }
    blueprint.triangles.push_back(triangle);
    blueprint.colliders.push_back(collider);
  }
}

// Into B from U.
void shift_colliders(Blueprint& blueprint) {
  const bool turns = !blueprint.R_UB.vec().isZero(0.0);
  const Quat R_BU = blueprint.R_UB.conjugate();
  blueprint.bound_radius = 0.0;
  for (Collider& collider : blueprint.colliders) {
    const Vec3 lever = collider.p_BC - blueprint.p_UB;
    collider.p_BC = turns ? Vec3(R_BU * lever) : lever;
    if (turns) collider.R_BC = (R_BU * collider.R_BC).normalized();
    blueprint.bound_radius = std::max(blueprint.bound_radius, collider.p_BC.norm() + collider.bound_radius);
  }
}

// Mass of the shapes at their densities, or at one that gives the total asked for.
bool mass_from_shapes(CompileContext& context, const BlueprintRequest& request, const std::vector<ShapeSpec>& shapes,
                      MassProperties& whole) {
  const std::optional<Real> total = request.given ? request.given->mass : std::nullopt;
  // a total mass follows the densities when every shape has one
  const bool spread_evenly = total && std::any_of(shapes.begin(), shapes.end(), [&](const ShapeSpec& shape) {
                               return !density_of(context, shape, request);
                             });
  std::vector<MassProperties> pieces;
  for (const ShapeSpec& shape : shapes) {
    if (is_massless(shape.kind)) {
      const char* why = request.may_be_unbounded ? "which has no mass: give mass and inertia"
                        : shape.kind == ShapeKind::triangle
                            ? "which has no inside and no mass: use the mesh as hull or pieces"
                            : "which has no end and no mass";
      context.fault(shape.mark, fmt::format("{} is {} and has a {}, {}", request.what,
                                            request.may_be_unbounded ? "part of a mechanism" : "dynamic",
                                            facts(shape.kind).name, why));
      return false;
    }
    std::optional<Real> density = density_of(context, shape, request);
    if (spread_evenly) density = 1.0;
    if (!density) {
      context.fault(request.mark,
                    fmt::format("{} needs a density (of the body or of its material) or a mass", request.what));
      return false;
    }
    const Real depth = context.spec.planar ? context.spec.thickness : 1.0;
    const MassProperties unit = unit_mass_properties(shape, context.spec.planar);
    pieces.push_back(moved(scaled(unit, *density * depth), shape.position, shape.rotation.normalized()));
  }
  whole = composed(pieces);
  if (total) whole = scaled(whole, *total / whole.mass);
  return true;
}

bool check_given(CompileContext& context, const BlueprintRequest& request) {
  const SourceMark& mark = request.mark;
  const std::string& what = request.what;
  bool good = !request.density || check_positive(context, mark, what + ": density", *request.density);
  if (!request.given) return good;
  const BodySpec& given = *request.given;
  const auto fault = [&](const std::string& message) {
    context.fault(mark, what + message);
    good = false;
  };
  if (given.mass) good &= check_positive(context, mark, what + ": mass", *given.mass);
  if (!given.mass && (given.inertia || given.center_of_mass))
    fault(" gives inertia or center_of_mass, so it must give mass too");
  if (given.inertia && !given.inertia->allFinite()) fault(": inertia has a number that is not finite");
  constexpr Real rounding = 1e-9;
  if (given.inertia && (*given.inertia - given.inertia->transpose()).norm() > rounding * given.inertia->norm())
    fault(": inertia is not symmetric");
  if (given.center_of_mass)
    good &= check_vector(context, mark, what + ": center_of_mass", *given.center_of_mass) &&
            check_in_plane(context, mark, what + ": center_of_mass", *given.center_of_mass);
  return good;
}

// Mass properties in U: those given, the rest from the shapes.
bool body_mass(CompileContext& context, const BlueprintRequest& request, const std::vector<ShapeSpec>& shapes,
               MassProperties& whole) {
  if (!check_given(context, request)) return false;
  const BodySpec* given = request.given;
  const bool has_inertia = given && given->inertia;
  if (shapes.empty() && !has_inertia) {
    context.fault(request.mark, request.what + " needs a shape, or mass and inertia");
    return false;
  }
  if (!shapes.empty() && !mass_from_shapes(context, request, shapes, whole)) return false;
  if (has_inertia) {
    whole.mass = *given->mass;
    whole.inertia = *given->inertia;
  }
  if (given && given->center_of_mass) whole.center = *given->center_of_mass;
  return true;
}

bool set_mass(CompileContext& context, const BlueprintRequest& request, const MassProperties& whole,
              Blueprint& blueprint) {
  blueprint.mass = whole.mass;
  blueprint.p_UB = whole.center;
  if (context.spec.planar) {
    // all three components, so that no code can divide by zero; only z is used
    blueprint.inertia = Vec3::Constant(whole.inertia(2, 2));
    return check_positive(context, request.mark, request.what + ": moment of inertia", whole.inertia(2, 2));
  }
  const PrincipalInertia principal = principal_inertia(whole.inertia);
  blueprint.inertia = principal.moments;
  blueprint.R_UB = principal.rotation;
  if (is_physical(principal.moments)) return true;
  const Vec3& m = principal.moments;
  context.fault(request.mark,
                fmt::format("{}: principal moments of inertia {}, {}, {} belong to no mass distribution (all must be "
                            "positive, none larger than the sum of the others)",
                            request.what, m.x(), m.y(), m.z()));
  return false;
}

}  // namespace

bool make_blueprint(CompileContext& context, const BlueprintRequest& request, Blueprint& blueprint) {
  const std::size_t faults_before = context.faults.size();
  std::vector<ShapeSpec> shapes;
  bool shapes_good = true;
  for (const ShapeSpec& shape : request.shapes) {
    const bool good = check_shape(context, shape, request.what);
    const Index material = find_material(context, shape, request);
    std::vector<ShapeSpec> pieces;
    if (good) pieces = canonical_shapes(context, shape, request.what);
    shapes_good &= !pieces.empty();
    for (ShapeSpec& piece : pieces) {
      if (piece.kind == ShapeKind::triangle)
        add_wall(context, piece, material, blueprint);
      else
        blueprint.colliders.push_back(make_collider(context, piece, material, blueprint));
      blueprint.measure += std::abs(unit_mass_properties(piece, context.spec.planar).mass);
      shapes.push_back(std::move(piece));
    }
  }
  if (!request.needs_mass && request.shapes.empty()) context.fault(request.mark, request.what + " needs a shape");
  if (request.needs_mass && shapes_good) {
    MassProperties whole;
    const bool has_mass = request.given && request.given->mass;
    if (request.may_be_unbounded && has_mass)
      std::erase_if(shapes, [](const ShapeSpec& shape) { return is_massless(shape.kind); });
    if (body_mass(context, request, shapes, whole)) set_mass(context, request, whole, blueprint);
  }
  shift_colliders(blueprint);
  return context.faults.size() == faults_before;
}

}  // namespace grus
