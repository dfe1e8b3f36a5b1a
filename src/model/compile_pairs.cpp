// Pair laws: a full symmetric table over materials.
//
// Entries are laid over one another from general to particular: any-any, then any-X, then X-Y, later over earlier
// within each; an entry sets what it gives. A pair of materials that can touch and got no friction from any entry is a
// fault: a friction nobody chose would be a silent assumption. Restitution that is not given is 0, the law that is not
// given is contact.law.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

#include <fmt/format.h>

#include "core/nearest_name.hpp"
#include "model/compile_context.hpp"

namespace grus {

namespace {

constexpr std::string_view any_material = "any";

struct PairDraft {
  std::optional<Real> friction;
  std::optional<Real> restitution;
  std::optional<ContactLawKind> law;
};

bool check_material(CompileContext& context, const PairSpec& pair, const std::string& name) {
  if (name == any_material || context.material_index.contains(name)) return true;
  std::vector<std::string> known = context.materials;
  known.emplace_back(any_material);
  context.fault(pair.mark, name.empty() ? "a pair needs two materials"
                                        : fmt::format("pair: unknown material '{}'{}", name, name_hint(name, known)));
  return false;
}

bool check_pair(CompileContext& context, const PairSpec& pair) {
  const bool known_a = check_material(context, pair, pair.a);
  const bool known_b = pair.b == pair.a ? known_a : check_material(context, pair, pair.b);
  const std::string what = fmt::format("pair {}-{}", pair.a, pair.b);
  if (pair.friction) check_not_negative(context, pair.mark, what + ": friction", *pair.friction);
  if (pair.restitution && !(*pair.restitution >= 0.0 && *pair.restitution <= 1.0))
    context.fault(pair.mark,
                  fmt::format("{}: restitution is {}, expected a number from 0 to 1", what, *pair.restitution));
  return known_a && known_b;
}

bool matches(const PairSpec& pair, const std::string& a, const std::string& b) {
  const auto fits = [](const std::string& entry, const std::string& name) {
    return entry == any_material || entry == name;
  };
  return (fits(pair.a, a) && fits(pair.b, b)) || (fits(pair.a, b) && fits(pair.b, a));
}

int named_count(const PairSpec& pair) { return (pair.a != any_material ? 1 : 0) + (pair.b != any_material ? 1 : 0); }

PairDraft overlay(const std::vector<const PairSpec*>& pairs, const std::string& a, const std::string& b) {
  PairDraft draft;
  for (int level = 0; level <= 2; ++level) {
    for (const PairSpec* pair : pairs) {
      if (named_count(*pair) != level || !matches(*pair, a, b)) continue;
      if (pair->friction) draft.friction = pair->friction;
      if (pair->restitution) draft.restitution = pair->restitution;
      if (pair->law) draft.law = pair->law;
    }
  }
  return draft;
}

using MaterialPair = std::pair<Index, Index>;  // first <= second

// Bodies that carry each material, to tell which pairs can meet.
struct Users {
  std::vector<Index> dynamic, linked, kinematic;       // by material
  std::map<MaterialPair, std::int64_t> never_meeting;  // pairs of a linked body and another, or itself, by materials
};

// Of the shapes that touch something.
std::vector<Index> materials_of(const Blueprint& blueprint, std::size_t material_count) {
  std::vector<Index> materials;
  for (const Collider& collider : blueprint.colliders) {
    if (collider.collides && collider.material >= 0 && static_cast<std::size_t>(collider.material) < material_count)
      materials.push_back(collider.material);
  }
  std::sort(materials.begin(), materials.end());
  materials.erase(std::unique(materials.begin(), materials.end()), materials.end());
  return materials;
}

Users count_users(const CompileContext& context) {
  const std::size_t n = context.materials.size();
  std::vector<std::vector<Index>> materials;  // by blueprint
  for (const Blueprint& blueprint : context.blueprints) materials.push_back(materials_of(blueprint, n));
  Users users{std::vector<Index>(n, 0), std::vector<Index>(n, 0), std::vector<Index>(n, 0), {}};
  const auto count = [&](const auto& drafts, std::vector<Index>& by_material) {
    for (const auto& draft : drafts) {
      for (const Index m : materials[static_cast<std::size_t>(draft.blueprint)])
        ++by_material[static_cast<std::size_t>(m)];
    }
  };
  count(context.dynamic, users.dynamic);
  count(context.linked, users.linked);
  count(context.kinematic, users.kinematic);

  const auto part = [&](Index i, Index j) {
    for (const Index a : materials[static_cast<std::size_t>(i)]) {
      for (const Index b : materials[static_cast<std::size_t>(j)]) ++users.never_meeting[std::minmax(a, b)];
    }
  };
  for (const LinkedDraft& body : context.linked) part(body.blueprint, body.blueprint);
  const auto first = static_cast<Index>(context.dynamic.size());
  const auto blueprint_of = [&](Index body) {
    const auto i = static_cast<std::size_t>(body - first);
    return i < context.linked.size() ? context.linked[i].blueprint
                                     : context.kinematic[i - context.linked.size()].blueprint;
  };
  std::set<std::pair<Index, Index>> excluded;
  for (const auto& pair : context.excluded_pairs) excluded.insert(std::minmax(pair.first, pair.second));
  for (const auto& [i, j] : excluded) {
    // grains come in numbers: a pair of them that is excluded says nothing about their materials
    if (i < first || i >= first + static_cast<Index>(context.linked.size())) continue;
    part(blueprint_of(i), blueprint_of(j));
    part(blueprint_of(j), blueprint_of(i));
  }
  return users;
}

// Some pair of bodies carries the two materials, is not fixed twice, and is not excluded. Pairs with a linked body are
// counted in both orders, as never_meeting counts its own.
bool can_touch(const Users& users, std::size_t a, std::size_t b) {
  const auto all = [&](std::size_t m) { return users.dynamic[m] + users.linked[m] + users.kinematic[m]; };
  const std::int64_t linked_a = users.linked[a], linked_b = users.linked[b];
  std::int64_t pairs = linked_a * linked_b + linked_a * users.kinematic[b] + users.kinematic[a] * linked_b;
  if (a != b) pairs *= 2;
  const MaterialPair key(std::minmax(static_cast<Index>(a), static_cast<Index>(b)));
  const auto never = users.never_meeting.find(key);
  if (pairs > (never == users.never_meeting.end() ? 0 : never->second)) return true;
  if (a == b) return users.dynamic[a] > 0 && all(a) > 1;
  return (users.dynamic[a] > 0 && all(b) > 0) || (users.dynamic[b] > 0 && all(a) > 0);
}

void check_gap_law(CompileContext& context) {
  const Spec& spec = context.spec;
  if (spec.integrator.theta == 1.0) return;
  // with theta = 1/2 the closing velocity outlives the gap and the gap term rebounds almost elastically
  const auto fault = [&](const SourceMark& where) {
    context.fault(where, fmt::format("the gap law needs integrator.theta = 1, found {}", spec.integrator.theta));
  };
  if (spec.law == ContactLawKind::gap) {
    fault(context.mark_of(spec.marks.contains("contact.law") ? "contact.law" : "integrator.theta"));
    return;
  }
  for (const PairSpec& pair : spec.pairs) {
    if (pair.law == ContactLawKind::gap) fault(pair.mark);
  }
}

}  // namespace

void compile_pairs(CompileContext& context) {
  std::vector<const PairSpec*> pairs;
  for (const PairSpec& pair : context.spec.pairs) {
    if (check_pair(context, pair)) pairs.push_back(&pair);
  }
  check_gap_law(context);

  const Users users = count_users(context);
  const std::size_t n = context.materials.size();
  context.pair_laws.assign(std::max<std::size_t>(n * n, 1), PairLaw{});
  bool restitution_lost = false;
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t b = a; b < n; ++b) {
      const PairDraft draft = overlay(pairs, context.materials[a], context.materials[b]);
      const bool touches = can_touch(users, a, b);
      if (touches && !draft.friction)
        context.fault(
            context.mark_of("pairs"),
            fmt::format("materials '{}' and '{}' can touch but no pair gives their friction (add a pair {}-{}, "
                        "or any-any)",
                        context.materials[a], context.materials[b], context.materials[a], context.materials[b]));
      const PairLaw law{draft.friction.value_or(0.0), draft.restitution.value_or(0.0),
                        draft.law.value_or(context.spec.law)};
      restitution_lost |= touches && law.kind == ContactLawKind::gap && law.restitution > 0.0;
      context.pair_laws[a * n + b] = context.pair_laws[b * n + a] = law;
    }
  }
  if (restitution_lost)
    context.warn(context.mark_of("pairs"), "the gap law is inelastic: restitution of its pairs is not used");
}

}  // namespace grus
