#include "io/series.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "core/error.hpp"
#include "io/file_fault.hpp"
#include "io/foreign_file.hpp"
#include "io/reader_limits.hpp"

namespace grus {
namespace {

constexpr std::size_t buffer_limit = 1 << 16;
constexpr std::chrono::milliseconds write_interval{500};
constexpr std::size_t fault_limit = 20;

std::string header_line(const std::string& path, const std::vector<std::string>& columns) {
  std::string line;
  std::set<std::string> seen;
  for (const std::string& name : columns) {
    if (name.empty() || name.find_first_of(",\"\r\n") != std::string::npos) {
      throw file_fault(path, fmt::format("column name '{}' is empty or holds a comma, a quote or a line end", name));
    }
    if (!seen.insert(name).second) throw file_fault(path, fmt::format("two columns are named '{}'", name));
    if (!line.empty()) line += ',';
    line += name;
  }
  if (columns.empty()) throw file_fault(path, "a series needs at least one column");
  return line + '\n';
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(line.substr(0, comma));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

// Appends one row to `series`; the returned text is what is wrong with the line, empty when nothing is.
std::string read_row(std::string_view line, Series& series) {
  const std::vector<std::string_view> cells = split(line);
  if (cells.size() != series.columns.size()) {
    return fmt::format("{} numbers were found, one for each of the {} columns was expected", cells.size(),
                       series.columns.size());
  }
  std::vector<Real> row;
  row.reserve(cells.size());
  for (const std::string_view cell : cells) {
    Real value = 0.0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size()) {
      return fmt::format("'{}' was found, a number was expected", cell.substr(0, 40));
    }
    row.push_back(value);
  }
  for (std::size_t c = 0; c < row.size(); ++c) series.values[c].push_back(row[c]);
  return {};
}

}  // namespace

SeriesWriter::SeriesWriter(std::string path, FileDescriptor file, std::size_t columns, std::int64_t offset)
    : path_(std::move(path)),
      file_(std::move(file)),
      columns_(columns),
      written_(offset),
      safe_(offset),
      last_write_(std::chrono::steady_clock::now()) {}

SeriesWriter::SeriesWriter(const std::string& path, const std::vector<std::string>& columns) {
  const std::string header = header_line(path, columns);
  *this = SeriesWriter(path, FileDescriptor(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW), columns.size(), 0);
  buffer_ = header;
  flush();
}

SeriesWriter SeriesWriter::resume(std::string path, const std::vector<std::string>& columns, std::int64_t offset) {
  const std::string header = header_line(path, columns);
  FileDescriptor file(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail_io("read", path);
  if (!S_ISREG(status.st_mode)) throw file_fault(path, "is no file of its own; start the run anew");
  if (status.st_size < offset) {
    throw file_fault(path, fmt::format("holds {} bytes, but the checkpoint was made when it held {}; it was changed "
                                       "after the run stopped, start the run anew",
                                       status.st_size, offset));
  }
  std::string found(header.size(), '\0');
  const ssize_t got = ::pread(file.get(), found.data(), found.size(), 0);
  if (got != static_cast<ssize_t>(header.size()) || found != header) {
    throw file_fault(path, "its columns are not those of this scene; start the run anew");
  }
  char last = '\0';
  if (offset < static_cast<std::int64_t>(header.size()) || ::pread(file.get(), &last, 1, offset - 1) != 1 ||
      last != '\n') {
    throw file_fault(path, fmt::format("no row ends at byte {}, where the checkpoint was made; it was changed after "
                                       "the run stopped, start the run anew",
                                       offset));
  }
  if (::ftruncate(file.get(), offset) != 0) fail_io("shorten", path);
  if (::lseek(file.get(), offset, SEEK_SET) < 0) fail_io("write", path);
  return SeriesWriter(std::move(path), std::move(file), columns.size(), offset);
}

void SeriesWriter::append(std::span<const Real> row) {
  GRUS_ASSERT(row.size() == columns_);
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (c != 0) buffer_ += ',';
    fmt::format_to(std::back_inserter(buffer_), "{}", row[c]);
  }
  buffer_ += '\n';
  if (buffer_.size() >= buffer_limit || std::chrono::steady_clock::now() - last_write_ >= write_interval) write_out();
}

void SeriesWriter::flush() {
  write_out();
  sync_to_disk(file_, path_);
  safe_ = written_;
}

// A file without a name would take all further rows with it, and rows behind a cut would follow a hole.
void SeriesWriter::check_in_place() const {
  struct stat mine {
  }, named{};
  if (::fstat(file_.get(), &mine) != 0) fail_io("read", path_);
  if (::lstat(path_.c_str(), &named) != 0 || named.st_ino != mine.st_ino || named.st_dev != mine.st_dev)
    throw IoError(path_ + " was deleted or replaced while the run was writing to it; start the run anew");
  if (mine.st_size != written_)
    throw IoError(
        fmt::format("{} was changed while the run was writing to it: it holds {} bytes, {} were written; start "
                    "the run anew",
                    path_, mine.st_size, written_));
}

void SeriesWriter::write_out() {
  check_in_place();
  write_all(file_, buffer_, path_);
  written_ += static_cast<std::int64_t>(buffer_.size());
  buffer_.clear();
  last_write_ = std::chrono::steady_clock::now();
}

std::optional<std::size_t> Series::find(const std::string& column) const {
  const auto it = std::find(columns.begin(), columns.end(), column);
  if (it == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(it - columns.begin());
}

Series read_series(const std::string& path) { return parse_series(read_foreign_file(path, most_series_bytes), path); }

Series parse_series(std::string_view rest, const std::string& path) {
  const auto next_line = [&rest]() -> std::optional<std::string_view> {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    return line;
  };

  Series series;
  const auto header = next_line();
  if (!header || header->empty()) throw file_fault(path, "a header line of column names was expected");
  const auto columns = static_cast<std::size_t>(std::count(header->begin(), header->end(), ',')) + 1;
  if (columns > most_series_columns)
    throw file_fault(path, fmt::format("found {} columns, at most {} are read", columns, most_series_columns));
  const std::size_t most_rows = most_series_values / columns;
  for (const std::string_view name : split(*header)) series.columns.emplace_back(name);
  series.values.resize(series.columns.size());

  std::vector<Fault> faults;
  int number = 1;
  while (const auto line = next_line()) {
    ++number;
    std::string message = read_row(*line, series);
    if (!message.empty()) faults.push_back({{path, number, 1}, std::move(message)});
    if (faults.size() == fault_limit) break;
    if (series.rows() > most_rows)
      throw file_fault(path, fmt::format("found more than {} numbers, at most so many are read", most_series_values));
  }
  if (!faults.empty()) throw InputError(std::move(faults));
  return series;
}

}  // namespace grus
