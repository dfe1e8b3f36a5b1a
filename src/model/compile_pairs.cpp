// Pair laws: a full symmetric table over materials.
//
// Entries are laid over one another from general to particular: any-any, then any-X, then X-Y, later over earlier
// within each; an entry sets what it gives. A pair of materials that can touch and got no friction from any entry is a
// fault: a friction nobody chose would be a silent assumption. Restitution that is not given is 0, the law that is not
// given is contact.law.
#include <algorithm>
#include <cmath>
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

// Bodies that carry each material, to tell which pairs can meet.
struct Users {
  std::vector<Index> dynamic;                     // by material
  std::vector<Index> others;                      // linked and kinematic
  std::vector<std::pair<Index, Index>> machines;  // materials that meet on a linked body and another body
};

std::vector<bool> materials_of(const CompileContext& context, Index blueprint) {
  std::vector<bool> has(context.materials.size(), false);
  for (const Collider& collider : context.blueprints[static_cast<std::size_t>(blueprint)].colliders) {
    const auto m = static_cast<std::size_t>(collider.material);
    if (m < has.size()) has[m] = true;
  }
  return has;
}

// A linked body meets other linked bodies and kinematic ones, unless the pair is excluded.
void add_machine_pairs(const CompileContext& context, Users& users) {
  const auto first = static_cast<Index>(context.dynamic.size());
  const auto linked = static_cast<Index>(context.linked.size());
  std::vector<std::vector<bool>> has;
  for (const LinkedDraft& body : context.linked) has.push_back(materials_of(context, body.blueprint));
  for (const KinematicDraft& body : context.kinematic) has.push_back(materials_of(context, body.blueprint));
  std::set<std::pair<Index, Index>> excluded;
  for (const auto& pair : context.excluded_pairs) excluded.insert(std::minmax(pair.first, pair.second));
  for (Index i = 0; i < linked; ++i) {
    for (Index j = i + 1; j < static_cast<Index>(has.size()); ++j) {
      if (excluded.contains({first + i, first + j})) continue;
      for (std::size_t a = 0; a < context.materials.size(); ++a) {
        for (std::size_t b = 0; b < context.materials.size(); ++b) {
          if (has[static_cast<std::size_t>(i)][a] && has[static_cast<std::size_t>(j)][b])
            users.machines.emplace_back(std::minmax(static_cast<Index>(a), static_cast<Index>(b)));
        }
      }
    }
  }
  std::sort(users.machines.begin(), users.machines.end());
  users.machines.erase(std::unique(users.machines.begin(), users.machines.end()), users.machines.end());
}

Users count_users(const CompileContext& context) {
  std::vector<Index> dynamic(context.blueprints.size(), 0), others(context.blueprints.size(), 0);
  for (const BodyDraft& body : context.dynamic) ++dynamic[static_cast<std::size_t>(body.blueprint)];
  for (const LinkedDraft& body : context.linked) ++others[static_cast<std::size_t>(body.blueprint)];
  for (const KinematicDraft& body : context.kinematic) ++others[static_cast<std::size_t>(body.blueprint)];
  const std::size_t n = context.materials.size();
  Users users{std::vector<Index>(n, 0), std::vector<Index>(n, 0), {}};
  for (std::size_t k = 0; k < context.blueprints.size(); ++k) {
    const std::vector<bool> has = materials_of(context, static_cast<Index>(k));
    for (std::size_t m = 0; m < n; ++m) {
      if (!has[m]) continue;
      users.dynamic[m] += dynamic[k];
      users.others[m] += others[k];
    }
  }
  if (!context.linked.empty()) add_machine_pairs(context, users);
  return users;
}

bool can_touch(const Users& users, std::size_t a, std::size_t b) {
  const std::pair<Index, Index> pair = std::minmax(static_cast<Index>(a), static_cast<Index>(b));
  if (std::binary_search(users.machines.begin(), users.machines.end(), pair)) return true;
  if (a == b) return users.dynamic[a] > 0 && users.dynamic[a] + users.others[a] > 1;
  return (users.dynamic[a] > 0 && users.dynamic[b] + users.others[b] > 0) ||
         (users.dynamic[b] > 0 && users.dynamic[a] + users.others[a] > 0);
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
  if (restitution_lost) context.warnings.emplace_back("the gap law is inelastic: restitution of its pairs is not used");
}

}  // namespace grus
