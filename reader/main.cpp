// The program grus-reader: reads HDF5 files in a process of its own.
#include "io/reader_program.hpp"

int main(int argc, char** argv) { return grus::reader_main(argc, argv); }
