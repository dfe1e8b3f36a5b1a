// Writes a made-up run for the tests of the viewer: write_example_run DIR spatial|planar|stones GRAINS FRAMES
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "unit/io/example_run.hpp"

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: write_example_run DIR spatial|planar|stones GRAINS FRAMES\n", stderr);
    return 2;
  }
  grus::test::ExampleRun run;
  run.planar = std::string(argv[2]) == "planar";
  run.stones = std::string(argv[2]) == "stones";
  run.grains = std::atoi(argv[3]);
  run.frames = std::atoi(argv[4]);
  std::filesystem::create_directories(argv[1]);
  grus::test::write_example_run(argv[1], run);
  return 0;
}
