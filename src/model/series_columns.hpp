// Columns that every series.csv starts with, and the keys of summary.json that a check may name.
// One list for the writer, for the compiler's checks of names, and for the manual.
#pragma once

#include <array>
#include <string_view>

namespace grus {

struct SeriesColumn {
  std::string_view name;
  std::string_view unit;
  std::string_view meaning;
};

inline constexpr std::array<SeriesColumn, 21> standard_columns{{
    {"t", "s", "time"},
    {"energy.kinetic", "J", "kinetic energy of the free bodies and the mechanisms"},
    {"energy.potential", "J", "potential energy in gravity, zero at the origin, and in springs of mechanisms"},
    {"energy.total", "J", "kinetic + potential"},
    {"energy.dissipated_contact", "J", "taken by contacts since the start"},
    {"energy.work_external", "J", "done by walls, drives and forces since the start"},
    {"energy.recovery", "J", "added by the removal of penetration since the start"},
    {"energy.dissipated_joint", "J", "taken by dampers, dry friction and limits of joints since the start"},
    {"energy.work_walls", "J", "done by kinematic bodies through contacts since the start"},
    {"energy.work_drives", "J", "done by driven coordinates since the start"},
    {"energy.work_forces", "J", "done by motors and other forces without a potential since the start"},
    {"energy.balance_error", "J", "change of energy since the start that none of these explains"},
    {"energy.turned_over", "J", "largest of what came in, what went out and the kinetic energy since the start"},
    {"contacts", "1", "contact points in the last step"},
    {"pairs", "1", "touching pairs in the last step"},
    {"sweeps", "1", "sweeps of the contact solver in the last step"},
    {"residual", "1", "scaled natural map after the last step"},
    {"residual_mechanism", "m/s", "what the worst contact or row of a mechanism is off by after the last step"},
    {"penetration.mean", "m", "mean depth over contact points at the end of the last step"},
    {"penetration.max", "m", "largest depth at the end of the last step"},
    {"loop_error", "m", "largest opening of a loop of a mechanism after the last step"},
}};

inline constexpr std::array<std::string_view, 24> summary_keys{"steps",
                                                               "contacts_mean",
                                                               "contacts_max",
                                                               "pairs_mean",
                                                               "sweeps_mean",
                                                               "residual_p99",
                                                               "residual_max",
                                                               "residual_velocity_max",
                                                               "residual_mechanism_max",
                                                               "unconverged_steps",
                                                               "unconverged_fraction",
                                                               "penetration_mean",
                                                               "penetration_max",
                                                               "lost_bodies",
                                                               "energy_recovery",
                                                               "energy_dissipated",
                                                               "energy_dissipated_joint",
                                                               "energy_balance_error",
                                                               "energy_balance_error_part",
                                                               "recovery_residual_max",
                                                               "recovery_left_max",
                                                               "loop_error_max",
                                                               "condition_error_max",
                                                               "partition_changes"};

}  // namespace grus
