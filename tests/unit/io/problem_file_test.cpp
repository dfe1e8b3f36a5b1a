#include "io/problem/problem_file.hpp"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Dense>

#include "core/error.hpp"
#include "io/hdf5_memory.hpp"
#include "problem_samples.hpp"
#include "temporary_directory.hpp"

namespace grus::problem_file_test {
namespace {

using test::chain_problem;
using test::file_of;

constexpr ProblemFormat text_formats[] = {ProblemFormat::siconos_dense, ProblemFormat::siconos_blocks,
                                          ProblemFormat::siconos_sparse};

void expect_same(const LocalProblem& a, const LocalProblem& b) {
  EXPECT_EQ(a.dimension, b.dimension);
  EXPECT_EQ(a.contact_count, b.contact_count);
  EXPECT_EQ(a.row_count, b.row_count);
  EXPECT_EQ(a.block_begin, b.block_begin);
  EXPECT_EQ(a.column, b.column);
  EXPECT_EQ(a.entry, b.entry);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.friction, b.friction);
  EXPECT_EQ(a.lower, b.lower);
  EXPECT_EQ(a.upper, b.upper);
}

ProblemFile there_and_back(const ProblemFile& file, ProblemFormat format) {
  return parse_problem(problem_bytes(file, format, "there"), "back");
}

Eigen::MatrixXd dense_matrix(const LocalProblem& p) {
  const int d = p.dimension;
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(p.unknown_count(), p.unknown_count());
  for (Index i = 0; i < p.block_count(); ++i) {
    for (Index k = p.block_begin[i]; k < p.block_begin[i + 1]; ++k) {
      for (int a = 0; a < d; ++a) {
        for (int b = 0; b < d; ++b) w(i * d + a, p.column[k] * d + b) = p.entry[(k * d + a) * d + b];
      }
    }
  }
  return w;
}

TEST(ProblemFile, EveryFormatReadsBackBitForBit) {
  for (const int dimension : {2, 3}) {
    const LocalProblem problem = chain_problem(dimension, 7);
    for (const ProblemFormat format : text_formats)
      expect_same(there_and_back(file_of(problem), format).problem, problem);
    expect_same(there_and_back(file_of(problem), ProblemFormat::fclib).problem, problem);
  }
}

TEST(ProblemFile, FclibKeepsRowsBoundsGuessesAndWords) {
  ProblemFile file = file_of(chain_problem(3, 4, 3));
  file.problem.lower[1] = 0.0;
  file.problem.upper[2] = 2.5;
  file.title = "chain";
  file.description = "four contacts";
  for (Index k = 0; k < file.problem.block_count(); ++k) {
    for (int a = 0; a < 3; ++a) {
      const bool used = k < 4 || a == 0;
      file.solution.push_back(used ? 0.1 * k + a : 0.0);
      file.guess.push_back(used ? 0.3 * k - a : 0.0);
    }
  }
  const ProblemFile back = there_and_back(file, ProblemFormat::fclib);
  expect_same(back.problem, file.problem);
  EXPECT_EQ(back.solution, file.solution);
  EXPECT_EQ(back.guess, file.guess);
  EXPECT_EQ(back.title, "chain");
  EXPECT_THAT(back.description, testing::HasSubstr("bounded by /fclib_local/grus"));
  EXPECT_TRUE(back.notes.empty());
  // written again, the sentence about the bounds is not doubled
  EXPECT_EQ(there_and_back(back, ProblemFormat::fclib).description, back.description);
}

TEST(ProblemFile, SameProblemMakesSameBytes) {
  const ProblemFile file = file_of(chain_problem(3, 5));
  EXPECT_EQ(problem_bytes(file, ProblemFormat::fclib, "a"), problem_bytes(file, ProblemFormat::fclib, "b"));
}

TEST(ProblemFile, SiconosTextRefusesRows) {
  for (const ProblemFormat format : text_formats)
    EXPECT_THROW(problem_bytes(file_of(chain_problem(3, 2, 1)), format, "x.dat"), InputError);
}

TEST(ProblemFile, TheContentDecidesNotTheName) {
  const test::TemporaryDirectory folder;
  const ProblemFile file = file_of(chain_problem(2, 3));
  write_problem_file(folder / "a.dat", file, ProblemFormat::fclib);
  write_problem_file(folder / "b.hdf5", file, ProblemFormat::siconos_blocks);
  EXPECT_EQ(read_problem_file(folder / "a.dat").form, "FCLIB, local form");
  EXPECT_EQ(read_problem_file(folder / "b.hdf5").form, "Siconos text, sparse blocks");
}

// One contact with W = [[2, 1], [0, 4]] in each way that text can say it.
TEST(ProblemFile, SiconosTextInAllItsForms) {
  const std::string head = "2\n1\n", tail = "\n-1 0.5\n0.25\n";
  const std::string forms[] = {
      "0 2 2  2 2  2 0 1 4", "1 2 2  1 1 1  2  2  2 1  0 1  0  0  2 0 1 4",
      "2 2 2  2\nCSparse Version 3\n2-by-2, nzmax: 9 nnz: 3, 1-norm: 5\n col 0 : locations 0 to 0\n 0 : 2\n col 1 : "
      "locations 1 to 2\n 0 : 1\n 1 : 4",
      "2 2 2  3\nCSparse Version 3\n2-by-2, nzmax: 9 nnz: 3, 1-norm: 5\n col 0 : locations 0 to 1\n 0 : 2\n 1 : 1\n "
      "col 1 : locations 2 to 2\n 1 : 4",
      // the entry at (1, 1) in two parts
      "2 2 2  1\nCSparse Version 3\ntriplet: 2-by-2, nzmax: 9 nnz: 4\n 0 0 : 2\n 1 1 : 3\n 0 1 : 1\n 1 1 : 1"};
  for (const std::string& form : forms) {
    for (const char* old : {"", "0\n", "1\n"}) {
      const LocalProblem p = parse_problem(head + form + tail + old, "x.dat").problem;
      EXPECT_EQ(p.entry, (std::vector<Real>{2, 1, 0, 4})) << form;
      EXPECT_EQ(p.q, (std::vector<Real>{-1, 0.5}));
      EXPECT_EQ(p.friction, (std::vector<Real>{0.25}));
    }
  }
}

// ---- FCLIB written by hand
// --------------------------------------------------------------------------------------------

void write_single(Hdf5Memory& file, const std::string& name, std::int32_t value) { file.write(name, &value, 1, 1); }
void write_numbers(Hdf5Memory& file, const std::string& name, const std::vector<double>& values) {
  file.write(name, values.data(), values.size(), 1);
}

void write_sparse(Hdf5Memory& file, const std::string& name, int m, int n, int nz, const std::vector<std::int32_t>& p,
                  const std::vector<std::int32_t>& i, const std::vector<double>& x) {
  file.make_group(name);
  write_single(file, name + "/m", m);
  write_single(file, name + "/n", n);
  write_single(file, name + "/nz", nz);
  file.write(name + "/p", p.data(), p.size(), 1);
  file.write(name + "/i", i.data(), i.size(), 1);
  write_numbers(file, name + "/x", x);
}

struct FclibFile {
  Hdf5Memory file;
  explicit FclibFile(const std::string& group) {
    file.make_group(group);
    file.make_group(group + "/vectors");
    write_single(file, group + "/spacedim", 2);
    write_numbers(file, group + "/vectors/mu", {0.25});
  }
  LocalProblem read() const { return parse_problem(file.image(), "x.hdf5").problem; }
};

TEST(ProblemFile, FclibMatricesInAllTheirForms) {
  struct Form {
    int nz;
    std::vector<std::int32_t> p, i;
    std::vector<double> x;
  };
  const Form forms[] = {{-1, {0, 1, 3}, {0, 0, 1}, {2, 1, 4}},
                        {-2, {0, 2, 3}, {0, 1, 1}, {2, 1, 4}},
                        {4, {0, 1, 1, 1}, {0, 0, 1, 1}, {2, 1, 3, 1}}};
  for (const Form& form : forms) {
    FclibFile sample("/fclib_local");
    write_sparse(sample.file, "/fclib_local/W", 2, 2, form.nz, form.p, form.i, form.x);
    write_numbers(sample.file, "/fclib_local/vectors/q", {-1, 0.5});
    const LocalProblem p = sample.read();
    EXPECT_EQ(p.entry, (std::vector<Real>{2, 1, 0, 4})) << form.nz;
    EXPECT_EQ(p.q, (std::vector<Real>{-1, 0.5}));
  }
}

// As h5py and h5repack leave them: a scalar dimension, 64-bit integers, compressed arrays.
TEST(ProblemFile, FclibRepackedByOthers) {
  const test::TemporaryDirectory folder;
  const std::string path = folder / "x.hdf5";
  const LocalProblem problem = chain_problem(3, 50);
  write_problem_file(path, file_of(problem), ProblemFormat::fclib);
  {
    const Hdf5Handle<H5Fclose> file(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "open");
    const auto replace = [&](const char* name, hid_t type, hid_t space, hid_t creation, hid_t native,
                             const void* values) {
      ASSERT_GE(H5Ldelete(file, name, H5P_DEFAULT), 0);
      const Hdf5Handle<H5Dclose> set(H5Dcreate2(file, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT), "make");
      ASSERT_GE(H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    };
    const int dimension = 3;
    const Hdf5Handle<H5Sclose> scalar(H5Screate(H5S_SCALAR), "describe");
    replace("/fclib_local/spacedim", H5T_STD_I64LE, scalar, H5P_DEFAULT, H5T_NATIVE_INT, &dimension);
    const hsize_t count = problem.q.size(), chunk = 16;
    const Hdf5Handle<H5Sclose> line(H5Screate_simple(1, &count, nullptr), "describe");
    const Hdf5Handle<H5Pclose> packed(H5Pcreate(H5P_DATASET_CREATE), "describe");
    H5Pset_chunk(packed, 1, &chunk);
    H5Pset_deflate(packed, 9);
    replace("/fclib_local/vectors/q", H5T_IEEE_F64BE, line, packed, H5T_NATIVE_DOUBLE, problem.q.data());
  }
  expect_same(read_problem_file(path).problem, problem);
}

// Two bodies of three velocities, the first coupled inside, one contact between them, one bilateral row on the second;
// H as Siconos writes triplets (p columns) and as FCLIB's header has them (p rows).
TEST(ProblemFile, FclibGlobalFormIsReduced) {
  Eigen::MatrixXd mass = Eigen::MatrixXd::Zero(6, 6);
  mass.diagonal() << 2, 2, 3, 5, 5, 7;
  mass(0, 2) = mass(2, 0) = 0.5;
  Eigen::MatrixXd h = Eigen::MatrixXd::Zero(6, 3);
  h.col(0) << 1, 0, 0.2, -1, 0, 0.3;
  h.col(1) << 0, 1, -0.4, 0, -1, 0.1;
  h.col(2) << 0, 0, 0, 1, 2, 0;  // G
  Eigen::VectorXd f(6), w(3);
  f << 1, -2, 3, 0.5, 0, -1;
  w << 0.1, 0.2, -0.3;
  const Eigen::MatrixXd expected = h.transpose() * mass.inverse() * h;
  const Eigen::VectorXd q = h.transpose() * mass.inverse() * f + w;

  for (const bool rows_in_p : {false, true}) {
    FclibFile sample("/fclib_global");
    const auto write = [&](const std::string& name, const Eigen::MatrixXd& matrix) {
      std::vector<std::int32_t> p, i;
      std::vector<double> x;
      for (int row = 0; row < matrix.rows(); ++row) {
        for (int column = 0; column < matrix.cols(); ++column) {
          if (matrix(row, column) == 0.0) continue;
          p.push_back(rows_in_p ? row : column);
          i.push_back(rows_in_p ? column : row);
          x.push_back(matrix(row, column));
        }
      }
      write_sparse(sample.file, "/fclib_global/" + name, static_cast<int>(matrix.rows()),
                   static_cast<int>(matrix.cols()), static_cast<int>(x.size()), p, i, x);
    };
    write("M", mass);
    write("H", h.leftCols(2));
    write("G", h.rightCols(1));
    write_numbers(sample.file, "/fclib_global/vectors/f", {f.data(), f.data() + 6});
    write_numbers(sample.file, "/fclib_global/vectors/w", {w[0], w[1]});
    write_numbers(sample.file, "/fclib_global/vectors/b", {w[2]});
    const LocalProblem p = sample.read();
    ASSERT_EQ(p.row_count, 1);
    EXPECT_EQ(p.lower[0], -std::numeric_limits<Real>::infinity());
    // the row's second place is empty
    const Eigen::MatrixXd found = dense_matrix(p);
    constexpr Real rounding = 1e-14;
    EXPECT_LT((found.topLeftCorner(3, 3) - expected).norm(), rounding);
    EXPECT_EQ(found.row(3).norm() + found.col(3).norm(), 0.0);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(p.q[static_cast<std::size_t>(k)], q[k], rounding);
    EXPECT_EQ(p.q[3], 0.0);
  }
}

// A group of velocities that is too large for a dense factor: a chain of masses and springs.
TEST(ProblemFile, FclibGlobalFormWithALargePart) {
  constexpr int n = 500;
  FclibFile sample("/fclib_global");
  std::vector<std::int32_t> p{0}, i;
  std::vector<double> x;
  for (int k = 0; k < n; ++k) {
    for (int row = std::max(0, k - 1); row <= std::min(n - 1, k + 1); ++row) {
      i.push_back(row);
      x.push_back(row == k ? 2.0 : -1.0);
    }
    p.push_back(static_cast<std::int32_t>(i.size()));
  }
  write_sparse(sample.file, "/fclib_global/M", n, n, -1, p, i, x);
  write_sparse(sample.file, "/fclib_global/H", n, 2, -1, {0, 1, 2}, {0, n - 1}, {1.0, 1.0});
  write_numbers(sample.file, "/fclib_global/vectors/f", std::vector<double>(n, 0.0));
  write_numbers(sample.file, "/fclib_global/vectors/w", {0.0, 0.0});
  const LocalProblem problem = sample.read();
  // the inverse of this matrix: min(i, j) (n + 1 - max(i, j)) / (n + 1), from 1
  constexpr Real near = static_cast<Real>(n) / (n + 1), far = 1.0 / (n + 1);
  const Real expected[] = {near, far, far, near};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(problem.entry[k], expected[k], 1e-10);
}

// ---- The real problems
// ------------------------------------------------------------------------------------------------

TEST(ProblemFile, AllRealProblemsReadAndReadBack) {
  const std::map<std::string, Index> contacts{{"KaplasTower-i1061-4.hdf5.dat", 570},
                                              {"Spheres-i099-356-679.hdf5", 356},
                                              {"LMGC_100_PR_PerioBox-i00361-60-03000.hdf5", 60},
                                              {"NESpheres_30_1.dat", 44},
                                              {"fc2d_granularflowonwall_02020_00213.dat", 2020},
                                              {"FrictionContactProblem00237.dat", 376}};
  for (const std::string& path : test::shared_problems()) {
    const ProblemFile file = read_problem_file(path);
    const std::string name = std::filesystem::path(path).filename().string();
    if (const auto known = contacts.find(name); known != contacts.end()) {
      EXPECT_EQ(file.problem.contact_count, known->second) << name;
    }
    EXPECT_TRUE(file.notes.empty()) << name;
    for (const Real mu : file.problem.friction) EXPECT_TRUE(mu > 0.0 && mu < 1.0) << name;
    expect_same(there_and_back(file, ProblemFormat::fclib).problem, file.problem);
    const ProblemFormat text =
        file.problem.contact_count > 300 ? ProblemFormat::siconos_sparse : ProblemFormat::siconos_dense;
    expect_same(there_and_back(file, text).problem, file.problem);
  }
}

// The same problem of three free contacts in two files.
TEST(ProblemFile, RealProblemInTwoForms) {
  std::vector<LocalProblem> found;
  for (const std::string& path : test::shared_problems()) {
    if (path.find("FC3D_Example1") != std::string::npos) found.push_back(read_problem_file(path).problem);
  }
  for (std::size_t k = 1; k < found.size(); ++k) expect_same(found[k], found[0]);
}

}  // namespace
}  // namespace grus::problem_file_test
