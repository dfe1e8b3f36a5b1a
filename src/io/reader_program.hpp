// HDF5 files are read by a program of their own, grus-reader, which gets the bytes of a file and answers with its
// arrays (guarded_call.hpp). It is not the program `grus` with a hidden command: a library has no say in the commands
// of its host. Nor does the host read by itself what carries our hash (hashed_file.hpp): a hash shows damage, not
// malice.
#pragma once

#include <string>

#include "io/guarded_call.hpp"

namespace grus {

// What the other program makes of an image.
enum class ReaderTask { own_arrays, fclib_arrays };  // pack_hdf5_arrays(), pack_fclib_arrays()

// Calls it: the one beside this program, or else the one that was built with this library. Throws IoError when there is
// none: without the guard nothing is read.
GuardedResult read_apart(ReaderTask task, const std::string& image);

// main() of grus-reader.
int reader_main(int argc, char** argv);

}  // namespace grus
