// Everything a step computes and may forget. A fresh Workspace gives bitwise the same step.
// Each field says its size and the stage that computes it.
#pragma once

#include <vector>

#include "collision/contact_point.hpp"
#include "collision/detect.hpp"
#include "contact/build.hpp"
#include "contact/clusters.hpp"
#include "contact/dense_sides.hpp"
#include "contact/joint_rows.hpp"
#include "contact/recovery.hpp"
#include "model/model.hpp"
#include "model/motion.hpp"
#include "multibody/linked_bodies.hpp"
#include "multibody/reactions.hpp"
#include "multibody/recovery_energy.hpp"
#include "solvers/contact_problem.hpp"
#include "solvers/contact_solver.hpp"

namespace grus {

// Partial sums of stage `check`, per chunk of contacts or bodies.
struct ContactSums {
  Real dissipated = 0.0;  // J
  Real work_walls = 0.0;  // J
};
struct BodySums {
  Real recovery = 0.0;      // J
  Real conservative = 0.0;  // J
  Real kinetic = 0.0;       // J
  Real travel_max = 0.0;    // 1
  Index lost = 0;
  Index not_finite = no_index;  // first body with a NaN or an infinite velocity or position
};

// What a step finds out before it detects contacts, of the step that follows (integrators/end_contacts.hpp). Fields as
// in Workspace.
struct NextStep {
  Index active = 0;
  std::vector<Twist> kinematic_start, kinematic_end, linked_start, linked_drive;
  std::vector<Pose> pose_m;
  std::vector<Real> angle_m, reach;
  std::vector<ReducedMechanism> mechanisms;

  bool is_detected = false;  // `contacts` are those of q_m of the next step, when it turns out to start from here
  std::vector<ContactPoint> contacts;
  Index pair_count = 0;
  std::vector<Real> input;       // at the end of the next step, unless another value is set
  std::vector<Real> input_rate;  // in the last step
  LinkedBodies linked;           // at the end of the last step, where that is not q_m of the next
};

struct Workspace {
  explicit Workspace(const Model& model);

  // constant: distance from the body's origin that holds its bounded shapes and the origins of walls, m   [body_count]
  std::vector<Real> extent;

  Inputs inputs;                       // drivers: over the step, in the State
  Index active = 0;                    // drivers: dynamic bodies released
  std::vector<Twist> kinematic_start;  // drivers   [body_count - kinematic_begin()]
  std::vector<Twist> kinematic_end;    // drivers   [body_count - kinematic_begin()]
  std::vector<Pose> pose_m;            // drivers (kinematic), predict (dynamic, linked)   [body_count]
  std::vector<Real> angle_m;           // predict, rad; planar scenes   [dynamic_count]
  std::vector<Real> reach;             // predict, m   [body_count]

  std::vector<ReducedMechanism> mechanisms;        // predict (configuration), forces (mass, free velocity), advance
  std::vector<Twist> linked_start;                 // predict: with v_n              [linked_count]
  std::vector<Twist> linked_drive;                 // predict: by driven joints at the end of the step   [linked_count]
  std::vector<MechanismReport> mechanism_reports;  // advance   [mechanisms]
  std::vector<Reactions> reactions;                // check     [mechanisms]
  std::vector<Real> generalised_impulse;           // check: of contacts and rows on one mechanism

  std::vector<Vec3> start_spin;  // forces: angular velocity that impacts see, rad/s   [active]
  std::vector<Vec3> load_start;  // forces: v_n of the free bodies under loads, m/s    [Loads::bodies]

  CollisionScratch collision;           // detect
  std::vector<ContactPoint> contacts;   // detect    [contact_count]
  std::vector<Vec3> carried_impulse_W;  // match     [contact_count]

  ClusterScratch clusters;           // build
  ContactProblem problem;            // forces (blocks), build (rows)
  ContactSolution solution;          // build (start), solve
  ContactKinematics kinematics;      // build     [contact_count]
  DenseSideScratch dense_sides;      // build
  std::vector<JointRow> joint_rows;  // build     [row_count]
  std::vector<Real> row_guess;       // solve: impulses of rows kept when a force is held
  std::vector<Real> row_end;         // solve: velocity of the rows at the end without the laws' terms [row_count]
  ContactSolver solver;              // solve, recover; after solve: contact velocities, recomputed from the impulses
  std::vector<Vec3> end_velocity;    // solve: u(n+1) without the laws' terms, (N, T1, T2), m/s   [contact_count]
  RecoveryScratch recovery;          // recover

  RecoveryEnergyScratch recovery_energy;  // check
  std::vector<ContactSums> contact_sums;  // check
  std::vector<BodySums> body_sums;        // check

  NextStep next;  // end_contacts
};

}  // namespace grus
