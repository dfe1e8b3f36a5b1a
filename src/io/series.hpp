// series.csv: one header line of column names, then one row of numbers per output time. The only file of a run that
// grows in place; a resumed run cuts it back to the length its checkpoint remembers.
// Numbers are the shortest decimal text that reads back to the same double (nan, inf and -inf included).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/types.hpp"
#include "io/file_descriptor.hpp"

namespace grus {

class SeriesWriter {
 public:
  // Starts a new file. Throws InputError for column names that a header line cannot carry, IoError otherwise.
  SeriesWriter(const std::string& path, const std::vector<std::string>& columns);

  // Goes on with an existing file, cut back to `offset` bytes. Throws InputError when the file is shorter, has other
  // columns or no line ends there.
  static SeriesWriter resume(std::string path, const std::vector<std::string>& columns, std::int64_t offset);

  // One number per column. Throws IoError when the file was deleted, replaced or cut since the last write. Reaches the
  // file within half a second of rows, so that a viewer can follow.
  void append(std::span<const Real> row);

  // Everything appended is on the disk when this returns.
  void flush();

  // Length of the file that the last flush() made safe: what a checkpoint remembers.
  std::int64_t offset() const { return safe_; }

 private:
  SeriesWriter(std::string path, FileDescriptor file, std::size_t columns, std::int64_t offset);
  void write_out();
  void check_in_place() const;

  std::string path_;
  FileDescriptor file_;
  std::size_t columns_ = 0;
  std::int64_t written_ = 0;
  std::int64_t safe_ = 0;
  std::string buffer_;
  std::chrono::steady_clock::time_point last_write_;
};

struct Series {
  std::vector<std::string> columns;
  std::vector<std::vector<Real>> values;  // [column][row]

  std::size_t rows() const { return values.empty() ? 0 : values.front().size(); }
  // Position of a column by name.
  std::optional<std::size_t> find(const std::string& column) const;
};

// An unfinished last line (a run that is still going, or was killed) is left out. Throws InputError with the line of
// every fault, IoError when the file cannot be read.
Series read_series(const std::string& path);
// The same for a text; `path` is for messages.
Series parse_series(std::string_view text, const std::string& path);

}  // namespace grus
