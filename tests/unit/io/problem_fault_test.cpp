// Damaged, inconsistent and hostile problem files: a sentence, never a crash or a giant allocation.
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "io/hdf5_memory.hpp"
#include "problem_samples.hpp"
#include "temporary_directory.hpp"

namespace grus::problem_fault_test {
namespace {

using test::chain_problem;
using test::file_of;

// What the reader says; empty when it takes the file.
std::string fault_of(const std::string& bytes) {
  try {
    parse_problem(bytes, "x");
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(ProblemFaults, TextSaysPlaceFoundAndExpected) {
  const std::string good = "2\n1\n0\n2\n2\n2 2\n2 0\n1 4\n-1 0.5\n0.25\n";
  ASSERT_EQ(fault_of(good), "");
  const auto expect = [](const std::string& text, const std::string& message) {
    EXPECT_THAT(fault_of(text), testing::HasSubstr(message)) << text;
  };
  expect("4\n1\n", "x:1:1: found '4', expected the dimension, 2 or 3");
  expect("2\n-1\n", "x:2:1: found '-1', expected the number of contacts, from 1 to");
  expect("2\n0\n", "found '0', expected the number of contacts");
  expect("2\n2000000000\n0\n4000000000\n", "found '2000000000', expected the number of contacts, from 1 to");
  expect("2\n99999999999999999999\n", "expected the number of contacts");
  expect("2\n1\n3\n", "x:3:1: found '3', expected the storage");
  expect("2\n1\n0\n3\n2\n", "x:4:1: found '3', expected 2 rows");
  expect("2\n1\n0\n2\n2\n2 2\n2 0\n1\n", "found the end, expected an entry of the dense matrix");
  expect("2\n1\n0\n2\n2\n2 2\n2 0\n1 4\nnan 0.5\n0.25\n", "x:9:1: found 'nan', expected a number of the vector q");
  expect("2\n1\n0\n2\n2\n2 2\n2 inf\n1 4\n-1 0.5\n0.25\n", "x:7:3: found 'inf'");
  expect("2\n1\n0\n2\n2\n2 2\n2 0x1\n", "x:7:3: found '0x1'");
  expect("2\n1\n0\n2\n2\n2 2\n2 0\n1 4\n-1 0.5\n-0.25\n", "x:10:1: found the coefficient of friction -0.25");
  expect(good + "0 7", "found '7', expected the end of the file");
  expect(good + "word", "found 'word', expected the end of the file");
  // blocks: a column out of range, rows that do not rise, the wrong number of a block
  expect("2 1 1 2 2  1 1 1  2  2  2 1  0 1  1  0 2 0 1 4 -1 0.5 0.25", "found '1', expected a block column below 1");
  expect("2 1 1 2 2  1 1 1  3  2  2 1  0 1  0  0 2 0 1 4", "found '3', expected the end of block 1 of 1");
  expect("2 1 1 2 2  1 1 1  2  2  2 1  0 2  0  0 2 0 1 4", "found '2', expected a first block from 0 to 1");
  expect("2 1 1 2 2  1 1 1  2  2  2 1  0 1  0  5 2 0 1 4", "found '5', expected 0 as the number of the block");
  expect("2 1 1 2 2  900000 1 1  2  2  2 1", "expected the number of blocks, from 0 to");
  // sparse: sizes, indices and locations that do not fit
  const std::string sparse = "2 1 2 2 2 2\nCSparse\n";
  expect(sparse + "3-by-2, nzmax: 1 nnz: 1, 1-norm: 1", "found '3-by-2,', expected '2-by-2,'");
  expect(sparse + "2-by-2, nzmax: 1 nnz: 1 x\n col 0 : locations 0 to 0\n 2 : 1",
         "found '2', expected an index from 0");
  expect(sparse + "2-by-2, nzmax: 1 nnz: 1 x\n col 0 : locations 0 to 9\n 1 : 1", "found '9', expected the last loc");
  expect(sparse + "2-by-2, nzmax: 1 nnz: 1 x\n col 1 : locations 0 to 0\n 1 : 1", "found '1', expected 0 as the numb");
  expect("2 1 2 2 2 1\ntriplet: 2-by-2, nzmax: 2 nnz: 2\n0 0 : 1e308\n0 0 : 1e308\n",
         "do not add up to finite numbers");
  expect(sparse + "2-by-2, nzmax: 1 nnz: 99999999 x\n", "found '99999999', expected the number of entries");
}

TEST(ProblemFaults, FilesThatAreNone) {
  const test::TemporaryDirectory folder;
  const auto fault = [](const std::string& path) {
    try {
      read_problem_file(path);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(fault(folder / "absent.dat"), testing::HasSubstr("does not exist"));
  EXPECT_THAT(fault(folder.path()), testing::HasSubstr("is not a regular file"));
  EXPECT_THAT(fault_of(""), testing::HasSubstr("is empty"));
  EXPECT_THAT(fault_of(std::string("2\n\0", 3)), testing::HasSubstr("is neither HDF5 nor text"));
  EXPECT_THAT(fault_of("\x89HDF\r\n\x1a\n and no more"), testing::HasSubstr("is no FCLIB problem"));
}

// ---- FCLIB with one thing wrong
// ---------------------------------------------------------------------------------------

struct Parts {
  std::int32_t dimension = 2, m = 2, n = 2, nz = -1;
  std::vector<std::int32_t> p{0, 2, 4}, i{0, 1, 0, 1};
  std::vector<double> x{2, 0.5, 0.5, 4}, q{-1, 0.5}, mu{0.25};
  std::vector<std::string> absent;  // names left out
};

std::string bytes_of(const Parts& parts) {
  Hdf5Memory file;
  for (const char* group : {"/fclib_local", "/fclib_local/W", "/fclib_local/vectors"}) file.make_group(group);
  const auto write = [&](const std::string& name, const auto* values, std::size_t count) {
    if (std::find(parts.absent.begin(), parts.absent.end(), name) == parts.absent.end())
      file.write("/fclib_local/" + name, values, count, 1);
  };
  write("spacedim", &parts.dimension, 1);
  write("W/m", &parts.m, 1);
  write("W/n", &parts.n, 1);
  write("W/nz", &parts.nz, 1);
  write("W/p", parts.p.data(), parts.p.size());
  write("W/i", parts.i.data(), parts.i.size());
  write("W/x", parts.x.data(), parts.x.size());
  write("vectors/q", parts.q.data(), parts.q.size());
  write("vectors/mu", parts.mu.data(), parts.mu.size());
  return file.image();
}

TEST(ProblemFaults, FclibSaysNameFoundAndExpected) {
  ASSERT_EQ(fault_of(bytes_of({})), "");
  const auto expect = [](const std::function<void(Parts&)>& damage, const std::string& message) {
    Parts parts;
    damage(parts);
    EXPECT_THAT(fault_of(bytes_of(parts)), testing::HasSubstr(message));
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  expect([](Parts& f) { f.dimension = 4; }, "/fclib_local/spacedim: found 4, expected 2 or 3");
  expect([](Parts& f) { f.m = -2; }, "/fclib_local/W/m: found -2, expected from 0");
  expect([](Parts& f) { f.m = f.n = 2000000000; }, "/fclib_local/W/m: found 2000000000");
  expect([](Parts& f) { f.n = 3; }, "/fclib_local/W/p: found 3 entries, expected 4");
  expect([](Parts& f) { f.nz = -3; }, "/fclib_local/W/nz: found -3, expected -2, -1 or a number of entries");
  expect([](Parts& f) { f.nz = 2000000000; }, "/fclib_local/W/i: found 4 entries, expected 2000000000");
  expect([](Parts& f) { f.p = {0, 5, 4}; }, "/fclib_local/W/p: found 4 at 2, expected numbers that rise from 0");
  expect([](Parts& f) { f.p = {1, 2, 4}; }, "/fclib_local/W/p: found 1 at 0, expected numbers that rise from 0");
  expect([](Parts& f) { f.p = {0, 2, 9}; }, "/fclib_local/W/i: found 4 entries, expected 9");
  expect([](Parts& f) { f.i[1] = 2; }, "/fclib_local/W/i: found the index 2 at 1, expected from 0 to 1");
  expect([](Parts& f) { f.i[3] = -1; }, "/fclib_local/W/i: found the index -1 at 3");
  expect([](Parts& f) { f.x = {1, 2, 3}; }, "/fclib_local/W/x: found 3 entries, expected 4");
  expect([](Parts& f) { f.x[2] = nan; }, "/fclib_local/W/x: found nan at 2, expected finite numbers");
  expect([](Parts& f) { f.q = {1, 2, 3}; }, "/fclib_local/vectors/q: found 3 numbers, expected 2");
  expect([](Parts& f) { f.q[0] = nan; }, "/fclib_local/vectors/q: found nan at 0");
  expect([](Parts& f) { f.mu = {-0.5}; }, "/fclib_local/vectors/mu: found -0.5 at 0, expected 0 or more");
  expect([](Parts& f) { f.mu = {}; }, "/fclib_local/vectors/mu: found no contact");
  expect([](Parts& f) { f.mu = {1, 1}; }, "/fclib_local/W: found 2 x 2, expected 4 x 4");
  for (const char* name : {"spacedim", "W/m", "W/n", "W/nz", "W/p", "W/i", "W/x", "vectors/q", "vectors/mu"})
    expect([&](Parts& f) { f.absent = {name}; }, fmt::format("/fclib_local/{}: found nothing, expected", name));
}

TEST(ProblemFaults, FclibOfOtherTypesAndShapes) {
  const auto expect = [](const std::function<void(Hdf5Memory&)>& write, const std::string& message) {
    Hdf5Memory file;
    file.make_group("/fclib_local");
    file.make_group("/fclib_local/W");
    write(file);
    EXPECT_THAT(fault_of(file.image()), testing::HasSubstr(message));
  };
  const double number = 3.0, numbers[4] = {1, 2, 3, 4};
  expect([&](Hdf5Memory& f) { f.write("/fclib_local/spacedim", &number, 1, 1); },
         "/fclib_local/spacedim: found numbers, expected whole numbers");
  expect([&](Hdf5Memory& f) { f.write_string("/fclib_local/W/x", "text"); },
         "/fclib_local/W/x: found a string, expected numbers");
  expect([&](Hdf5Memory& f) { f.write("/fclib_local/W/x", numbers, 2, 2); },
         "/fclib_local/W/x: found an array of 2 dimensions");
  expect([&](Hdf5Memory& f) { f.make_group("/fclib_local/spacedim"); }, "cannot open /fclib_local/spacedim");
  Hdf5Memory other;
  other.make_group("/something");
  EXPECT_THAT(fault_of(other.image()), testing::HasSubstr("found neither the group /fclib_local nor /fclib_global"));
}

// 2^40 numbers announced, none stored: HDF5 would fill them in.
TEST(ProblemFaults, FclibThatAnnouncesMoreThanItHolds) {
  const test::TemporaryDirectory folder;
  const std::string path = folder / "huge.hdf5";
  {
    const Hdf5Handle<H5Fclose> file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "make a file");
    const Hdf5Handle<H5Gclose> group(H5Gcreate2(file, "/fclib_local", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "group");
    const hsize_t size = hsize_t{1} << 40;
    const Hdf5Handle<H5Sclose> space(H5Screate_simple(1, &size, nullptr), "describe");
    const Hdf5Handle<H5Dclose> set(
        H5Dcreate2(group, "spacedim", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "make a set");
  }
  try {
    read_problem_file(path);
    FAIL() << "expected a fault";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("found 1099511627776 elements announced"));
  }
}

TEST(ProblemFaults, GlobalFormWithoutMass) {
  Hdf5Memory file;
  for (const char* group : {"/fclib_global", "/fclib_global/M", "/fclib_global/H", "/fclib_global/vectors"})
    file.make_group(group);
  const std::int32_t two = 2, by_column = -1, begin[3] = {0, 1, 1}, zero = 0, h_begin[3] = {0, 1, 2}, rows[2] = {0, 1};
  const double one = 1.0, ones[2] = {1.0, 1.0};
  file.write("/fclib_global/spacedim", &two, 1, 1);
  for (const char* matrix : {"/fclib_global/M", "/fclib_global/H"}) {
    const std::string name = matrix;
    file.write(name + "/m", &two, 1, 1);
    file.write(name + "/n", &two, 1, 1);
    file.write(name + "/nz", &by_column, 1, 1);
  }
  file.write("/fclib_global/M/p", begin, 3, 1);
  file.write("/fclib_global/M/i", &zero, 1, 1);
  file.write("/fclib_global/M/x", &one, 1, 1);
  file.write("/fclib_global/H/p", h_begin, 3, 1);
  file.write("/fclib_global/H/i", rows, 2, 1);
  file.write("/fclib_global/H/x", ones, 2, 1);
  for (const char* name : {"f", "w"}) file.write(std::string("/fclib_global/vectors/") + name, ones, 2, 1);
  file.write("/fclib_global/vectors/mu", &one, 1, 1);
  EXPECT_THAT(fault_of(file.image()), testing::HasSubstr("M is singular among the 1 velocities from 1 on"));
}

// ---- A corpus: cut, changed and random bytes
// ----------------------------------------------------------------------------

// Takes the file or says why not; whatever it takes must hold together.
void expect_no_crash(const std::string& bytes) {
  try {
    const LocalProblem p = parse_problem(bytes, "x").problem;
    ASSERT_EQ(p.block_begin.size(), static_cast<std::size_t>(p.block_count()) + 1);
    ASSERT_EQ(p.entry.size(), p.column.size() * static_cast<std::size_t>(p.dimension * p.dimension));
    ASSERT_EQ(p.q.size(), static_cast<std::size_t>(p.unknown_count()));
    for (const Index j : p.column) ASSERT_TRUE(j >= 0 && j < p.block_count());
    for (const Real x : p.entry) ASSERT_TRUE(std::isfinite(x));
    for (const Real mu : p.friction) ASSERT_TRUE(mu >= 0.0);
  } catch (const InputError& error) {
    ASSERT_THAT(error.what(), testing::StartsWith("x:"));
  }
}

std::string changed(std::string bytes, Random& random) {
  constexpr std::string_view spice = "0123456789-+.eEnif \n\t:,\xff\x80\x01";
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t k = 0; k < changes; ++k) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(4)) {
      case 0:
        bytes[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        bytes[at] = spice[random.below(spice.size())];
        break;
      case 2:
        bytes.erase(at, 1 + random.below(8));
        break;
      default:
        bytes.insert(at, bytes.substr(random.below(bytes.size()), random.below(16)));
    }
    if (bytes.empty()) return bytes;
  }
  return bytes;
}

TEST(ProblemFaults, CorpusOfText) {
  Random random(11);
  for (const ProblemFormat format :
       {ProblemFormat::siconos_dense, ProblemFormat::siconos_blocks, ProblemFormat::siconos_sparse}) {
    const std::string good = problem_bytes(file_of(chain_problem(2, 3)), format, "x");
    for (std::size_t size = 0; size < good.size(); size += 3) expect_no_crash(good.substr(0, size));
    for (int k = 0; k < 2000; ++k) expect_no_crash(changed(good, random));
  }
  for (int k = 0; k < 500; ++k) {
    std::string noise(random.below(200), '\0');
    for (char& c : noise) c = static_cast<char>(random.below(256));
    expect_no_crash(noise);
  }
}

// HDF5 keeps its own structure in the first bytes: they are hit more often than the numbers.
TEST(ProblemFaults, CorpusOfFclib) {
  Random random(12);
  ProblemFile file = file_of(chain_problem(2, 3, 1));
  file.guess.assign(static_cast<std::size_t>(file.problem.unknown_count()), 0.0);
  const std::string good = problem_bytes(file, ProblemFormat::fclib, "x");
  for (int k = 0; k < 25; ++k) expect_no_crash(good.substr(0, random.below(good.size())));
  for (int k = 0; k < 120; ++k) {
    std::string bytes = good;
    const std::uint64_t changes = 1 + random.below(3);
    for (std::uint64_t c = 0; c < changes; ++c) {
      // never the signature: it would be text
      const std::size_t at = 8 + random.below(random.below(2) == 0 ? 4096 : bytes.size() - 8);
      bytes[std::min(at, bytes.size() - 1)] = static_cast<char>(random.below(3) == 0 ? 255 : random.below(256));
    }
    expect_no_crash(bytes);
  }
  for (int k = 0; k < 10; ++k) {
    std::string noise = good.substr(0, 8);
    for (std::size_t size = random.below(2000); size > 0; --size) noise += static_cast<char>(random.below(256));
    expect_no_crash(noise);
  }
}

}  // namespace
}  // namespace grus::problem_fault_test
