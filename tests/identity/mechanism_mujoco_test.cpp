// Mass matrix, bias force and Jacobians of random trees against MuJoCo, which walks the same tree with spatial vectors
// about the centre of mass of each tree: another algorithm, other frames.
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "multibody/dynamics.hpp"
#include "support/random_mechanism.hpp"

namespace grus {
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
};

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
    const Index n = mechanism.velocity_count;
    ASSERT_EQ(theirs.model->nv, n);
    theirs.forward(mechanism, q, v);
    largest = std::max(largest, n);

    MechanismKinematics kinematics;
    DynamicsScratch scratch;
    Eigen::MatrixXd mass;
    std::vector<Real> bias(v.size());
    place(mechanism, q, kinematics);
    move(mechanism, v, kinematics);
    mass_matrix(mechanism, kinematics, scratch, mass);
    inverse_dynamics(mechanism, kinematics, std::vector<Real>(v.size(), 0.0), gravity, scratch, bias);

    std::vector<Real> full(static_cast<std::size_t>(n * n)), jac_p(static_cast<std::size_t>(3 * n)), jac_r(jac_p);
    mj_fullM(theirs.model.get(), full.data(), theirs.data->qM);
    const Index link = static_cast<Index>(random.below(static_cast<std::uint64_t>(bodies)));
    const Vec3 p = kinematics.X_WB[static_cast<std::size_t>(link)].position + testing::random_vector(random);
    mj_jac(theirs.model.get(), theirs.data.get(), jac_p.data(), jac_r.data(), p.data(), theirs.body(link));
    Eigen::MatrixXd ours(6, n), reference(6, n);
    std::vector<Real> row(v.size());
    for (Index i = 0; i < 6; ++i) {
      row.assign(v.size(), 0.0);
      const Vec3 unit = Vec3::Unit(i % 3), none = Vec3::Zero();
      add_generalised_force(mechanism, kinematics, link, p, i < 3 ? unit : none, i < 3 ? none : unit, 1.0, row);
      for (Index k = 0; k < n; ++k) {
        const int dof = theirs.dof[static_cast<std::size_t>(k)];
        ours(i, k) = row[static_cast<std::size_t>(k)];
        reference(i, k) = (i < 3 ? jac_p : jac_r)[static_cast<std::size_t>((i % 3) * n + dof)];
      }
    }
    Eigen::MatrixXd reference_mass(n, n);
    Eigen::VectorXd bias_difference(n);
    for (Index k = 0; k < n; ++k) {
      const int dof = theirs.dof[static_cast<std::size_t>(k)];
      bias_difference[k] = theirs.data->qfrc_bias[dof] - bias[static_cast<std::size_t>(k)];
      for (Index l = 0; l < n; ++l)
        reference_mass(k, l) = full[static_cast<std::size_t>(dof * n + theirs.dof[static_cast<std::size_t>(l)])];
    }
    const Eigen::Map<const Eigen::VectorXd> bias_norm(bias.data(), n);
    worst_mass = std::max(worst_mass, (mass - reference_mass).norm() / mass.norm());
    worst_bias = std::max(worst_bias, bias_difference.norm() / bias_norm.norm());
    worst_jacobian = std::max(worst_jacobian, (ours - reference).norm() / std::max(1.0, ours.norm()));
  }
  EXPECT_LT(worst_mass, agreement);
  EXPECT_LT(worst_bias, agreement);
  EXPECT_LT(worst_jacobian, agreement);
  fmt::print("against MuJoCo, up to {} velocities: mass {:.1e}, bias {:.1e}, Jacobians {:.1e}\n", largest, worst_mass,
             worst_bias, worst_jacobian);
}

}  // namespace
}  // namespace grus
