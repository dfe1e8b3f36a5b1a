#include "io/urdf.hpp"

#include <cmath>
#include <filesystem>
#include <mutex>
#include <set>

#include <console_bridge/console.h>
#include <fmt/format.h>
#include <urdf_parser/urdf_parser.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/nearest_name.hpp"
#include "io/foreign_file.hpp"
#include "io/mesh_file.hpp"
#include "io/reader_limits.hpp"
#include "io/urdf_check.hpp"

namespace grus {

namespace {

namespace fs = std::filesystem;

// What urdfdom has to say goes to its logger; here it becomes part of a message.
class UrdfMessages : public console_bridge::OutputHandler {
 public:
  UrdfMessages() : alone_(in_use()), before_(console_bridge::getLogLevel()) {
    console_bridge::setLogLevel(console_bridge::CONSOLE_BRIDGE_LOG_ERROR);
    console_bridge::useOutputHandler(this);
  }
  ~UrdfMessages() override {
    console_bridge::restorePreviousOutputHandler();
    console_bridge::setLogLevel(before_);
  }
  UrdfMessages(const UrdfMessages&) = delete;
  UrdfMessages& operator=(const UrdfMessages&) = delete;

  void log(const std::string& text, console_bridge::LogLevel, const char*, int) override { all_.push_back(text); }
  const std::vector<std::string>& all() const { return all_; }

 private:
  // The handler belongs to the whole process: one file at a time, also when simulations are made in several threads.
  static std::mutex& in_use() {
    static std::mutex mutex;
    return mutex;
  }

  std::lock_guard<std::mutex> alone_;
  console_bridge::LogLevel before_;
  std::vector<std::string> all_;
};

Vec3 vector_of(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }

Pose pose_of(const urdf::Pose& pose) {
  Pose result;
  result.position = vector_of(pose.position);
  pose.rotation.getQuaternion(result.rotation.x(), result.rotation.y(), result.rotation.z(), result.rotation.w());
  return result;
}

Pose composed_pose(const Pose& outer, const Pose& inner) {
  return {outer.position + outer.rotation * inner.position, (outer.rotation * inner.rotation).normalized()};
}

class UrdfReader {
 public:
  UrdfReader(const UrdfRequest& request, MechanismSpec& mechanism, std::vector<Fault>& faults)
      : request_(request), mechanism_(mechanism), faults_(faults) {}

  void read(const std::string& text) {
    content_.bytes(text.data(), text.size());
    const std::vector<XmlFault> wrong = check_urdf(text);
    for (const XmlFault& f : wrong)
      faults_.push_back({request_.mark, fmt::format("{}:{}: {}", request_.file, f.line, f.message)});
    if (!wrong.empty()) return;
    const urdf::ModelInterfaceSharedPtr model = parsed(text);
    if (!model) return;
    check_joint_names(*model);
    Pose X_root{request_.position, request_.rotation};
    urdf::LinkConstSharedPtr root = model->getRoot();
    // base_footprint and the like: a frame on the ground that carries the real base
    while (is_frame(*root) && root->collision_array.empty() && root->child_joints.size() == 1 &&
           root->child_joints[0]->type == urdf::Joint::FIXED) {
      X_root = composed_pose(X_root, pose_of(root->child_joints[0]->parent_to_joint_origin_transform));
      root = root->child_links[0];
    }
    if (is_frame(*root)) {
      if (request_.free_base)
        return fault(
            fmt::format("its root link '{}' has no mass, so it cannot float: expected base: fixed", root->name));
      add_children(*root, "ground", X_root, nullptr);
    } else {
      add_root(*root, X_root);
    }
    if (!request_.self_contact) exclude_all();
  }

  const Hash& content() const { return content_; }

 private:
  void fault(const std::string& message) { faults_.push_back({request_.mark, request_.file + ": " + message}); }

  // What urdfdom complains about it leaves out: every complaint is a fault.
  urdf::ModelInterfaceSharedPtr parsed(const std::string& text) {
    const UrdfMessages messages;
    urdf::ModelInterfaceSharedPtr model;
    try {
      model = urdf::parseURDF(text);
    } catch (const std::exception& e) {
      fault(e.what());
      return nullptr;
    }
    for (const std::string& message : messages.all()) fault(message);
    if (!messages.all().empty()) return nullptr;
    if (!model || !model->getRoot()) {
      fault("is no URDF file");
      return nullptr;
    }
    return model;
  }

  void check_joint_names(const urdf::ModelInterface& model) {
    std::vector<std::string> names;
    for (const auto& [name, joint] : model.joints_) {
      if (joint->type != urdf::Joint::FIXED) names.push_back(name);
    }
    std::set<std::string> seen;
    for (const CoordinateSpec& coordinate : request_.joints) {
      if (std::find(names.begin(), names.end(), coordinate.name) == names.end())
        faults_.push_back({coordinate.mark, fmt::format("joints: {} has no moving joint '{}'{}", request_.file,
                                                        coordinate.name, name_hint(coordinate.name, names))});
      if (!seen.insert(coordinate.name).second)
        faults_.push_back({coordinate.mark, fmt::format("joints: '{}' is given twice", coordinate.name)});
    }
  }

  static bool is_frame(const urdf::Link& link) { return !link.inertial || link.inertial->mass == 0.0; }

  void add_root(const urdf::Link& link, const Pose& X_root) {
    LinkSpec& body = add_body(link, "ground");
    body.joint.kind = request_.free_base ? JointKind::free : JointKind::fixed;
    body.joint.at = X_root.position;
    body.joint.rotation = X_root.rotation;
    add_children(link, link.name, {}, &body.body);
  }

  // Children of a link whose frame lies at X in that of `parent`. `owner` takes the shapes of massless ones.
  void add_children(const urdf::Link& link, const std::string& parent, const Pose& X, BodySpec* owner) {
    const std::size_t owner_index = owner ? index_of(*owner) : 0;
    for (std::size_t i = 0; i < link.child_joints.size(); ++i) {
      const urdf::Joint& joint = *link.child_joints[i];
      const urdf::Link& child = *link.child_links[i];
      const Pose X_child = composed_pose(X, pose_of(joint.parent_to_joint_origin_transform));
      // the vector of bodies grows on the way
      BodySpec* const body = owner ? &mechanism_.bodies[owner_index].body : nullptr;
      if (is_frame(child)) {
        if (joint.type != urdf::Joint::FIXED) {
          fault(fmt::format("link '{}' moves at joint '{}' and has no mass", child.name, joint.name));
          continue;
        }
        if (body) add_shapes(child, X_child, *body);
        add_children(child, parent, X_child, body);
        continue;
      }
      LinkSpec& added = add_body(child, parent);
      set_joint(joint, X_child, added.joint);
      add_children(child, child.name, {}, &added.body);
    }
  }

  std::size_t index_of(const BodySpec& body) const {
    for (std::size_t i = 0; i < mechanism_.bodies.size(); ++i)
      if (&mechanism_.bodies[i].body == &body) return i;
    return 0;
  }

  LinkSpec& add_body(const urdf::Link& link, const std::string& parent) {
    LinkSpec& body = mechanism_.bodies.emplace_back();
    body.parent = parent;
    body.body.mark = body.joint.mark = request_.mark;
    body.body.name = link.name;
    body.body.material = request_.material;
    const urdf::Inertial& given = *link.inertial;
    const Pose X = pose_of(given.origin);
    const Mat3 R = X.rotation.toRotationMatrix();
    Mat3 inertia;
    inertia << given.ixx, given.ixy, given.ixz, given.ixy, given.iyy, given.iyz, given.ixz, given.iyz, given.izz;
    body.body.mass = given.mass;
    body.body.center_of_mass = X.position;
    body.body.inertia = R * inertia * R.transpose();
    add_shapes(link, {}, body.body);
    return body;
  }

  void add_shapes(const urdf::Link& link, const Pose& X, BodySpec& body) {
    for (const auto& collision : link.collision_array) add_shape(*collision, link, X, true, body);
    if (!link.collision_array.empty()) return;
    for (const auto& visual : link.visual_array) add_shape(*visual, link, X, false, body);
  }

  template <class Element>
  void add_shape(const Element& element, const urdf::Link& link, const Pose& X, bool collides, BodySpec& body) {
    ShapeSpec shape;
    shape.mark = request_.mark;
    shape.collides = collides;
    const Pose placed = composed_pose(X, pose_of(element.origin));
    shape.position = placed.position;
    shape.rotation = placed.rotation;
    if (!element.geometry) return fault(fmt::format("link '{}' has a shape without geometry", link.name));
    switch (element.geometry->type) {
      case urdf::Geometry::SPHERE:
        shape.kind = ShapeKind::sphere;
        shape.radius = static_cast<const urdf::Sphere&>(*element.geometry).radius;
        break;
      case urdf::Geometry::BOX:
        shape.kind = ShapeKind::box;
        shape.size = vector_of(static_cast<const urdf::Box&>(*element.geometry).dim);
        break;
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(*element.geometry);
        shape.kind = ShapeKind::cylinder;
        shape.radius = cylinder.radius;
        shape.length = cylinder.length;
        break;
      }
      case urdf::Geometry::MESH:
        if (!add_mesh(static_cast<const urdf::Mesh&>(*element.geometry), link, shape)) return;
        break;
    }
    body.shapes.push_back(std::move(shape));
  }

  bool add_mesh(const urdf::Mesh& mesh, const urdf::Link& link, ShapeSpec& shape) {
    // a drawn mesh is often a scan in a format that is not read; what touches must be there
    const fs::path path = found(mesh.filename);
    auto result = read_mesh_file(path.string());
    if (const auto* message = std::get_if<std::string>(&result)) {
      if (shape.collides) fault(fmt::format("link '{}': {}", link.name, *message));
      return false;
    }
    shape.kind = ShapeKind::polyhedron;
    for (const Vec3& v : std::get<TriangleMesh>(result).vertices) {
      for (const Real x : v) content_.value(x);
      shape.points.push_back(v.cwiseProduct(vector_of(mesh.scale)));
    }
    return true;
  }

  // package://name/meshes/a.stl lies somewhere above the URDF file, in most packages at ../meshes/a.stl.
  fs::path found(const std::string& uri) const {
    std::string name = uri;
    for (const std::string scheme : {"package://", "file://"}) {
      if (!name.starts_with(scheme)) continue;
      name.erase(0, scheme.size());
      if (scheme == "package://") name.erase(0, name.find('/') + 1);
    }
    if (fs::path(name).is_absolute()) return name;
    fs::path folder = fs::absolute(request_.file).parent_path();
    for (int up = 0; up < 4; ++up, folder = folder.parent_path()) {
      std::error_code ignored;
      if (fs::exists(folder / name, ignored)) return folder / name;
    }
    return fs::absolute(request_.file).parent_path() / name;
  }

  void set_joint(const urdf::Joint& from, const Pose& X, JointSpec& joint) {
    joint.at = X.position;
    joint.rotation = X.rotation;
    const char* coordinate = nullptr;
    switch (from.type) {
      case urdf::Joint::FIXED:
        joint.kind = JointKind::fixed;
        return;
      case urdf::Joint::REVOLUTE:
      case urdf::Joint::CONTINUOUS:
        joint.kind = JointKind::revolute;
        coordinate = "angle";
        break;
      case urdf::Joint::PRISMATIC:
        joint.kind = JointKind::prismatic;
        coordinate = "slide";
        break;
      case urdf::Joint::FLOATING:
        joint.kind = JointKind::free;
        break;
      case urdf::Joint::PLANAR:
        joint.kind = JointKind::planar;
        if (vector_of(from.axis) != Vec3(0, 0, 1))
          fault(fmt::format("planar joint '{}': found another axis than 0 0 1", from.name));
        break;
      default:
        return fault(fmt::format("joint '{}' is of a kind that is not known", from.name));
    }
    if (from.mimic)
      fault(fmt::format("joint '{}' mimics another one, which is not read: drive it in `joints`", from.name));
    if (!coordinate) return;
    joint.axis = vector_of(from.axis);
    joint.coordinates.push_back(coordinate_of(from, coordinate));
  }

  CoordinateSpec coordinate_of(const urdf::Joint& from, const char* name) {
    CoordinateSpec result;
    result.mark = request_.mark;
    for (const CoordinateSpec& given : request_.joints)
      if (given.name == from.name) result = given;
    result.name = name;
    if (from.type != urdf::Joint::CONTINUOUS && from.limits && from.limits->lower < from.limits->upper) {
      if (!result.lower) result.lower = from.limits->lower;
      if (!result.upper) result.upper = from.limits->upper;
    }
    const bool moved = result.drive.has_value() || !result.forces.empty();
    if (from.dynamics) {
      if (result.friction == 0.0) result.friction = from.dynamics->friction;
      if (from.dynamics->damping != 0.0) {
        ForceLawSpec damper;
        damper.mark = request_.mark;
        damper.damping = from.dynamics->damping;
        damper.implicit = true;  // a light link on a strong damper must not explode
        result.forces.push_back(damper);
      }
    }
    if (request_.hold && !moved) {
      ForceLawSpec hold = *request_.hold;
      hold.rest = TimeFunctionSpec{};
      hold.rest->mark = hold.mark;
      hold.rest->expression = fmt::format("{:.17g}", result.start.value_or(0.0));
      if (from.limits && from.limits->effort > 0.0 && !hold.limit) hold.limit = from.limits->effort;
      result.forces.push_back(hold);
    }
    return result;
  }

  void exclude_all() {
    for (std::size_t i = 0; i < mechanism_.bodies.size(); ++i)
      for (std::size_t j = i + 1; j < mechanism_.bodies.size(); ++j)
        mechanism_.exclude.emplace_back(mechanism_.bodies[i].body.name, mechanism_.bodies[j].body.name);
  }

  const UrdfRequest& request_;
  MechanismSpec& mechanism_;
  std::vector<Fault>& faults_;
  Hash content_;
};

}  // namespace

std::uint64_t parse_urdf(const std::string& text, const UrdfRequest& request, MechanismSpec& mechanism,
                         std::vector<Fault>& faults) {
  UrdfReader reader(request, mechanism, faults);
  reader.read(text);
  return reader.content().digest();
}

std::uint64_t read_urdf(const UrdfRequest& request, MechanismSpec& mechanism, std::vector<Fault>& faults) {
  const auto refuse = [&](const std::string& message) {
    faults.push_back({request.mark, fmt::format("{}: {}", request.file, message)});
    return std::uint64_t{0};
  };
  try {
    return parse_urdf(read_foreign_file(request.file, most_urdf_bytes), request, mechanism, faults);
  } catch (const InputError& fault) {
    return refuse(fault.faults().front().message);
  } catch (const IoError& fault) {
    return refuse(fault.what());
  }
}

}  // namespace grus
