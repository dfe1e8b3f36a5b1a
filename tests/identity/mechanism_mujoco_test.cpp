// Mass matrix, bias force and Jacobians of random trees against MuJoCo, which walks the same tree with spatial vectors
// about the centre of mass of each tree: another algorithm, other frames.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "multibody/dynamics.hpp"
#include "support/random_mechanism.hpp"

namespace grus::mechanism_mujoco_test {
namespace {

// Both are exact up to rounding; 40 bodies in a chain take two or three digits.
constexpr Real agreement = 1e-10;

std::string text(const Vec3& v) { return fmt::format("{:.17g} {:.17g} {:.17g}", v.x(), v.y(), v.z()); }
std::string text(const Quat& q) { return fmt::format("{:.17g} {}", q.w(), text(Vec3(q.vec()))); }

// MuJoCo's body frame is the one left by the last motion; the centre of mass sits in it at X_JB.
void write_body(const Mechanism& mechanism, Index i, std::string& xml) {
  const Link& link = mechanism.links[static_cast<std::size_t>(i)];
  Pose X = link.X_PJ;
  if (link.parent != no_index) {
    const Pose& before = mechanism.links[static_cast<std::size_t>(link.parent)].X_JB;
    X = {before.position + before.rotation * X.position, before.rotation * X.rotation};
  }
  xml += fmt::format("<body name='{}' pos='{}' quat='{}'>", i, text(X.position), text(X.rotation));
  xml += fmt::format("<inertial mass='{:.17g}' pos='{}' quat='{}' diaginertia='{}'/>", link.mass,
                     text(link.X_JB.position), text(link.X_JB.rotation), text(link.inertia));
  for (Index j = link.axis_begin; j < link.axis_end; ++j) {
    const JointAxis& axis = mechanism.axes[static_cast<std::size_t>(j)];
    const char* const kinds[] = {"slide", "hinge", "ball"};
    xml += fmt::format("<joint type='{}' axis='{}'/>", kinds[static_cast<std::size_t>(axis.kind)], text(axis.axis));
  }
  for (Index child = i + 1; child < mechanism.link_count(); ++child)
    if (mechanism.links[static_cast<std::size_t>(child)].parent == i) write_body(mechanism, child, xml);
  xml += "</body>";
}

struct MujocoTree {
  using Model = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;
  using Data = std::unique_ptr<mjData, decltype(&mj_deleteData)>;
  Model model{nullptr, mj_deleteModel};
  Data data{nullptr, mj_deleteData};
  std::vector<int> dof;  // of our velocities

  MujocoTree(const Mechanism& mechanism, const Vec3& gravity) {
    std::string xml = "<mujoco><compiler angle='radian' inertiafromgeom='false'/><option gravity='" + text(gravity) +
                      "'/><worldbody>";
    for (Index i = 0; i < mechanism.link_count(); ++i)
      if (mechanism.links[static_cast<std::size_t>(i)].parent == no_index) write_body(mechanism, i, xml);
    xml += "</worldbody></mujoco>";
    const auto files = std::make_unique<mjVFS>();
    mj_defaultVFS(files.get());
    mj_makeEmptyFileVFS(files.get(), "tree.xml", static_cast<int>(xml.size()));
    std::copy(xml.begin(), xml.end(), static_cast<char*>(files->filedata[0]));
    char error[1000] = "";
    model.reset(mj_loadXML("tree.xml", files.get(), error, sizeof(error)));
    mj_deleteVFS(files.get());
    if (!model) throw std::runtime_error(error);
    data.reset(mj_makeData(model.get()));
  }

  // MuJoCo numbers bodies depth first.
  int body(Index link) const { return mj_name2id(model.get(), mjOBJ_BODY, std::to_string(link).c_str()); }

  void forward(const Mechanism& mechanism, const std::vector<Real>& q, const std::vector<Real>& v) {
    dof.resize(v.size());
    for (Index i = 0; i < mechanism.link_count(); ++i) {
      const Link& link = mechanism.links[static_cast<std::size_t>(i)];
      for (Index j = link.axis_begin; j < link.axis_end; ++j) {
        const JointAxis& axis = mechanism.axes[static_cast<std::size_t>(j)];
        const int joint = model->body_jntadr[body(i)] + j - link.axis_begin;
        const bool ball = axis.kind == AxisKind::ball;
        std::copy_n(q.begin() + axis.position, ball ? 4 : 1, data->qpos + model->jnt_qposadr[joint]);
        for (int k = 0; k < (ball ? 3 : 1); ++k)
          dof[static_cast<std::size_t>(axis.velocity + k)] = model->jnt_dofadr[joint] + k;
      }
    }
    for (std::size_t k = 0; k < v.size(); ++k) data->qvel[dof[k]] = v[k];
    mj_forward(model.get(), data.get());
  }

  // Numbered as ours.
  Eigen::MatrixXd mass() const {
    const int n = model->nv;
    std::vector<Real> full(static_cast<std::size_t>(n * n));
    mj_fullM(model.get(), full.data(), data->qM);
    Eigen::MatrixXd result(n, n);
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < n; ++l) result(k, l) = full[static_cast<std::size_t>(number(k) * n + number(l))];
    return result;
  }
  Eigen::VectorXd bias() const {
    Eigen::VectorXd result(model->nv);
    for (int k = 0; k < model->nv; ++k) result[k] = data->qfrc_bias[number(k)];
    return result;
  }
  // Velocity of the point p of a link, then its angular velocity.
  Eigen::MatrixXd jacobian(Index link, const Vec3& p) const {
    const int n = model->nv;
    std::vector<Real> rows(static_cast<std::size_t>(6 * n));
    mj_jac(model.get(), data.get(), rows.data(), rows.data() + 3 * n, p.data(), body(link));
    Eigen::MatrixXd result(6, n);
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < n; ++k) result(i, k) = rows[static_cast<std::size_t>(i * n + number(k))];
    return result;
  }
  int number(int k) const { return dof[static_cast<std::size_t>(k)]; }
};

Eigen::MatrixXd our_jacobian(const Mechanism& mechanism, const MechanismKinematics& kinematics, Index link,
                             const Vec3& p) {
  Eigen::MatrixXd result(6, mechanism.velocity_count);
  for (Index i = 0; i < 6; ++i) {
    std::vector<Real> row(mechanism.coordinates.size(), 0.0);
    const Vec3 unit = Vec3::Unit(i % 3), none = Vec3::Zero();
    add_generalised_force(mechanism, kinematics, link, p, i < 3 ? unit : none, i < 3 ? none : unit, 1.0, row);
    for (Index k = 0; k < mechanism.velocity_count; ++k) result(i, k) = row[static_cast<std::size_t>(k)];
  }
  return result;
}

TEST(MechanismMujoco, MassMatrixBiasAndJacobiansAgree) {
  Random random(41);
  Real worst_mass = 0.0, worst_bias = 0.0, worst_jacobian = 0.0;
  Index largest = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const Index bodies = trial < 5 ? 40 : 1 + static_cast<Index>(random.below(40));
    const Mechanism mechanism = testing::random_tree(random, bodies, trial % 6 == 5);
    const std::vector<Real> q = testing::random_positions(mechanism, random);
    const std::vector<Real> v = testing::random_numbers(random, mechanism.velocity_count);
    const Vec3 gravity = testing::random_vector(random, 10.0);
    MujocoTree theirs(mechanism, gravity);
    ASSERT_EQ(theirs.model->nv, mechanism.velocity_count);
    theirs.forward(mechanism, q, v);
    largest = std::max(largest, mechanism.velocity_count);

    MechanismKinematics kinematics;
    DynamicsScratch scratch;
    Eigen::MatrixXd mass;
    Eigen::VectorXd bias(mechanism.velocity_count);
    place(mechanism, q, kinematics);
    move(mechanism, v, kinematics);
    mass_matrix(mechanism, kinematics, scratch, mass);
    inverse_dynamics(mechanism, kinematics, std::vector<Real>(v.size(), 0.0), gravity, scratch,
                     std::span(bias.data(), v.size()));
    const Index link = static_cast<Index>(random.below(static_cast<std::uint64_t>(bodies)));
    const Vec3 p = kinematics.X_WB[static_cast<std::size_t>(link)].position + testing::random_vector(random);
    const Eigen::MatrixXd jacobian = our_jacobian(mechanism, kinematics, link, p);

    worst_mass = std::max(worst_mass, (theirs.mass() - mass).norm() / mass.norm());
    worst_bias = std::max(worst_bias, (theirs.bias() - bias).norm() / bias.norm());
    worst_jacobian =
        std::max(worst_jacobian, (theirs.jacobian(link, p) - jacobian).norm() / std::max(1.0, jacobian.norm()));
  }
  EXPECT_LT(worst_mass, agreement);
  EXPECT_LT(worst_bias, agreement);
  EXPECT_LT(worst_jacobian, agreement);
  fmt::print("against MuJoCo, up to {} velocities: mass {:.1e}, bias {:.1e}, Jacobians {:.1e}\n", largest, worst_mass,
             worst_bias, worst_jacobian);
}

}  // namespace
}  // namespace grus::mechanism_mujoco_test
