// A URDF file read by us and by MuJoCo is one and the same machine.
#include <fstream>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include "core/random.hpp"
#include "io/urdf.hpp"
#include "multibody/dynamics.hpp"
#include "multibody/make_scene.hpp"
#include "support/rig.hpp"

namespace grus::urdf_mujoco_test {
namespace {

// MuJoCo finds the principal axes of an inertia by an iteration that stops at some 1e-8 of it.
constexpr Real agreement = 1e-6;

std::string three(Random& random, Real scale) {
  return fmt::format("{:.17g} {:.17g} {:.17g}", random.uniform(-scale, scale), random.uniform(-scale, scale),
                     random.uniform(-scale, scale));
}

// A tree of links with turned inertias, joints of every kind with one coordinate, and links fixed to others.
std::string random_robot(Random& random, int links) {
  std::string xml = "<robot name='r'>";
  for (int i = 0; i < links; ++i) {
    const Real a = random.uniform(0.1, 0.2), b = random.uniform(0.1, 0.2), c = random.uniform(0.1, 0.2);
    xml += fmt::format(
        "<link name='l{}'><inertial><origin xyz='{}' rpy='{}'/><mass value='{:.17g}'/><inertia ixx='{:.17g}' "
        "ixy='{:.17g}' ixz='{:.17g}' iyy='{:.17g}' iyz='{:.17g}' izz='{:.17g}'/></inertial></link>",
        i, three(random, 0.3), three(random, 3.0), random.uniform(0.5, 5.0), a, 0.1 * a, -0.05 * a, b, 0.07 * b, c);
    if (i == 0) continue;
    const char* kinds[] = {"revolute", "continuous", "prismatic", "fixed"};
    const char* kind = kinds[random.below(i == 1 ? 3 : 4)];
    xml += fmt::format(
        "<joint name='j{0}' type='{1}'><parent link='l{2}'/><child link='l{0}'/><origin xyz='{3}' rpy='{4}'/><axis "
        "xyz='{5}'/><limit lower='-2' upper='2' effort='1' velocity='1'/></joint>",
        i, kind, random.below(static_cast<std::uint64_t>(i)), three(random, 0.5), three(random, 3.0),
        three(random, 1.0));
  }
  return xml + "</robot>";
}

TEST(UrdfMujoco, MassMatrixAndBiasAgree) {
  Random random(7);
  const std::string file = ::testing::TempDir() + "grus_urdf_mujoco_test.urdf";
  Real worst_mass = 0.0, worst_bias = 0.0;
  for (int trial = 0; trial < 20; ++trial) {
    const std::string xml = random_robot(random, 2 + static_cast<int>(random.below(12)));
    std::ofstream(file) << xml;
    Spec spec = testing::bare_spec(1e-3, 0.5, 0.0);
    spec.gravity = Vec3(0, 0, -9.81);
    spec.mechanisms.emplace_back().name = "robot";
    std::vector<Fault> faults;
    UrdfRequest request;
    request.file = file;
    request.free_base = false;
    read_urdf(request, spec.mechanisms[0], faults);
    ASSERT_TRUE(faults.empty()) << faults[0].message;
    const CompiledScene scene = make_scene(spec);
    const Mechanism& ours = scene.model.mechanisms[0];

    char error[1000] = "";
    const std::unique_ptr<mjModel, decltype(&mj_deleteModel)> model(
        mj_loadXML(file.c_str(), nullptr, error, sizeof(error)), mj_deleteModel);
    ASSERT_TRUE(model) << error;
    const std::unique_ptr<mjData, decltype(&mj_deleteData)> data(mj_makeData(model.get()), mj_deleteData);
    ASSERT_EQ(model->nv, ours.velocity_count);

    const auto n = static_cast<std::size_t>(ours.velocity_count);
    std::vector<Real> q(n), v(n);
    std::vector<int> dof(n);
    for (std::size_t k = 0; k < n; ++k) {
      // "l3.angle" is joint j3
      std::string joint = scene.names.mechanism[0].coordinate[k];
      joint = "j" + joint.substr(1, joint.find('.') - 1);
      const int id = mj_name2id(model.get(), mjOBJ_JOINT, joint.c_str());
      ASSERT_GE(id, 0) << joint;
      dof[k] = model->jnt_dofadr[id];
      q[k] = random.uniform(-1.0, 1.0);
      v[k] = random.uniform(-1.0, 1.0);
      data->qpos[model->jnt_qposadr[id]] = q[k];
      data->qvel[dof[k]] = v[k];
    }
    mj_forward(model.get(), data.get());
    std::vector<Real> full(n * n);
    mj_fullM(model.get(), full.data(), data->qM);

    MechanismKinematics kinematics;
    DynamicsScratch scratch;
    Eigen::MatrixXd mass;
    Eigen::VectorXd bias(ours.velocity_count);
    place(ours, q, kinematics);
    move(ours, v, kinematics);
    mass_matrix(ours, kinematics, scratch, mass);
    inverse_dynamics(ours, kinematics, std::vector<Real>(n, 0.0), spec.gravity, scratch, std::span(bias.data(), n));
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t l = 0; l < n; ++l)
        worst_mass = std::max(worst_mass,
                              std::abs(mass(static_cast<Index>(k), static_cast<Index>(l)) -
                                       full[static_cast<std::size_t>(dof[k]) * n + static_cast<std::size_t>(dof[l])]) /
                                  mass.norm());
      worst_bias =
          std::max(worst_bias, std::abs(bias[static_cast<Index>(k)] - data->qfrc_bias[dof[k]]) / (1.0 + bias.norm()));
    }
  }
  EXPECT_LT(worst_mass, agreement);
  EXPECT_LT(worst_bias, agreement);
  fmt::print("URDF against MuJoCo: mass {:.1e}, bias {:.1e}\n", worst_mass, worst_bias);
}

}  // namespace
}  // namespace grus::urdf_mujoco_test
