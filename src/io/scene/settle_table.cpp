// What makes a scene one of `grus bed`: when its stones are at rest, and what is done with them then.
#include <fmt/format.h>

#include "io/scene/tables.hpp"

namespace grus::scene {

namespace {

const Object& growth_table() {
  static const Object table =
      Describe<SettleSpec>(
          "growth",
          "Stones are placed small, grow without weight, and settle when they have their size: a dense bed without a "
          "long fall. Places are found for the small ones.")
          .number("from", &SettleSpec::growth_from, {0.05, 1.0}, "part of their size at the start")
          .number("time", &SettleSpec::growth_time, {1e-6, largest, "s"}, "until they have all of it")
          .done();
  return table;
}

}  // namespace

const Object& settle_table() {
  static const Object table =
      Describe<SettleSpec>(
          "settle",
          "The scene makes a bed with `grus bed`: it runs until its stones are at rest. All of this "
          "must hold for `steps` steps in a row: the RMS speed and that of 99 % of the stones are below "
          "`speed`, none is faster than gravity times the step, and none is lost.")
          .number("speed", &SettleSpec::speed, {1e-12, 1e6, "m/s"}, "at rest below this")
          .integer("steps", &SettleSpec::steps, {1, 1e6}, "for so many steps in a row")
          .number("limit", &SettleSpec::limit, {1e-9, largest, "s"}, "give up when they are not at rest by then")
          .number(
              "damping", &SettleSpec::damping, {0.0, 1e6, "1/s"},
              "rate at which velocities fade until the bed is quiet; then it is taken away and the bed must stay quiet")
          .number("level", &SettleSpec::level, any_length,
                  "height, along the way up: stones that reach above it are taken off when the bed is at rest, and the "
                  "rest settles again")
          .section("growth", self, growth_table(), "start with small stones")
          .number("core", &SettleSpec::core, {0.0, largest, "m"},
                  "the solid fraction is taken this far from walls and surface")
          .fallback("1.5 times the mean stone")
          .done();
  return table;
}

}  // namespace grus::scene
