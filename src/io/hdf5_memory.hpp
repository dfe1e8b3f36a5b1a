// A little of HDF5: a file in memory, named arrays in it. Handles close themselves, errors are exceptions, nothing is
// printed. Internal to .cpp files: it includes the library's header.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <hdf5.h>

namespace grus {

class Hdf5Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Closes its id with `Close`.
template <herr_t (*Close)(hid_t)>
class Hdf5Handle {
 public:
  // Throws Hdf5Error naming what was tried when the library gave no id.
  Hdf5Handle(hid_t id, const std::string& what) : id_(id) {
    if (id < 0) throw Hdf5Error("cannot " + what);
  }
  ~Hdf5Handle() { Close(id_); }
  Hdf5Handle(const Hdf5Handle&) = delete;
  Hdf5Handle& operator=(const Hdf5Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
};

// Keeps the library from printing its error stack while it lives.
class Hdf5Silence {
 public:
  Hdf5Silence();
  ~Hdf5Silence();
  Hdf5Silence(const Hdf5Silence&) = delete;
  Hdf5Silence& operator=(const Hdf5Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// An array as a file announces it.
struct Hdf5Array {
  enum class Kind { whole, real, string, other };
  Kind kind = Kind::other;
  int rank = 0;
  std::uint64_t count = 0;         // elements
  std::uint64_t element_size = 0;  // bytes
  std::uint64_t stored_bytes = 0;  // in the file; less than count * element_size when packed, 0 when never written
  std::uint64_t columns = 1;       // of an array of two dimensions
  bool is_signed = false;          // whole numbers
  bool packed = false;             // in chunks, which may be compressed
};

class Hdf5Memory {
 public:
  Hdf5Memory();  // an empty file to write
  // A file to read. Refused when anything in it leads out of these bytes: links to other files or names, arrays whose
  // values lie in other files, filters that HDF5 would load as a plugin; or when it has too many objects. Throws
  // Hdf5Error.
  explicit Hdf5Memory(const std::string& image);

  void make_group(const std::string& name);
  // rows x columns values; columns = 1 makes a one-dimensional array.
  void write(const std::string& name, const double* values, std::size_t rows, std::size_t columns);
  void write(const std::string& name, const std::int64_t* values, std::size_t rows, std::size_t columns);
  void write(const std::string& name, const std::uint64_t* values, std::size_t rows, std::size_t columns);
  void write(const std::string& name, const std::uint32_t* values, std::size_t rows, std::size_t columns);
  void write(const std::string& name, const std::int32_t* values, std::size_t rows, std::size_t columns);
  void write_text(const std::string& name, const std::string& text);
  // One string as HDF5 has them; write_text makes an array of bytes, which may hold zeros.
  void write_string(const std::string& name, const std::string& text);

  // What a file of unknown origin has under a name, before any memory is asked for.
  bool has(const std::string& name) const;
  Hdf5Array describe(const std::string& name) const;

  // All values, row by row. Throw Hdf5Error when the array is absent or has another number of columns.
  std::vector<double> read_real(const std::string& name, std::size_t columns) const;
  std::vector<std::int64_t> read_int(const std::string& name, std::size_t columns) const;
  std::vector<std::uint64_t> read_unsigned(const std::string& name, std::size_t columns) const;
  std::vector<std::uint32_t> read_index(const std::string& name, std::size_t columns) const;
  std::string read_text(const std::string& name) const;
  // A string of fixed length as HDF5 has them, up to its first zero.
  std::string read_string(const std::string& name) const;
  // Paths of all arrays, beginning with '/'.
  const std::vector<std::string>& arrays() const { return arrays_; }

  // The bytes of the file.
  std::string image() const;

 private:
  void write_array(const std::string& name, const void* values, std::size_t rows, std::size_t columns, hid_t stored,
                   hid_t native);
  template <class T>
  std::vector<T> read_array(const std::string& name, std::size_t columns, hid_t native) const;

  // HDF5 need not be built for threads, and simulations save their states in several.
  static std::recursive_mutex& in_use();

  std::lock_guard<std::recursive_mutex> alone_{in_use()};
  Hdf5Silence silence_;
  Hdf5Handle<H5Fclose> file_;
  std::vector<std::string> arrays_;  // of a file to read
};

}  // namespace grus
