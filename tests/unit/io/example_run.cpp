#include "unit/io/example_run.hpp"

#include <cmath>
#include <numbers>
#include <vector>

#include "core/random.hpp"
#include "io/frames.hpp"
#include "io/series.hpp"
#include "io/summary.hpp"
#include "math/rotation.hpp"

namespace grus::test {
namespace {

constexpr Real box_half = 0.5;
constexpr Real end_time = 2.0;

Collider collider(ShapeKind kind, Index body, Real radius, const Vec3& half = Vec3::Zero()) {
  Collider c;
  c.kind = kind;
  c.body = body;
  c.radius = radius;
  c.half = half;
  return c;
}

Collider wall(Index body, const Vec3& position, const Vec3& normal, bool planar) {
  Collider c = collider(ShapeKind::plane, body, 0.0);
  c.p_BC = position;
  c.R_BC = rotation_between(planar ? Vec3(0, 1, 0) : Vec3(0, 0, 1), normal);
  return c;
}

void add_walls(FrameScene& scene) {
  const Index body = scene.dynamic_count;
  const Vec3 up = scene.planar ? Vec3(0, 1, 0) : Vec3(0, 0, 1);
  scene.colliders.push_back(wall(body, Vec3::Zero(), up, scene.planar));
  scene.colliders.push_back(wall(body, Vec3(-box_half, 0, 0), Vec3(1, 0, 0), scene.planar));
  scene.colliders.push_back(wall(body, Vec3(box_half, 0, 0), Vec3(-1, 0, 0), scene.planar));
  if (!scene.planar) {
    scene.colliders.push_back(wall(body, Vec3(0, -box_half, 0), Vec3(0, 1, 0), false));
    scene.colliders.push_back(wall(body, Vec3(0, box_half, 0), Vec3(0, -1, 0), false));
  }
}

void add_grain(FrameScene& scene, Index i, Real radius) {
  // every shape takes part; most grains are balls
  const ShapeKind ball = scene.planar ? ShapeKind::disk : ShapeKind::sphere;
  const Vec3 half(0.8 * radius, 0.6 * radius, 0.7 * radius);
  if (i % 7 == 3) {
    scene.colliders.push_back(collider(ShapeKind::box, i, 0.0, half));
  } else if (i % 7 == 5) {
    const Vec3 core = scene.planar ? Vec3(0.5 * radius, 0, 0) : Vec3(0, 0, 0.5 * radius);
    scene.colliders.push_back(collider(ShapeKind::capsule, i, 0.5 * radius, core));
  } else if (i % 7 == 6 && !scene.planar) {
    scene.colliders.push_back(collider(ShapeKind::cylinder, i, 0.7 * radius, Vec3(0, 0, 0.6 * radius)));
  } else if (i % 7 == 6) {
    Collider c = collider(ShapeKind::polygon, i, 0.0);
    c.vertex_begin = static_cast<Index>(scene.polygon_vertices.size());
    c.vertex_count = 5;
    for (int k = 0; k < 5; ++k) {
      const Real angle = 2.0 * std::numbers::pi * k / 5.0;
      scene.polygon_vertices.emplace_back(radius * std::cos(angle), radius * std::sin(angle));
    }
    scene.colliders.push_back(c);
  } else {
    scene.colliders.push_back(collider(ball, i, radius));
  }
}

// Bipyramids over 4, 5 and 6 corners, within the unit ball.
constexpr int stone_shapes = 3;
void add_stone_shapes(FrameScene& scene) {
  for (int corners = 4; corners < 4 + stone_shapes; ++corners) {
    FramePolyhedron p;
    p.vertices = {Vec3(0, 0, 0.7), Vec3(0, 0, -0.7)};
    for (int k = 0; k < corners; ++k) {
      const Real angle = 2.0 * std::numbers::pi * k / corners;
      p.vertices.emplace_back(std::cos(angle), 0.8 * std::sin(angle), 0.0);
    }
    for (Index k = 0; k < corners; ++k) {
      const Index a = 2 + k, b = 2 + (k + 1) % corners;
      for (const Index v : {0, a, b, 1, b, a}) p.face_vertices.push_back(v);
    }
    for (Index f = 0; f <= 2 * corners; ++f) p.face_begin.push_back(3 * f);
    scene.polyhedra.push_back(p);
  }
}

void add_stone(FrameScene& scene, Index i, Real radius) {
  Collider c = collider(ShapeKind::polyhedron, i, 0.0);
  c.geometry = i % stone_shapes;
  c.scale = radius;
  scene.colliders.push_back(c);
}

FrameScene example_scene(const ExampleRun& run, std::vector<Real>& radii) {
  FrameScene scene;
  scene.name = "example";
  scene.planar = run.planar;
  scene.dynamic_count = run.grains;
  scene.body_count = run.grains + 2;
  scene.gravity = run.planar ? Vec3(0, -9.81, 0) : Vec3(0, 0, -9.81);
  Random random(5);
  if (run.stones) add_stone_shapes(scene);
  const Real dimension = run.planar ? 2.0 : 3.0;
  const Real size = 0.42 * std::pow(static_cast<Real>(run.grains), -1.0 / dimension);
  for (Index i = 0; i < run.grains; ++i) {
    radii.push_back(size * random.uniform(0.7, 1.3));
    if (run.stones)
      add_stone(scene, i, radii.back());
    else
      add_grain(scene, i, radii.back());
    scene.body_names.push_back("grains[" + std::to_string(i) + "]");
    scene.group_of.push_back(0);
  }
  scene.group_names = {"grains"};
  add_walls(scene);
  scene.body_names.emplace_back("box");
  // a slowly turning stirrer, a kinematic body with a motion
  scene.colliders.push_back(collider(ShapeKind::box, run.grains + 1, 0.0, Vec3(0.22, 0.02, 0.05)));
  scene.body_names.emplace_back("stirrer </script><b>");
  scene.moving = {false, true};
  return scene;
}

// Places of a dense heap, layer by layer, each grain jittered.
std::vector<Vec3> heap(const std::vector<Real>& radii, bool planar) {
  Random random(9);
  const Real cell = 2.05 * 1.3 / 1.0 * radii.front();
  const int columns = std::max(1, static_cast<int>(2.0 * box_half / cell));
  std::vector<Vec3> places;
  for (std::size_t i = 0; i < radii.size(); ++i) {
    const auto n = static_cast<int>(i);
    const int per_layer = planar ? columns : columns * columns;
    const int layer = n / per_layer, in_layer = n % per_layer;
    const Real shift = layer % 2 == 0 ? 0.0 : 0.25;
    const Real x = (in_layer % columns + 0.5 + shift) / (columns + 0.25) * 2.0 * box_half - box_half;
    const Real y = (in_layer / columns + 0.5 + shift) / (columns + 0.25) * 2.0 * box_half - box_half;
    const Real up = (layer + 0.5) * cell * 0.86 + random.uniform(-0.1, 0.1) * cell;
    const Real jitter = random.uniform(-0.1, 0.1) * cell;
    places.push_back(planar ? Vec3(x + jitter, up, 0.0) : Vec3(x + jitter, y - jitter, up));
  }
  return places;
}

void write_frames(const std::string& directory, const ExampleRun& run) {
  std::vector<Real> radii;
  const FrameScene scene = example_scene(run, radii);
  const std::vector<Vec3> places = heap(radii, run.planar);
  RunFolder folder(directory, RunFolder::Use::run, RunFolder::Foreign::replace);
  FrameWriter writer(folder, scene);
  const int up = run.planar ? 1 : 2;
  const auto count = static_cast<std::size_t>(scene.body_count);
  std::vector<Vec3> position(count, Vec3::Zero()), velocity(count, Vec3::Zero()), spin(count, Vec3::Zero());
  std::vector<Quat> rotation(count, Quat::Identity());
  for (int f = 0; f < run.frames; ++f) {
    const Real time = run.frames == 1 ? 0.0 : end_time * f / (run.frames - 1);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Real land = 0.3 + 1.5 * static_cast<Real>(i) / static_cast<Real>(places.size());
      const Real before = std::max(0.0, land - time);
      position[i] = places[i];
      position[i][up] += 0.35 * before + 0.15 * before * before;
      velocity[i][up] = before > 0.0 ? -0.35 - 0.3 * before : 0.0;
      const Real turn = 0.7 * static_cast<Real>(i) + 6.0 * before;
      rotation[i] = run.planar ? rotation_about_z(turn) : exp_rotation(Vec3(turn, 0.5 * turn, 0.1 * turn));
    }
    rotation.back() = rotation_about_z(1.5 * time);
    position.back()[up] = 1.1;
    std::vector<FrameContact> contacts;
    for (std::size_t i = 0; i + 1 < places.size() && contacts.size() < 4 * places.size(); ++i) {
      for (std::size_t j = i + 1; j < std::min(places.size(), i + 60); ++j) {
        const Vec3 apart = position[j] - position[i];
        if (apart.norm() > 1.05 * (radii[i] + radii[j])) continue;
        const Real weight = 1e-3 * (0.2 + std::pow(std::sin(0.37 * static_cast<Real>(i * j)), 4.0));
        contacts.push_back({position[i] + 0.5 * apart, apart.normalized(), weight * apart.normalized(), -1e-6,
                            static_cast<Index>(i), static_cast<Index>(j)});
      }
    }
    FrameData data;
    data.time = time;
    data.step = 1000 * f;
    data.active_count = run.grains;
    const auto part = [&](std::size_t from, std::size_t size) {
      return BodyMotions{std::span(position).subspan(from, size), std::span(rotation).subspan(from, size),
                         std::span(velocity).subspan(from, size), std::span(spin).subspan(from, size)};
    };
    data.dynamic = part(0, places.size());
    data.carried = part(places.size(), 2);
    data.contacts = contacts;
    writer.append(data);
  }
  writer.flush();
}

void write_series(const std::string& directory, const ExampleRun& run) {
  SeriesWriter writer(directory + "/series.csv",
                      {"t", "energy.kinetic", "energy.potential", "energy.total", "energy.dissipated_contact",
                       "energy.balance_error", "contacts", "pairs", "sweeps", "residual", "residual_mechanism",
                       "penetration.mean", "penetration.max", "heap.z", "stirrer.x", "stirrer.angle"});
  Random random(3);
  for (int r = 0; r < run.rows; ++r) {
    const Real t = end_time * r / std::max(1, run.rows - 1);
    const Real kinetic = 12.0 * std::exp(-2.0 * t) * (1.0 + 0.4 * std::sin(9.0 * t));
    const Real potential = 30.0 - 14.0 * (1.0 - std::exp(-1.8 * t));
    const Real contacts = std::round(3.1 * run.grains * (1.0 - std::exp(-2.5 * t)));
    writer.append(std::vector<Real>{
        t, kinetic, potential, kinetic + potential, 42.0 - kinetic - potential, 1e-3 * std::sin(9.0 * t), contacts,
        std::round(0.9 * contacts), std::round(20.0 + 15.0 * random.uniform() + 30.0 * t),
        1e-4 * std::pow(10.0, -0.6 * random.uniform()), 4e-4 + 2e-4 * std::sin(9.0 * t), 2e-6 * t,
        1e-5 * (t + 0.3 * random.uniform()), 0.2 + 0.1 * t, 0.1 * std::sin(3.0 * t), 1.5 * t});
  }
  writer.flush();
}

void write_example_summary(const std::string& directory, const ExampleRun& run) {
  Summary s;
  s.scene = "examples/example/example.yaml";
  s.title = run.title;
  s.paper = "000";
  s.version = "0.1.0";
  s.threads = 2;
  s.steps = 4000;
  s.time_step = 5e-4;
  s.t_end = end_time;
  s.wall_s = 41.7;
  s.wall_s_per_stage = {{"drivers", 0.2}, {"predict", 0.4}, {"detect", 6.1}, {"match", 0.9},  {"build", 1.8},
                        {"colour", 0.7},  {"solve", 29.4},  {"update", 0.6}, {"checks", 0.5}, {"output", 1.1}};
  s.bodies = run.grains;
  s.contacts_mean = 2.2 * run.grains;
  s.contacts_max = 3 * run.grains;
  s.pairs_mean = 2.0 * run.grains;
  s.sweeps_mean = 57.3;
  s.tolerance = 1e-4;
  s.residual_p99 = 9.8e-5;
  s.residual_max = 3.1e-4;
  s.machine_tolerance = 4.905e-4;
  s.residual_mechanism_max = 6e-4;
  s.unconverged_steps = 3;
  s.penetration_mean = 2.1e-6;
  s.penetration_max = 2.3e-5;
  s.energy = {.kinetic = 0.02,
              .potential = 16.1,
              .dissipated_contact = 25.9,
              .work_external = 0.4,
              .kinetic_start = 12.0,
              .potential_start = 29.6201,
              .work_walls = 0.4,
              .balance_error = -1e-4,
              .turned_over = 25.9,
              .balance_error_part = 4e-6};
  s.units = {{"t", "s"},
             {"energy.kinetic", "J"},
             {"energy.potential", "J"},
             {"heap.z", "m"},
             {"stirrer.x", "m"},
             {"stirrer.angle", "rad"},
             {"contacts", "1"},
             {"residual", "1"},
             {"energy.total", "J"},
             {"penetration.max", "m"}};
  s.state_hash = "5f1d03c29e77ab40";
  s.checks = {{"heap height", 0.401, "0.40 ± 0.01", true},
              {"kinetic energy at the end", 0.02, "< 0.05", true},
              {"largest penetration", 2.3e-5, "< 1e-4", true}};
  if (run.failed_check) s.checks.push_back({"grains lost", 2, "< 1", false});
  s.warnings = {"3 steps did not reach the tolerance 1e-4 within 1000 sweeps; a smaller time step or more sweeps help"};
  s.settings = {{"integrator", "moreau-jean, θ = 1"}, {"contact law", "gap"}, {"solver", "nlgs"}};
  s.scene_text =
      "name: example\ntime: {step: 5e-4, end: 2}\n# a comment that tries </script><script>alert(1)</script>\n";
  write_summary(directory + "/summary.json", s);
}

}  // namespace

void write_example_run(const std::string& directory, const ExampleRun& run) {
  write_frames(directory, run);
  write_series(directory, run);
  write_example_summary(directory, run);
}

}  // namespace grus::test
