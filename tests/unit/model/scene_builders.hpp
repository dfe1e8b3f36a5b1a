// Small scenes for the tests of compile().
#pragma once

#include "model/spec.hpp"

namespace grus::test {

inline ShapeSpec shape(ShapeKind kind) {
  ShapeSpec result;
  result.kind = kind;
  return result;
}

inline ShapeSpec sphere(Real radius) {
  ShapeSpec result = shape(ShapeKind::sphere);
  result.radius = radius;
  return result;
}

inline ShapeSpec disk(Real radius) {
  ShapeSpec result = shape(ShapeKind::disk);
  result.radius = radius;
  return result;
}

// A ball of radius 0.1 m at z = 1 m above a fixed plane, both of stone, without a fault or a warning. Marks: line 10
// for the ball, 20 for the floor, 30 for the pair, 40 for the material.
inline Spec sphere_on_floor() {
  Spec spec;
  spec.file = "scene.yaml";
  spec.gravity = Vec3(0, 0, -9.81);
  spec.materials = {{{"scene.yaml", 40, 1}, "stone", 2500.0}};
  spec.pairs = {{{"scene.yaml", 30, 1}, "stone", "stone", 0.3, 0.5, std::nullopt}};
  BodySpec ball;
  ball.mark = {"scene.yaml", 10, 1};
  ball.name = "ball";
  ball.material = "stone";
  ball.position = Vec3(0, 0, 1);
  ball.shapes = {sphere(0.1)};
  BodySpec floor;
  floor.mark = {"scene.yaml", 20, 1};
  floor.name = "floor";
  floor.role = BodyRole::fixed;
  floor.material = "stone";
  floor.shapes = {shape(ShapeKind::plane)};
  spec.bodies = {ball, floor};
  return spec;
}

}  // namespace grus::test
