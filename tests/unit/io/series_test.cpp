#include "io/series.hpp"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include <gmock/gmock.h>

#include "core/error.hpp"
#include "core/random.hpp"
#include "io/whole_file.hpp"
#include "unit/io/temporary_directory.hpp"

namespace grus::series_test {
namespace {

using testing::HasSubstr;

std::uint64_t bits(Real x) {
  std::uint64_t b = 0;
  std::memcpy(&b, &x, sizeof b);
  return b;
}

std::string fault_of(const auto& action) {
  try {
    action();
  } catch (const InputError& e) {
    return e.what();
  }
  return "no fault";
}

TEST(Series, NumbersReadBackBitForBit) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "series.csv";
  using Limits = std::numeric_limits<Real>;
  std::vector<Real> numbers = {0.0,
                               -0.0,
                               0.1,
                               1.0 / 3.0,
                               Limits::min(),
                               Limits::max(),
                               Limits::denorm_min(),
                               Limits::lowest(),
                               1e22,
                               123456789.0,
                               Limits::infinity(),
                               -Limits::infinity()};
  Random random(7);
  while (numbers.size() < 4000) {
    const std::uint64_t word = random.word();
    Real x = 0.0;
    std::memcpy(&x, &word, sizeof x);
    if (std::isfinite(x)) numbers.push_back(x);
  }
  SeriesWriter writer(path, {"t", "a.b"});
  for (std::size_t i = 0; i + 1 < numbers.size(); i += 2) writer.append(std::vector<Real>{numbers[i], numbers[i + 1]});
  writer.flush();

  const Series series = read_series(path);
  EXPECT_THAT(series.columns, testing::ElementsAre("t", "a.b"));
  ASSERT_EQ(series.rows(), numbers.size() / 2);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(bits(series.values[i % 2][i / 2]), bits(numbers[i])) << i;
  EXPECT_EQ(series.find("a.b"), 1u);
  EXPECT_EQ(series.find("absent"), std::nullopt);
}

TEST(Series, KeepsNotANumber) {
  const test::TemporaryDirectory directory;
  SeriesWriter writer(directory / "s", {"x"});
  writer.append(std::vector<Real>{std::nan("")});
  writer.flush();
  EXPECT_TRUE(std::isnan(read_series(directory / "s").values[0].at(0)));
}

TEST(Series, OffsetCountsOnlyWhatIsSafe) {
  const test::TemporaryDirectory directory;
  SeriesWriter writer(directory / "s", {"x"});
  EXPECT_EQ(writer.offset(), 2);  // "x\n"
  writer.append(std::vector<Real>{1.5});
  EXPECT_EQ(writer.offset(), 2);
  writer.flush();
  EXPECT_EQ(writer.offset(), 6);
  EXPECT_EQ(std::filesystem::file_size(directory / "s"), 6u);
}

TEST(Series, ResumeCutsBackAndGoesOn) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "series.csv", whole = directory / "whole.csv";
  const std::vector<std::string> columns = {"t", "x"};
  const auto row = [](int i) { return std::vector<Real>{0.1 * i, std::sin(i)}; };
  {
    SeriesWriter writer(whole, columns);
    for (int i = 0; i < 50; ++i) writer.append(row(i));
    writer.flush();
  }
  std::int64_t offset = 0;
  {
    SeriesWriter writer(path, columns);
    for (int i = 0; i < 20; ++i) writer.append(row(i));
    writer.flush();
    offset = writer.offset();
    for (int i = 20; i < 37; ++i) writer.append(row(i));
    writer.flush();
  }
  std::ofstream(path, std::ios::app) << "3.7,0.1";  // a row torn by the kill
  {
    SeriesWriter writer = SeriesWriter::resume(path, columns, offset);
    EXPECT_EQ(writer.offset(), offset);
    for (int i = 20; i < 50; ++i) writer.append(row(i));
    writer.flush();
  }
  EXPECT_EQ(read_whole_file(path), read_whole_file(whole));
}

TEST(Series, ResumeRefusesAFileThatIsNotTheCheckpoints) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "s";
  write_whole_file(path, "t,x\n1,2\n3,4\n");
  EXPECT_THAT(fault_of([&] { SeriesWriter::resume(path, {"t", "y"}, 8); }), HasSubstr("columns"));
  EXPECT_THAT(fault_of([&] { SeriesWriter::resume(path, {"t", "x"}, 100); }), HasSubstr("holds 12 bytes"));
  EXPECT_THAT(fault_of([&] { SeriesWriter::resume(path, {"t", "x"}, 7); }), HasSubstr("no row ends at byte 7"));
  EXPECT_THAT(fault_of([&] { SeriesWriter::resume(path, {"t", "x"}, 0); }), HasSubstr("no row ends at byte 0"));
  EXPECT_EQ(read_whole_file(path), "t,x\n1,2\n3,4\n") << "a refused file must stay as it was";
  EXPECT_THROW(SeriesWriter::resume(directory / "absent", {"t"}, 2), IoError);
}

TEST(Series, RefusesNamesThatAHeaderCannotCarry) {
  const test::TemporaryDirectory directory;
  for (const std::vector<std::string>& columns :
       {std::vector<std::string>{"a,b"}, {"a\nb"}, {""}, {"a", "a"}, {"\"a\""}, {}}) {
    EXPECT_THROW(SeriesWriter(directory / "s", columns), InputError);
  }
  EXPECT_FALSE(std::filesystem::exists(directory / "s"));
}

TEST(Series, ReadLeavesOutAnUnfinishedRow) {
  const test::TemporaryDirectory directory;
  write_whole_file(directory / "s", "t,x\n1,2\n3,4");
  EXPECT_EQ(read_series(directory / "s").rows(), 1u);
}

TEST(Series, ReadReportsEveryFaultWithItsLine) {
  const test::TemporaryDirectory directory;
  write_whole_file(directory / "s", "t,x\n1,2\n1,b\n5\n1,2,3\n");
  try {
    read_series(directory / "s");
    ADD_FAILURE();
  } catch (const InputError& e) {
    ASSERT_EQ(e.faults().size(), 3u);
    EXPECT_EQ(e.faults()[0].where.line, 3);
    EXPECT_THAT(e.faults()[0].message, HasSubstr("'b'"));
    EXPECT_EQ(e.faults()[1].where.line, 4);
    EXPECT_EQ(e.faults()[2].where.line, 5);
  }
  write_whole_file(directory / "s", "");
  EXPECT_THAT(fault_of([&] { read_series(directory / "s"); }), HasSubstr("header"));
}

TEST(Series, DiskFullIsAnIoError) { EXPECT_THROW(SeriesWriter("/dev/full", {"t"}), IoError); }

}  // namespace
}  // namespace grus::series_test
