#include "io/checkpoint.hpp"

#include <cmath>
#include <cstring>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/hash.hpp"
#include "core/random.hpp"
#include "io/whole_file.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::checkpoint_test {
namespace {

using testing::HasSubstr;

// Any bits at all: the file must carry them, also those of NaN and of numbers below the normal range.
Real any_bits(Random& random) {
  const std::uint64_t word = random.word();
  Real x = 0.0;
  std::memcpy(&x, &word, sizeof x);
  return x;
}

Vec3 any_vector(Random& random) { return Vec3(any_bits(random), any_bits(random), any_bits(random)); }

Checkpoint random_checkpoint(std::uint64_t seed, int bodies, int contacts, bool planar) {
  Random random(seed);
  Checkpoint c;
  c.scene_hash = random.word();
  c.program_version = "0.1.0-test";
  c.state.time = any_bits(random);
  c.state.step = static_cast<std::int64_t>(random.word() >> 1);
  for (int i = 0; i < bodies; ++i) {
    c.state.position.push_back(any_vector(random));
    c.state.rotation.emplace_back(any_bits(random), any_bits(random), any_bits(random), any_bits(random));
    if (planar) c.state.angle.push_back(any_bits(random));
    c.state.velocity.push_back(any_vector(random));
    c.state.angular_velocity.push_back(any_vector(random));
  }
  for (int i = 0; i < contacts; ++i) {
    c.state.impulse_key.push_back({static_cast<std::uint32_t>(random.word()), static_cast<std::uint32_t>(random.word()),
                                   static_cast<std::uint32_t>(random.word())});
    c.state.impulse.push_back(any_vector(random));
  }
  c.state.energy = {any_bits(random), any_bits(random), any_bits(random)};
  c.extra["series_offset"] = {1234567.0};
  c.extra["residuals"] = {0.1, 0.2, any_bits(random)};
  c.extra["empty"] = {};
  return c;
}

std::string fault_of(const std::string& path) {
  try {
    load_checkpoint(path);
  } catch (const InputError& e) {
    return e.what();
  }
  return "no fault";
}

TEST(CheckpointFile, RoundTripKeepsEveryBit) {
  const test::TemporaryDirectory directory;
  for (const bool planar : {false, true}) {
    for (const int bodies : {0, 1, 137}) {
      const Checkpoint saved = random_checkpoint(static_cast<std::uint64_t>(bodies) + 5, bodies, 3 * bodies, planar);
      save_checkpoint(directory / "checkpoint.h5", saved);
      const auto loaded = load_checkpoint(directory / "checkpoint.h5");
      ASSERT_TRUE(loaded.has_value());
      EXPECT_EQ(state_hash(loaded->state), state_hash(saved.state));
      EXPECT_EQ(loaded->state.angle.size(), saved.state.angle.size());
      EXPECT_EQ(loaded->state.impulse_key, saved.state.impulse_key);
      EXPECT_EQ(loaded->scene_hash, saved.scene_hash);
      EXPECT_EQ(loaded->program_version, saved.program_version);
      ASSERT_EQ(loaded->extra.size(), 3u);
      EXPECT_EQ(loaded->extra.at("series_offset").at(0), 1234567.0);
      EXPECT_EQ(std::memcmp(loaded->extra.at("residuals").data(), saved.extra.at("residuals").data(), 24), 0);
      EXPECT_TRUE(loaded->extra.at("empty").empty());
    }
  }
}

TEST(CheckpointFile, TheSameStateMakesTheSameBytes) {
  const test::TemporaryDirectory directory;
  save_checkpoint(directory / "a", random_checkpoint(3, 20, 30, false));
  save_checkpoint(directory / "b", random_checkpoint(3, 20, 30, false));
  EXPECT_EQ(read_whole_file(directory / "a"), read_whole_file(directory / "b"));
}

TEST(CheckpointFile, AbsentIsNothing) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(load_checkpoint(directory / "checkpoint.h5"), std::nullopt);
}

TEST(CheckpointFile, TruncationAndDamageAreSentences) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "checkpoint.h5";
  save_checkpoint(path, random_checkpoint(11, 40, 60, false));
  const std::string whole = read_whole_file(path);

  testing::internal::CaptureStderr();
  Random random(2);
  for (int i = 0; i < 50; ++i) {
    write_whole_file(path, std::string_view(whole).substr(0, random.below(whole.size())));
    EXPECT_THAT(fault_of(path), HasSubstr("truncated or no checkpoint"));
    std::string damaged = whole;
    damaged[random.below(whole.size() - 16)] ^= static_cast<char>(1 << random.below(8));
    write_whole_file(path, damaged);
    EXPECT_THAT(fault_of(path), HasSubstr("damaged"));
  }
  for (const std::string& foreign : {std::string(), std::string("hello"), std::string(1000, '\0')}) {
    write_whole_file(path, foreign);
    EXPECT_THAT(fault_of(path), HasSubstr("no checkpoint of Grus"));
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// A file with a true hash that is no checkpoint inside: the library's own errors must become a sentence too.
TEST(CheckpointFile, ForeignContentWithATrueHashIsASentence) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "checkpoint.h5";
  std::string bytes = "not HDF5 at all";
  Hash hash;
  hash.bytes(bytes.data(), bytes.size());
  const std::uint64_t digest = hash.digest();
  bytes += "GRUSHASH";
  bytes.append(reinterpret_cast<const char*>(&digest), sizeof digest);
  write_whole_file(path, bytes);
  testing::internal::CaptureStderr();
  EXPECT_THAT(fault_of(path), HasSubstr("no checkpoint this program can use"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(CheckpointFile, CannotBeWrittenIsAnIoError) {
  EXPECT_THROW(save_checkpoint("/absent-directory/checkpoint.h5", random_checkpoint(1, 2, 2, false)), IoError);
}

}  // namespace
}  // namespace grus::checkpoint_test
