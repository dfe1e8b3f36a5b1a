#include "io/problem/siconos_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/problem/matrix_entries.hpp"
#include "io/text_words.hpp"

namespace grus {
namespace {

// A number and a blank: announced numbers that the rest of the file cannot hold are refused before memory is asked for.
constexpr std::size_t shortest_number = 2;

enum Storage : std::int64_t { dense_storage = 0, block_storage = 1, sparse_storage = 2 };
enum SparseOrigin : std::int64_t { of_triplets = 1, by_column = 2, by_row = 3 };

class SiconosReader {
 public:
  SiconosReader(std::string_view text, const std::string& path) : words_(text), path_(path) {}

  ProblemFile read() {
    const auto dimension = static_cast<int>(whole("the dimension, 2 or 3", 2, 3));
    const std::int64_t contacts = count("the number of contacts", 1, 1);
    const Index unknowns = static_cast<Index>(contacts) * dimension;
    const std::int64_t storage =
        whole("the storage of the matrix: 0 dense, 1 sparse blocks, 2 sparse", dense_storage, sparse_storage);
    exactly(unknowns, "rows, the dimension times the contacts");
    exactly(unknowns, "columns, the dimension times the contacts");
    entries_.rows = entries_.columns = unknowns;
    ProblemFile file;
    if (storage == dense_storage) {
      file.form = "Siconos text, dense";
      read_dense();
    } else if (storage == block_storage) {
      file.form = "Siconos text, sparse blocks";
      read_blocks();
    } else {
      file.form = "Siconos text, sparse";
      read_sparse();
    }
    LocalProblem& problem = file.problem;
    const std::string fault = set_local_matrix(dimension, static_cast<Index>(contacts), 0, entries_, problem);
    if (!fault.empty()) fail(fault);
    for (Index k = 0; k < unknowns; ++k) problem.q.push_back(real("a number of the vector q"));
    for (std::int64_t c = 0; c < contacts; ++c) problem.friction.push_back(friction());
    read_tail();
    return file;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({Fault{SourceMark{path_, words_.line(), words_.column()}, message}});
  }

  // A whole number within [low, high]; `expected` says what it is.
  std::int64_t whole_of(std::string_view word, const std::string& expected, std::int64_t low, std::int64_t high) {
    std::int64_t value = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || stop != word.data() + word.size() || error != std::errc() || value < low || value > high)
      fail(fmt::format("found {}, expected {}", found_word(word), expected));
    return value;
  }
  std::int64_t whole(const std::string& expected, std::int64_t low, std::int64_t high) {
    return whole_of(words_.next(), expected, low, high);
  }
  void exactly(std::int64_t value, const std::string& what) { whole(fmt::format("{} {}", value, what), value, value); }
  // A number of things of which each takes at least `numbers` numbers of the rest of the file.
  std::int64_t count_of(std::string_view word, const std::string& what, std::int64_t low, std::int64_t numbers) {
    const std::size_t room = (words_.bytes_left() / shortest_number + 1) / static_cast<std::size_t>(numbers);
    const auto most = static_cast<std::int64_t>(std::min(room, most_blocks));
    return whole_of(word, fmt::format("{}, from {} to {}: the file is too short for more", what, low, most), low, most);
  }
  std::int64_t count(const std::string& what, std::int64_t low, std::int64_t numbers) {
    return count_of(words_.next(), what, low, numbers);
  }
  Real real(const char* expected) {
    const std::string_view word = words_.next();
    std::string_view digits = word;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    Real value = 0.0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || stop != digits.data() + digits.size() || error != std::errc() || !std::isfinite(value))
      fail(fmt::format("found {}, expected {}", found_word(word), expected));
    return value;
  }
  Real friction() {
    const Real mu = real("a coefficient of friction");
    if (mu < 0.0) fail(fmt::format("found the coefficient of friction {:g}, expected 0 or more", mu));
    return mu;
  }
  void word(std::string_view expected) {
    const std::string_view found = words_.next();
    if (found != expected) fail(fmt::format("found {}, expected '{}'", found_word(found), expected));
  }

  void read_dense() {
    exactly(entries_.rows, "rows of the dense matrix");
    exactly(entries_.columns, "columns of the dense matrix");
    for (Index j = 0; j < entries_.columns; ++j) {
      for (Index i = 0; i < entries_.rows; ++i) entries_.add(i, j, real("an entry of the dense matrix"));
    }
  }

  // Ends of blocks, rising to `end`.
  std::vector<Index> block_ends(std::int64_t blocks, Index end) {
    std::vector<Index> ends{0};
    for (std::int64_t k = 0; k < blocks; ++k) {
      const Index low = ends.back() + 1, high = k + 1 == blocks ? end : end - 1;
      ends.push_back(static_cast<Index>(
          whole(fmt::format("the end of block {} of {}, rising from {} to {}", k + 1, blocks, low, end), low, high)));
    }
    if (ends.back() != end) fail(fmt::format("found blocks that end at {}, expected {}", ends.back(), end));
    return ends;
  }

  void read_blocks() {
    const std::int64_t blocks = count("the number of blocks", 0, 2);
    const std::int64_t block_rows = count("the number of block rows", 1, 1);
    const std::int64_t block_columns = count("the number of block columns", 1, 1);
    const std::vector<Index> row_end = block_ends(block_rows, entries_.rows);
    const std::vector<Index> column_end = block_ends(block_columns, entries_.columns);
    // The first list may stop behind the last row that has blocks.
    const std::int64_t begins = whole("the length of the list of first blocks", 1, block_rows + 1);
    exactly(blocks, "block columns, one per block");
    std::vector<std::int64_t> first{whole("0, the first block", 0, 0)};
    for (std::int64_t i = 1; i < begins; ++i)
      first.push_back(whole(fmt::format("a first block from {} to {}", first.back(), blocks), first.back(), blocks));
    if (first.back() != blocks) fail(fmt::format("found {} blocks in the rows, expected {}", first.back(), blocks));
    std::vector<std::int64_t> block_column;
    for (std::int64_t k = 0; k < blocks; ++k)
      block_column.push_back(whole(fmt::format("a block column below {}", block_columns), 0, block_columns - 1));
    for (std::size_t row = 0; row + 1 < first.size(); ++row) {
      for (std::int64_t k = first[row]; k < first[row + 1]; ++k) {
        exactly(k, "as the number of the block");
        const auto column = static_cast<std::size_t>(block_column[static_cast<std::size_t>(k)]);
        for (Index j = column_end[column]; j < column_end[column + 1]; ++j) {
          for (Index i = row_end[row]; i < row_end[row + 1]; ++i) entries_.add(i, j, real("an entry of a block"));
        }
      }
    }
  }

  // "1334-by-1334,"
  void sparse_sizes(std::string_view found) {
    const std::string expected = fmt::format("{}-by-{},", entries_.rows, entries_.columns);
    if (found != expected) fail(fmt::format("found {}, expected '{}'", found_word(found), expected));
  }
  // "3822" or "3822,"
  std::int64_t sparse_count(std::int64_t numbers) {
    std::string_view found = words_.next();
    if (found.ends_with(',')) found.remove_suffix(1);
    return count_of(found, "the number of entries", 0, numbers);
  }

  void read_sparse() {
    const std::int64_t origin = whole("1 triplets, 2 by column or 3 by row", of_triplets, by_row);
    std::string_view found = words_.next();
    if (found.starts_with("CSparse")) {
      words_.rest();
      found = words_.next();
    }
    if (origin == of_triplets) {
      if (found != "triplet:") fail(fmt::format("found {}, expected 'triplet:'", found_word(found)));
      found = words_.next();
    }
    sparse_sizes(found);
    word("nzmax:");
    words_.next();  // room in the memory of the program that wrote it
    word("nnz:");
    const std::int64_t nonzeros = sparse_count(2);
    words_.rest();  // a norm
    if (origin == of_triplets)
      read_triplets(nonzeros);
    else
      read_compressed(nonzeros, origin == by_row);
  }

  Index sparse_index(Index size) {
    return static_cast<Index>(whole(fmt::format("an index from 0 to {}", size - 1), 0, size - 1));
  }
  void read_triplets(std::int64_t nonzeros) {
    for (std::int64_t k = 0; k < nonzeros; ++k) {
      const Index i = sparse_index(entries_.rows), j = sparse_index(entries_.columns);
      word(":");
      entries_.add(i, j, real("an entry of the sparse matrix"));
    }
  }
  // A matrix by row is printed as if it were its transpose by column.
  void read_compressed(std::int64_t nonzeros, bool rows) {
    std::int64_t at = 0;
    for (Index j = 0; j < entries_.columns; ++j) {
      word("col");
      exactly(j, "as the number of the column");
      word(":");
      word("locations");
      exactly(at, "as the first location of the column");
      word("to");
      const std::int64_t last = whole(
          fmt::format("the last location of the column, from {} to {}", at - 1, nonzeros - 1), at - 1, nonzeros - 1);
      for (; at <= last; ++at) {
        const Index i = sparse_index(entries_.rows);
        word(":");
        const Real x = real("an entry of the sparse matrix");
        rows ? entries_.add(j, i, x) : entries_.add(i, j, x);
      }
    }
    if (at != nonzeros) fail(fmt::format("found {} entries in the columns, expected {}", at, nonzeros));
  }

  void read_tail() {
    if (words_.at_end()) return;
    real("the end of the file, or the one number that ends old files");
    if (!words_.at_end()) fail(fmt::format("found {}, expected the end of the file", found_word(words_.next())));
  }

  TextWords words_;
  const std::string& path_;
  MatrixEntries entries_;
};

// One number per word; a line per vector, column or block, as Siconos does.
class SiconosWriter {
 public:
  explicit SiconosWriter(const LocalProblem& problem) : problem_(problem) {}

  std::string write(ProblemFormat format) {
    const Index size = file_unknowns(problem_);
    line("{}\n{}\n{}\n{}\n{}\n", problem_.dimension, problem_.contact_count,
         format == ProblemFormat::siconos_dense    ? dense_storage
         : format == ProblemFormat::siconos_blocks ? block_storage
                                                   : sparse_storage,
         size, size);
    if (format == ProblemFormat::siconos_dense)
      write_dense(size);
    else if (format == ProblemFormat::siconos_blocks)
      write_blocks();
    else
      write_sparse();
    list(problem_.q);
    list(problem_.friction);
    return std::move(text_);
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }
  template <class Numbers>
  void list(const Numbers& numbers) {
    line("{}\n", fmt::join(numbers, " "));
  }

  void write_dense(Index size) {
    const MatrixEntries entries = matrix_of(problem_);
    line("{}\t{}\n", size, size);
    std::size_t e = 0;
    std::vector<Real> column(static_cast<std::size_t>(size));
    for (Index j = 0; j < size; ++j) {
      std::fill(column.begin(), column.end(), 0.0);
      for (; e < entries.count() && entries.column[e] == j; ++e)
        column[static_cast<std::size_t>(entries.row[e])] = entries.value[e];
      list(column);
    }
  }

  void write_blocks() {
    const std::size_t blocks = problem_.column.size(), d = static_cast<std::size_t>(problem_.dimension);
    line("{}\n{}\n{}\n", blocks, problem_.contact_count, problem_.contact_count);
    std::vector<Index> ends;
    for (Index c = 1; c <= problem_.contact_count; ++c) ends.push_back(c * problem_.dimension);
    list(ends);
    list(ends);
    line("{}\n{}\n", problem_.block_begin.size(), blocks);
    list(problem_.block_begin);
    list(problem_.column);
    for (std::size_t k = 0; k < blocks; ++k) {
      line("{}\n", k);
      for (std::size_t j = 0; j < d; ++j) {
        for (std::size_t i = 0; i < d; ++i) line("{}\n", problem_.entry[(k * d + i) * d + j]);
      }
    }
  }

  void write_sparse() {
    const MatrixEntries entries = matrix_of(problem_);
    std::vector<Real> column_sum(static_cast<std::size_t>(entries.columns), 0.0);
    std::vector<std::size_t> begin(column_sum.size() + 1, 0);
    for (std::size_t e = 0; e < entries.count(); ++e) {
      const auto j = static_cast<std::size_t>(entries.column[e]);
      column_sum[j] += std::abs(entries.value[e]);
      ++begin[j + 1];
    }
    line("{}\nCSparse's layout, written by Grus\n{}-by-{}, nzmax: {} nnz: {}, 1-norm: {:g}\n",
         static_cast<int>(by_column), entries.rows, entries.columns, entries.count(), entries.count(),
         *std::max_element(column_sum.begin(), column_sum.end()));
    for (std::size_t j = 0; j + 1 < begin.size(); ++j) {
      begin[j + 1] += begin[j];
      line("    col {} : locations {} to {}\n", j, begin[j], static_cast<std::int64_t>(begin[j + 1]) - 1);
      for (std::size_t e = begin[j]; e < begin[j + 1]; ++e) line("      {} : {}\n", entries.row[e], entries.value[e]);
    }
  }

  const LocalProblem& problem_;
  std::string text_;
};

}  // namespace

ProblemFile parse_siconos_text(std::string_view text, const std::string& path) {
  return SiconosReader(text, path).read();
}

std::string siconos_text(const LocalProblem& problem, ProblemFormat format) {
  return SiconosWriter(problem).write(format);
}

}  // namespace grus
