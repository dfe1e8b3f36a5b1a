#include "io/hdf5_memory.hpp"

#include "io/reader_limits.hpp"

namespace grus {
namespace {

using Properties = Hdf5Handle<H5Pclose>;
using Space = Hdf5Handle<H5Sclose>;
using DataSet = Hdf5Handle<H5Dclose>;
using Group = Hdf5Handle<H5Gclose>;
using Type = Hdf5Handle<H5Tclose>;

constexpr std::size_t memory_step = 1 << 20;

void check(herr_t status, const std::string& what) {
  if (status < 0) throw Hdf5Error("cannot " + what);
}

hid_t create_in_memory() {
  const Properties access(H5Pcreate(H5P_FILE_ACCESS), "set up HDF5");
  check(H5Pset_fapl_core(access, memory_step, false), "set up HDF5");
  return H5Fcreate("checkpoint", H5F_ACC_TRUNC, H5P_DEFAULT, access);
}

hid_t open_in_memory(const std::string& image) {
  const Properties access(H5Pcreate(H5P_FILE_ACCESS), "set up HDF5");
  check(H5Pset_fapl_core(access, memory_step, false), "set up HDF5");
  // The library copies the image; its prototype only lacks the const.
  check(H5Pset_file_image(access, const_cast<char*>(image.data()), image.size()), "set up HDF5");
  return H5Fopen("checkpoint", H5F_ACC_RDONLY, access);
}

bool is_known_filter(H5Z_filter_t filter) {
  return filter == H5Z_FILTER_DEFLATE || filter == H5Z_FILTER_SHUFFLE || filter == H5Z_FILTER_FLETCHER32;
}

// What is wrong with where the values of an array lie; empty when they lie in the file.
std::string storage_fault(hid_t set) {
  const Properties creation(H5Dget_create_plist(set), "read the layout of an array");
  if (H5Pget_external_count(creation) != 0) return "its values lie in another file";
  if (H5Pget_layout(creation) == H5D_VIRTUAL) return "its values are those of other arrays";
  const int filters = H5Pget_nfilters(creation);
  for (int i = 0; i < filters; ++i) {
    std::size_t count = 0;
    unsigned flags = 0, config = 0;
    if (!is_known_filter(
            H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &count, nullptr, 0, nullptr, &config)))
      return "it is packed in a way that is not read";
  }
  return "";
}

struct ObjectWalk {
  std::size_t objects = 0;
  std::vector<std::string> arrays;
  std::string fault;
};

herr_t visit_link(hid_t group, const char* name, const H5L_info_t* link, void* data) {
  auto& walk = *static_cast<ObjectWalk*>(data);
  const std::string path = std::string("/") + name;
  if (++walk.objects > most_hdf5_objects) {
    walk.fault = "it has more than " + std::to_string(most_hdf5_objects) + " groups and arrays";
    return 1;
  }
  if (link->type != H5L_TYPE_HARD) {
    walk.fault = path + " is a link, which is not followed";
    return 1;
  }
  const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
  if (object < 0) return -1;
  const bool is_array = H5Iget_type(object) == H5I_DATASET;
  try {
    if (is_array) walk.fault = storage_fault(object);
  } catch (const Hdf5Error& error) {
    walk.fault = error.what();
  }
  H5Oclose(object);
  if (!walk.fault.empty()) {
    walk.fault = path + ": " + walk.fault;
    return 1;
  }
  if (is_array) walk.arrays.push_back(path);
  return 0;
}

}  // namespace

Hdf5Silence::Hdf5Silence() {
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Silence::~Hdf5Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

std::recursive_mutex& Hdf5Memory::in_use() {
  static std::recursive_mutex mutex;
  return mutex;
}

Hdf5Memory::Hdf5Memory() : file_(create_in_memory(), "make an HDF5 file in memory") {}

Hdf5Memory::Hdf5Memory(const std::string& image) : file_(open_in_memory(image), "open it as HDF5") {
  ObjectWalk walk;
  const herr_t status = H5Lvisit(file_, H5_INDEX_NAME, H5_ITER_NATIVE, visit_link, &walk);
  if (!walk.fault.empty()) throw Hdf5Error(walk.fault);
  check(status, "list its contents");
  arrays_ = std::move(walk.arrays);
}

void Hdf5Memory::make_group(const std::string& name) {
  const Group group(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), "make group " + name);
}

void Hdf5Memory::write_array(const std::string& name, const void* values, std::size_t rows, std::size_t columns,
                             hid_t stored, hid_t native) {
  const hsize_t sizes[2] = {rows, columns};
  const Space space(H5Screate_simple(columns == 1 ? 1 : 2, sizes, nullptr), "describe " + name);
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE), "describe " + name);
  // The same state makes the same bytes: no time stamps.
  check(H5Pset_obj_track_times(creation, false), "describe " + name);
  const DataSet set(H5Dcreate2(file_, name.c_str(), stored, space, H5P_DEFAULT, creation, H5P_DEFAULT), "make " + name);
  if (rows != 0) check(H5Dwrite(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "write " + name);
}

void Hdf5Memory::write(const std::string& name, const double* values, std::size_t rows, std::size_t columns) {
  write_array(name, values, rows, columns, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE);
}
void Hdf5Memory::write(const std::string& name, const std::int64_t* values, std::size_t rows, std::size_t columns) {
  write_array(name, values, rows, columns, H5T_STD_I64LE, H5T_NATIVE_INT64);
}
void Hdf5Memory::write(const std::string& name, const std::uint64_t* values, std::size_t rows, std::size_t columns) {
  write_array(name, values, rows, columns, H5T_STD_U64LE, H5T_NATIVE_UINT64);
}
void Hdf5Memory::write(const std::string& name, const std::uint32_t* values, std::size_t rows, std::size_t columns) {
  write_array(name, values, rows, columns, H5T_STD_U32LE, H5T_NATIVE_UINT32);
}
void Hdf5Memory::write(const std::string& name, const std::int32_t* values, std::size_t rows, std::size_t columns) {
  write_array(name, values, rows, columns, H5T_STD_I32LE, H5T_NATIVE_INT32);
}
void Hdf5Memory::write_text(const std::string& name, const std::string& text) {
  write_array(name, text.data(), text.size(), 1, H5T_STD_U8LE, H5T_NATIVE_UINT8);
}

void Hdf5Memory::write_string(const std::string& name, const std::string& text) {
  const Type type(H5Tcopy(H5T_C_S1), "describe " + name);
  check(H5Tset_size(type, text.size() + 1), "describe " + name);
  const Space space(H5Screate(H5S_SCALAR), "describe " + name);
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE), "describe " + name);
  check(H5Pset_obj_track_times(creation, false), "describe " + name);
  const DataSet set(H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT), "make " + name);
  check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.c_str()), "write " + name);
}

bool Hdf5Memory::has(const std::string& name) const {
  // The library wants every group on the way to exist.
  for (std::size_t end = name.find('/', 1); end != std::string::npos; end = name.find('/', end + 1)) {
    if (H5Lexists(file_, name.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
  }
  return H5Lexists(file_, name.c_str(), H5P_DEFAULT) > 0;
}

Hdf5Array Hdf5Memory::describe(const std::string& name) const {
  const DataSet set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), "open " + name);
  const Space space(H5Dget_space(set), "read the size of " + name);
  const Type type(H5Dget_type(set), "read the type of " + name);
  const Properties creation(H5Dget_create_plist(set), "read the layout of " + name);
  Hdf5Array array;
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER) array.kind = Hdf5Array::Kind::whole;
  if (kind == H5T_FLOAT) array.kind = Hdf5Array::Kind::real;
  if (kind == H5T_STRING && H5Tis_variable_str(type) == 0) array.kind = Hdf5Array::Kind::string;
  array.rank = H5Sget_simple_extent_ndims(space);
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (array.rank < 0 || count < 0) throw Hdf5Error("cannot read the size of " + name);
  array.count = static_cast<std::uint64_t>(count);
  array.element_size = H5Tget_size(type);
  array.is_signed = kind == H5T_INTEGER && H5Tget_sign(type) != H5T_SGN_NONE;
  if (array.rank == 2) {
    hsize_t sizes[2] = {0, 0};
    H5Sget_simple_extent_dims(space, sizes, nullptr);
    array.columns = sizes[1];
  }
  array.stored_bytes = H5Dget_storage_size(set);
  array.packed = H5Pget_layout(creation) == H5D_CHUNKED;
  return array;
}

template <class T>
std::vector<T> Hdf5Memory::read_array(const std::string& name, std::size_t columns, hid_t native) const {
  const DataSet set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), "find " + name);
  const Space space(H5Dget_space(set), "read the size of " + name);
  const int rank = H5Sget_simple_extent_ndims(space);
  const bool is_single = rank == 0 && columns == 1 && H5Sget_simple_extent_npoints(space) == 1;
  if (!is_single && rank != (columns == 1 ? 1 : 2)) throw Hdf5Error("cannot read " + name + ": it has another shape");
  hsize_t sizes[2] = {1, 1};
  if (!is_single) H5Sget_simple_extent_dims(space, sizes, nullptr);
  if (columns != 1 && sizes[1] != columns) throw Hdf5Error("cannot read " + name + ": it has another shape");
  std::vector<T> values(sizes[0] * columns);
  if (!values.empty()) check(H5Dread(set, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read " + name);
  return values;
}

std::vector<double> Hdf5Memory::read_real(const std::string& name, std::size_t columns) const {
  return read_array<double>(name, columns, H5T_NATIVE_DOUBLE);
}
std::vector<std::int64_t> Hdf5Memory::read_int(const std::string& name, std::size_t columns) const {
  return read_array<std::int64_t>(name, columns, H5T_NATIVE_INT64);
}
std::vector<std::uint64_t> Hdf5Memory::read_unsigned(const std::string& name, std::size_t columns) const {
  return read_array<std::uint64_t>(name, columns, H5T_NATIVE_UINT64);
}
std::vector<std::uint32_t> Hdf5Memory::read_index(const std::string& name, std::size_t columns) const {
  return read_array<std::uint32_t>(name, columns, H5T_NATIVE_UINT32);
}
std::string Hdf5Memory::read_text(const std::string& name) const {
  const std::vector<char> letters = read_array<char>(name, 1, H5T_NATIVE_UINT8);
  return std::string(letters.begin(), letters.end());
}

std::string Hdf5Memory::read_string(const std::string& name) const {
  const DataSet set(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), "find " + name);
  const Type type(H5Dget_type(set), "read the type of " + name);
  std::string text(H5Tget_size(type) + 1, '\0');
  check(H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()), "read " + name);
  text.resize(text.find('\0'));
  return text;
}

std::string Hdf5Memory::image() const {
  check(H5Fflush(file_, H5F_SCOPE_LOCAL), "finish the HDF5 file");
  const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
  if (size < 0) throw Hdf5Error("cannot finish the HDF5 file");
  std::string bytes(static_cast<std::size_t>(size), '\0');
  if (H5Fget_file_image(file_, bytes.data(), bytes.size()) != size) throw Hdf5Error("cannot finish the HDF5 file");
  return bytes;
}

}  // namespace grus
