#include "collision/match.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "shape_cases.hpp"

namespace grus::match_test {
namespace {

using namespace test;

ContactPoint contact(std::uint32_t a, std::uint32_t b, std::uint32_t feature) {
  ContactPoint c;
  c.key = {a, b, feature};
  return c;
}

TEST(Match, SameKeysGiveTheSameImpulses) {
  State state;
  std::vector<ContactPoint> contacts;
  for (std::uint32_t i = 0; i < 20; ++i) {
    contacts.push_back(contact(i / 4, 10 + i / 2, i % 2));
    state.impulse_key.push_back(contacts.back().key);
    state.impulse.push_back(Vec3(i, 2.0 * i, 0.5));
  }
  std::vector<Vec3> impulse;
  EXPECT_EQ(match(contacts, state, impulse), 20);
  EXPECT_EQ(impulse, state.impulse);
}

TEST(Match, NewPairsStartAtZeroAndLostOnesAreDropped) {
  State state;
  state.impulse_key = {{1, 2, 0}, {3, 4, 0}};
  state.impulse = {Vec3(1, 0, 0), Vec3(0, 1, 0)};
  std::vector<Vec3> impulse;
  EXPECT_EQ(match(std::vector{contact(0, 9, 0), contact(3, 4, 0), contact(3, 5, 0)}, state, impulse), 1);
  EXPECT_EQ(impulse, (std::vector{Vec3(0, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 0)}));
}

TEST(Match, ChangedFeaturesShareWhatIsLeft) {
  State state;
  state.impulse_key = {{1, 2, 0}, {1, 2, 1}, {1, 2, 2}};
  state.impulse = {Vec3(1, 0, 0), Vec3(2, 0, 0), Vec3(6, 0, 0)};
  std::vector<Vec3> impulse;
  EXPECT_EQ(match(std::vector{contact(1, 2, 1), contact(1, 2, 5), contact(1, 2, 6)}, state, impulse), 1);
  EXPECT_EQ(impulse, (std::vector{Vec3(2, 0, 0), Vec3(3.5, 0, 0), Vec3(3.5, 0, 0)}));
  // no new point: the ones that stay take over
  EXPECT_EQ(match(std::vector{contact(1, 2, 1)}, state, impulse), 1);
  EXPECT_EQ(impulse, (std::vector{Vec3(9, 0, 0)}));
}

TEST(Match, KeepsTheTotalOfEveryPairThatStillTouches) {
  Random random(41);
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  const auto random_keys = [&] {
    std::set<ContactKey> keys;
    for (int i = 0; i < 300; ++i)
      keys.insert({static_cast<std::uint32_t>(random.below(8)), static_cast<std::uint32_t>(10 + random.below(8)),
                   static_cast<std::uint32_t>(random.below(8))});
    return keys;
  };
  for (int trial = 0; trial < 50; ++trial) {
    State state;
    std::map<Pair, Vec3> before, after;
    for (const ContactKey& key : random_keys()) {
      state.impulse_key.push_back(key);
      state.impulse.push_back(random_vector(random, 1.0));
      before.try_emplace({key.a, key.b}, Vec3::Zero()).first->second += state.impulse.back();
    }
    std::vector<ContactPoint> contacts;
    for (const ContactKey& key : random_keys()) contacts.push_back(contact(key.a, key.b, key.feature));
    std::vector<Vec3> impulse;
    match(contacts, state, impulse);
    for (std::size_t i = 0; i < contacts.size(); ++i)
      after.try_emplace({contacts[i].key.a, contacts[i].key.b}, Vec3::Zero()).first->second += impulse[i];
    for (const auto& [pair, total] : after) {
      const Vec3 expected = before.count(pair) ? before[pair] : Vec3(Vec3::Zero());
      EXPECT_LT((total - expected).norm(), 1e-13);
    }
  }
}

}  // namespace
}  // namespace grus::match_test
