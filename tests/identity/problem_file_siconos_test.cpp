// Siconos reads the text files that we write, and we read those that it writes.
#include <gtest/gtest.h>

#include <FrictionContactProblem.h>
#include <NumericsMatrix.h>

#include "unit/io/problem_samples.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::problem_file_siconos_test {
namespace {

constexpr ProblemFormat formats[] = {ProblemFormat::siconos_dense, ProblemFormat::siconos_blocks,
                                     ProblemFormat::siconos_sparse};

// W column by column, by products with unit vectors: the same call for every storage.
std::vector<Real> columns_of(FrictionContactProblem& problem) {
  const auto size = static_cast<std::size_t>(problem.dimension * problem.numberOfContacts);
  std::vector<Real> all;
  for (std::size_t j = 0; j < size; ++j) {
    std::vector<Real> unit(size, 0.0), product(size, 0.0);
    unit[j] = 1.0;
    NM_gemv(1.0, problem.M, unit.data(), 0.0, product.data());
    all.insert(all.end(), product.begin(), product.end());
  }
  return all;
}

TEST(ProblemFileSiconos, ReadsOursAndWeReadItsOwn) {
  const test::TemporaryDirectory folder;
  for (const int dimension : {2, 3}) {
    const LocalProblem ours = test::chain_problem(dimension, 5);
    const auto d = static_cast<std::size_t>(dimension), size = 5 * d;
    std::vector<Real> expected(size * size, 0.0);
    for (std::size_t i = 0; i < 5; ++i) {
      for (auto k = static_cast<std::size_t>(ours.block_begin[i]);
           k < static_cast<std::size_t>(ours.block_begin[i + 1]); ++k) {
        for (std::size_t ab = 0; ab < d * d; ++ab)
          expected[(static_cast<std::size_t>(ours.column[k]) * d + ab % d) * size + i * d + ab / d] =
              ours.entry[k * d * d + ab];
      }
    }
    for (const ProblemFormat format : formats) {
      write_problem_file(folder / "ours.dat", test::file_of(ours), format);
      FrictionContactProblem* read = frictionContact_new_from_filename((folder / "ours.dat").c_str());
      ASSERT_NE(read, nullptr);
      ASSERT_EQ(read->dimension, dimension);
      ASSERT_EQ(read->numberOfContacts, 5);
      EXPECT_EQ(columns_of(*read), expected);
      EXPECT_EQ(std::vector<Real>(read->q, read->q + size), ours.q);
      EXPECT_EQ(std::vector<Real>(read->mu, read->mu + 5), ours.friction);

      std::string theirs = folder / "theirs.dat";
      frictionContact_printInFilename(read, theirs.data());
      const LocalProblem back = read_problem_file(theirs).problem;
      EXPECT_EQ(back.column, ours.column);
      EXPECT_EQ(back.q, ours.q);
      ASSERT_EQ(back.entry.size(), ours.entry.size());
      // it prints the entries of sparse matrices with six digits
      for (std::size_t k = 0; k < back.entry.size(); ++k)
        EXPECT_NEAR(back.entry[k], ours.entry[k], 1e-5 * std::abs(ours.entry[k]));
      frictionContactProblem_free(read);
    }
  }
}

}  // namespace
}  // namespace grus::problem_file_siconos_test
