#include "simulation/settle.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/timer.hpp"
#include "integrators/stepper.hpp"
#include "multibody/make_scene.hpp"

namespace grus {

namespace {

// Overlap of stones at rest, as parts of their mean size.
constexpr Real settled_mean_penetration = 5e-3;
constexpr Real settled_largest_penetration = 3e-2;
// Part of the stones that must be slower than SettleSpec::speed.
constexpr Real settled_part = 0.99;
// Stones grow by leaps of so many steps: what a step caches holds for bodies of one size.
constexpr std::int64_t growth_stride = 5;
constexpr Real words_interval = 0.25;  // s
// Taking stones off a heap can set others free to rise above the level.
constexpr int most_trims = 20;

[[noreturn]] void refuse(const SourceMark& where, std::string message) {
  throw InputError({Fault{where, std::move(message)}});
}

void check_bed_scene(const Spec& spec, const CompiledScene& scene) {
  if (spec.planar) refuse(spec.settle->mark, "settle: beds are spatial, found a planar scene");
  const Model& model = scene.model;
  if (model.dynamic_count == 0) refuse(spec.settle->mark, "settle: found no stones, expected a generator");
  for (Index body = 0; body < model.dynamic_count; ++body) {
    const auto b = static_cast<std::size_t>(body);
    const Index first = model.collider_begin[b];
    const bool is_stone = model.collider_begin[b + 1] == first + 1 &&
                          model.colliders[static_cast<std::size_t>(first)].kind == ShapeKind::polyhedron;
    if (!is_stone)
      refuse(spec.settle->mark,
             fmt::format("settle: a bed is of stones, found '{}' of another shape", scene.names.body[b]));
  }
}

// All dynamic bodies at `factor` times their size in `base`.
void set_size(const Model& base, Real factor, Model& model) {
  for (std::size_t i = 0; i < base.mass.size(); ++i) {
    model.mass[i] = std::pow(factor, 3) * base.mass[i];
    model.inertia[i] = std::pow(factor, 5) * base.inertia[i];
    model.p_UB[i] = factor * base.p_UB[i];
  }
  for (std::size_t c = 0; c < base.colliders.size(); ++c) {
    if (!base.is_dynamic(base.colliders[c].body)) continue;
    model.colliders[c].scale = factor * base.colliders[c].scale;
    model.colliders[c].p_BC = factor * base.colliders[c].p_BC;
    model.colliders[c].bound_radius = factor * base.colliders[c].bound_radius;
  }
  model.smallest_bound_radius = factor * base.smallest_bound_radius;
  model.largest_bound_radius = factor * base.largest_bound_radius;
}

Bed bed_of(const Model& model, const State& state) {
  Bed bed;
  for (const Polyhedron& polyhedron : model.polyhedra)
    bed.shapes.push_back(
        std::make_shared<const ConvexHull>(ConvexHull{polyhedron, Vec3::Zero(), polyhedron_integrals(polyhedron)}));
  for (Index body = 0; body < model.dynamic_count; ++body) {
    const auto b = static_cast<std::size_t>(body);
    const Collider& collider = model.colliders[static_cast<std::size_t>(model.collider_begin[b])];
    bed.stones.push_back({collider.geometry, collider.scale, state.position[b] + state.rotation[b] * collider.p_BC,
                          (state.rotation[b] * collider.R_BC).normalized()});
  }
  return bed;
}

Real highest_point(const Bed& bed, const BedStone& stone, const Vec3& up) {
  Real top = -std::numeric_limits<Real>::infinity();
  for (const Vec3& v : bed.shapes[static_cast<std::size_t>(stone.shape)]->polyhedron.vertices)
    top = std::max(top, up.dot(stone.position + stone.rotation * (stone.scale * v)));
  return top;
}

// Steps one compiled scene to rest.
class Settler {
 public:
  Settler(const Spec& spec, const Parallel& parallel, const SettleCallbacks& callbacks, Real time_before)
      : settle_(*spec.settle),
        callbacks_(callbacks),
        scene_(make_scene(spec)),
        model_(scene_.model),
        stepper_(model_, scene_.initial, parallel),
        time_before_(time_before) {
    check_bed_scene(spec, scene_);
    if (callbacks_.message) {
      for (const std::string& warning : scene_.warnings) callbacks_.message("warning: " + warning);
    }
    grow();
    for (const Collider& collider : model_.colliders) {
      if (model_.is_dynamic(collider.body))
        mean_size_ += collider.scale / (factor_ * settle_.growth_from) / model_.dynamic_count;
    }
  }

  // False when it was stopped.
  bool run() {
    Index quiet = 0;
    bool damped = settle_.damping > 0.0;
    while (quiet < settle_.steps) {
      grow();
      stepper_.step_without_look();
      if (damped) damp();
      if (grown_) stepper_.find_contacts();
      if (stepper_.report().lost > 0)
        throw NumericalError(
            fmt::format("{} of {} stones left the domain at t = {:.4g} s; the container is open or "
                        "time.step too large",
                        stepper_.report().lost, model_.dynamic_count, state().time));
      quiet = grown_ && is_quiet() ? quiet + 1 : 0;
      if (damped && quiet == settle_.steps) {
        damped = false;
        quiet = 0;
      }
      if (quiet < settle_.steps && time_before_ + state().time > settle_.limit)
        throw NumericalError(
            fmt::format("the bed is not at rest after settle.limit = {:.4g} s: {}", settle_.limit, motion_in_words()));

      show();
      say_how_it_goes();
      if (callbacks_.stop && callbacks_.stop()) return false;
    }
    return true;
  }

  Bed bed() const { return bed_of(model_, state()); }
  const CompiledScene& scene() const { return scene_; }
  Vec3 up() const {
    const Vec3& gravity = scene_.model.gravity;
    const Real g = gravity.norm();
    return g > 0.0 ? Vec3(-gravity / g) : Vec3(0, 0, 1);
  }
  std::vector<BedObstacle> obstacles() const { return bed_obstacles(model_, state()); }
  Real time() const { return time_before_ + state().time; }
  void add_statistics(BedStatistics& statistics) const {
    add_contact_statistics(stepper_.work().contacts, state(), model_, statistics);
    statistics.rms_speed = rms_;
    statistics.settling_time = time();
  }

 private:
  const State& state() const { return stepper_.state(); }

  // From the part of the start to all, linear in time.
  void grow() {
    const bool due = factor_ == 0.0 || (!grown_ && state().step % growth_stride == 0);
    if (!due) return;
    const Real full = 1.0 / settle_.growth_from;
    grown_ = settle_.growth_from == 1.0 || state().time >= settle_.growth_time;
    factor_ = grown_ ? full : 1.0 + state().time / settle_.growth_time * (full - 1.0);
    if (factor_ != 1.0) set_size(scene_.model, factor_, model_);
    // without weight until then: small stones would fall to the floor and have to lift each other
    model_.gravity = grown_ ? scene_.model.gravity : Vec3(Vec3::Zero());
    stepper_.forget();
  }

  void damp() {
    const Real kept = std::exp(-settle_.damping * model_.integrator.step);
    for (Vec3& v : stepper_.state().velocity) v *= kept;
    for (Vec3& w : stepper_.state().angular_velocity) w *= kept;
  }

  bool is_quiet() {
    const std::size_t count = state().velocity.size();
    if (model_.active_count(state().time) < model_.dynamic_count) return false;
    Real square = 0.0;
    std::size_t slow = 0;
    fastest_ = 0.0;
    for (const Vec3& v : state().velocity) {
      const Real speed = v.norm();
      square += speed * speed;
      slow += speed < settle_.speed ? 1 : 0;
      fastest_ = std::max(fastest_, speed);
    }
    rms_ = std::sqrt(square / static_cast<Real>(count));
    slow_part_ = static_cast<Real>(slow) / static_cast<Real>(count);
    const Real mean_depth = mean_penetration();
    return rms_ < settle_.speed && slow_part_ >= settled_part &&
           fastest_ <= model_.gravity.norm() * model_.integrator.step &&
           mean_depth <= settled_mean_penetration * mean_size_ &&
           stepper_.report().penetration_max <= settled_largest_penetration * mean_size_;
  }

  Real mean_penetration() const {
    return stepper_.report().penetration_points > 0
               ? stepper_.report().penetration_sum / stepper_.report().penetration_points
               : 0.0;
  }

  std::string motion_in_words() const {
    const Real mean_depth = mean_penetration();
    return fmt::format(
        "RMS speed {:.2g} m/s, {:.1f} % of the stones below {:.2g} m/s, the fastest at {:.2g} m/s, penetration {:.3f} "
        "% of "
        "the mean size on average and {:.2f} % at most",
        rms_, 100.0 * slow_part_, settle_.speed, fastest_, 100.0 * mean_depth / mean_size_,
        100.0 * stepper_.report().penetration_max / mean_size_);
  }

  // Now and then, so that a person sees where it goes.
  void say_how_it_goes() const {
    const auto stride = std::max<std::int64_t>(1, std::llround(words_interval / model_.integrator.step));
    if (callbacks_.message && grown_ && state().step % stride == 0)
      callbacks_.message(fmt::format("bed: t {:.4g} s, {}", time(), motion_in_words()));
  }

  void show() const {
    if (!callbacks_.progress) return;
    Progress progress;
    progress.run = "bed";
    progress.step = state().step;
    progress.steps =
        std::max(state().step + 1, static_cast<std::int64_t>((settle_.limit - time_before_) / model_.integrator.step));
    progress.time = time();
    progress.end = settle_.limit;
    progress.bodies = stepper_.work().active;
    progress.contacts = stepper_.report().contacts;
    progress.sweeps = stepper_.report().sweeps;
    progress.residual = stepper_.report().residual;
    progress.wall_seconds = wall_.seconds();
    progress.steps_this_call = state().step;
    callbacks_.progress(progress);
  }

  SettleSpec settle_;
  const SettleCallbacks& callbacks_;
  CompiledScene scene_;
  Model model_;  // at the size of now
  Stepper stepper_;
  Timer wall_;
  Real time_before_ = 0.0;
  bool grown_ = false;
  Real factor_ = 0.0;     // of now over that of the start; 0: not set yet
  Real mean_size_ = 0.0;  // m, when grown
  Real rms_ = 0.0, slow_part_ = 0.0, fastest_ = 0.0;
};

// The scene again with the stones of `bed` that stay, each with the generator it came from.
Spec with_stones(const Spec& spec, const Bed& bed, const ModelNames& names, const std::vector<bool>& stays) {
  Spec next = spec;
  next.settle->growth_from = 1.0;
  std::vector<std::shared_ptr<Bed>> beds;
  for (GeneratorSpec& generator : next.generators) {
    beds.push_back(std::make_shared<Bed>());
    beds.back()->shapes = bed.shapes;
    generator.kind = GeneratorSpec::Kind::bed;
    generator.bed = beds.back();
    generator.bed_position = Vec3::Zero();
  }
  for (std::size_t i = 0; i < bed.stones.size(); ++i) {
    if (!stays[i]) continue;
    const std::string& group = names.group[static_cast<std::size_t>(names.group_of[i])];
    for (std::size_t g = 0; g < next.generators.size(); ++g) {
      if (next.generators[g].name == group) beds[g]->stones.push_back(bed.stones[i]);
    }
  }
  return next;
}

}  // namespace

std::optional<SettledBed> settle_bed(const Spec& spec, const Parallel& parallel, const SettleCallbacks& callbacks) {
  if (!spec.settle) refuse({spec.file, 0, 0}, "this scene makes no bed: it has no 'settle'");
  Spec now = spec;
  Real time = 0.0;
  for (int trim = 0;; ++trim) {
    Settler settler(now, parallel, callbacks, time);
    if (!settler.run()) return std::nullopt;
    time = settler.time();
    SettledBed result;
    result.bed = settler.bed();
    std::vector<bool> stays(result.bed.stones.size(), true);
    Index removed = 0;
    for (std::size_t i = 0; spec.settle->level && i < stays.size(); ++i) {
      stays[i] = highest_point(result.bed, result.bed.stones[i], settler.up()) <= *spec.settle->level;
      removed += stays[i] ? 0 : 1;
    }
    if (removed == 0 || trim == most_trims) {
      result.statistics = bed_statistics(result.bed, settler.up(), spec.settle->core, settler.obstacles());
      settler.add_statistics(result.statistics);
      return result;
    }
    if (callbacks.message)
      callbacks.message(fmt::format("bed: {} stones above {:.4g} m taken off", removed, *spec.settle->level));
    now = with_stones(now, result.bed, settler.scene().names, stays);
  }
}

}  // namespace grus
