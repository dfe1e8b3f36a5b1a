// How much of a file of unknown origin is read: one table, printed in docs/security.md, which a test compares with it.
// Beyond a limit a file is refused in words before memory is asked for. Each limit is far above what a good file needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace grus {

inline constexpr std::size_t mebibyte = std::size_t{1} << 20, gibibyte = std::size_t{1} << 30;

// Scenes: text written by hand or by a script. Aliases are counted as often as they are used.
inline constexpr std::size_t most_scene_bytes = 16 * mebibyte;
inline constexpr std::size_t most_scene_nodes = 1'000'000;
inline constexpr std::size_t most_scene_aliased = 100'000;
inline constexpr int deepest_scene = 64;
inline constexpr std::size_t most_scene_files = 64;
inline constexpr std::size_t deepest_include = 16;

// Meshes: larger files are scans that want thinning first.
inline constexpr std::size_t most_mesh_bytes = 256 * mebibyte;
inline constexpr std::int32_t most_mesh_triangles = 5'000'000;
inline constexpr std::int32_t most_mesh_vertices = 5'000'000;  // with different coordinates

// Robots: the largest in public collections have some hundred links. The tree of links is walked by recursion, and so
// is that of tags.
inline constexpr std::size_t most_urdf_bytes = 16 * mebibyte;
inline constexpr int deepest_urdf_tag = 32;
inline constexpr std::size_t most_urdf_tags = 100'000;
inline constexpr std::size_t most_urdf_links = 1000;  // every pair of them is excluded from contact by name

// Beds, checkpoints and FCLIB problems: HDF5. Arrays of beds and checkpoints lie unpacked; those of problems may be
// packed, and may then unpack to this much and the stated multiple of the file.
inline constexpr std::size_t most_hdf5_bytes = 4 * gibibyte;
inline constexpr std::size_t most_hdf5_objects = 10'000;
inline constexpr std::size_t most_unpacked_base = 128 * mebibyte;
inline constexpr std::size_t most_unpacked_factor = 8;
inline constexpr std::size_t most_problem_bytes = 4 * gibibyte;

// Run folders. JSON costs 16 bytes and more per value in memory: counted before it is parsed.
inline constexpr std::size_t most_json_bytes = 512 * mebibyte;
inline constexpr std::size_t most_json_memory = 640 * mebibyte;
inline constexpr int deepest_json = 32;
inline constexpr std::size_t most_frame_bytes = gibibyte;
inline constexpr std::size_t most_series_bytes = 2 * gibibyte;
inline constexpr std::size_t most_series_values = 100'000'000;
inline constexpr std::size_t most_series_columns = 100'000;
inline constexpr std::size_t most_study_runs = 10'000;

struct ReaderLimit {
  std::string_view file, what;
  std::uint64_t most;
};

inline constexpr std::array reader_limits = {
    ReaderLimit{"scene", "bytes of a file", most_scene_bytes},
    ReaderLimit{"scene", "values", most_scene_nodes},
    ReaderLimit{"scene", "values through aliases", most_scene_aliased},
    ReaderLimit{"scene", "depth of nesting", deepest_scene},
    ReaderLimit{"scene", "files with all includes", most_scene_files},
    ReaderLimit{"scene", "depth of includes", deepest_include},
    ReaderLimit{"mesh (STL, OBJ)", "bytes", most_mesh_bytes},
    ReaderLimit{"mesh (STL, OBJ)", "triangles", most_mesh_triangles},
    ReaderLimit{"mesh (STL, OBJ)", "vertices", most_mesh_vertices},
    ReaderLimit{"robot (URDF)", "bytes", most_urdf_bytes},
    ReaderLimit{"robot (URDF)", "depth of tags", deepest_urdf_tag},
    ReaderLimit{"robot (URDF)", "tags", most_urdf_tags},
    ReaderLimit{"robot (URDF)", "links", most_urdf_links},
    ReaderLimit{"bed, checkpoint (HDF5)", "bytes", most_hdf5_bytes},
    ReaderLimit{"HDF5", "groups and arrays", most_hdf5_objects},
    ReaderLimit{"problem (FCLIB, .dat)", "bytes", most_problem_bytes},
    ReaderLimit{"problem (FCLIB)", "unpacked bytes, besides 8 times the file", most_unpacked_base},
    ReaderLimit{"run folder, JSON", "bytes of a file", most_json_bytes},
    ReaderLimit{"run folder, JSON", "bytes in memory", most_json_memory},
    ReaderLimit{"run folder, JSON", "depth of nesting", deepest_json},
    ReaderLimit{"run folder, frames", "bytes of one frame", most_frame_bytes},
    ReaderLimit{"run folder, series.csv", "bytes", most_series_bytes},
    ReaderLimit{"run folder, series.csv", "numbers", most_series_values},
    ReaderLimit{"run folder, series.csv", "columns", most_series_columns},
    ReaderLimit{"study", "runs", most_study_runs},
};

}  // namespace grus
