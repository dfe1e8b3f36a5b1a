#include "integrators/moreau_jean.hpp"

#include "collision/match.hpp"
#include "core/timer.hpp"
#include "integrators/end_contacts.hpp"
#include "integrators/jumps.hpp"
#include "integrators/mechanism_stages.hpp"
#include "integrators/stages.hpp"

namespace grus {

// The numbers are those of the step in docs/architecture.md.
StepReport step_moreau_jean(const Model& model, State& state, Workspace& work, const Parallel& parallel,
                            const Loads& loads) {
  StepReport report;
  Timer timer;
  const auto done = [&](Stage stage) { report.seconds[static_cast<int>(stage)] += timer.lap(); };

  // 1 drivers: inputs, kinematic poses and twists, released bodies
  begin_inputs(model, state);
  work.inputs = inputs_of_step(state, model.integrator.step);
  drive(model, state, work);
  find_jumps(model, work.inputs, state.time, report);
  done(Stage::drivers);

  // 2 predict q_m, 3 kinematics: poses of all bodies in q_m, 4 loops of mechanisms: dependent coordinates, B
  predict(model, state, work, parallel);
  predict_mechanisms(model, state, work);
  done(Stage::predict);

  // 5 mass in q_m, bias, forces, 6 reduction to independent velocities, free velocity
  free_velocities(model, state, loads, work, parallel);
  free_mechanism_velocities(model, state, loads, work);
  done(Stage::forces);

  // 7 detect contacts in q_m, sorted by key
  if (!take_end_contacts(work, report.pairs))
    report.pairs = detect(model, work.pose_m, work.active, {activation_skin(model), work.reach}, work.collision,
                          work.contacts, parallel)
                       .pair_count;
  report.contacts = static_cast<Index>(work.contacts.size());
  done(Stage::detect);

  // 8 match with the last step, carry impulses
  match(work.contacts, state, work.carried_impulse_W);
  done(Stage::match);

  // 9 build the rows of the contact problem: contacts, sides on mechanisms, joints; clusters of neighbours
  build_rows({model,
              work.contacts,
              work.pose_m,
              {state.velocity, work.start_spin, work.linked_start, work.kinematic_start},
              work.linked_drive,
              work.kinematic_end,
              work.carried_impulse_W},
             work.problem, work.solution, work.kinematics, parallel);
  build_machine_rows(model, state, work);
  cluster_bodies(model, work.pose_m, work.active, work.clusters, work.problem.cluster);
  done(Stage::build);

  // 10 clusters, colours and hubs in order, 11 solve, then residual; again when a motor or spring passed its limit
  solve(model, work, report, parallel);
  while (hold_exceeded_forces(model, state, work)) {
    rebuild_machine_rows(model, state, work);
    solve(model, work, report, parallel);
  }
  done(Stage::solve);

  // 12 velocities, impulses of the next warm start; positions after the penetration is taken out, 13 loops closed again
  const RecoveryReport recovery =
      recover_penetration({model, work.contacts, work.end_velocity, work.joint_rows, work.row_end}, work.problem,
                          work.recovery, work.solver.sweeps(), parallel);
  report.recovery_sweeps = recovery.iterations;
  report.recovery_residual = recovery.residual;
  report.recovery_left = recovery.max_velocity * model.integrator.step;
  done(Stage::recover);
  advance(model, state, work, recovery.applied, parallel);
  done(Stage::advance);

  // 14 checks and energy ledger
  check(model, state, loads, work, recovery.applied, report, parallel);
  done(Stage::check);
  report.time = state.time;
  return report;
}

}  // namespace grus
