# Compiler settings, dependencies and the two functions every folder uses.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  # Paths below the source tree are hashed as relative ones: a second clone finds the objects of the first.
  # Sloppiness: without it ccache takes no file that uses a precompiled header (the tests').
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)

find_package(PkgConfig REQUIRED)
pkg_check_modules(muparser REQUIRED IMPORTED_TARGET muparser)
pkg_check_modules(hdf5 REQUIRED IMPORTED_TARGET hdf5)
pkg_check_modules(urdfdom REQUIRED IMPORTED_TARGET urdfdom)
pkg_check_modules(qhull REQUIRED IMPORTED_TARGET qhull_r)

# NDEBUG turns off the index checks of Eigen and the like. GRUS_ASSERT does not heed it.
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")
# -g1: line numbers in stack traces, at a fraction of the time and size of -g.
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
# -Og compiles in three quarters of the time of -O1.
set(CMAKE_CXX_FLAGS_SANITIZE "-Og -g1 -fno-omit-frame-pointer")

add_library(grus_flags INTERFACE)
target_compile_options(grus_flags INTERFACE
  $<$<BOOL:${GRUS_WARNINGS}>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-Werror>
  # g++ 12 at -O3 reports std::string temporaries (GCC bugs 105562, 105651); -Wuninitialized stays on, and the
  # sanitizer tier looks at what really happens.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-restrict>
  # Contraction into fused multiply-adds is left to the compiler inside one binary: results are
  # bitwise reproducible on one binary, which is the promise.
  $<$<BOOL:${GRUS_NATIVE}>:-march=native>)
target_compile_definitions(grus_flags INTERFACE
  EIGEN_MAX_ALIGN_BYTES=32 $<$<BOOL:${GRUS_VALIDATE}>:GRUS_VALIDATE;_GLIBCXX_ASSERTIONS>)
if(GRUS_SANITIZE)
  # A finding ends the program: one that is only printed would pass as a green test.
  target_compile_options(grus_flags INTERFACE -fsanitize=${GRUS_SANITIZE} -fno-sanitize-recover=all)
  if(GRUS_SANITIZE MATCHES undefined)
    # A check on every member access doubles the compile time; a null pointer ends the program anyway.
    target_compile_options(grus_flags INTERFACE -fno-sanitize=null,alignment,vptr,object-size)
  endif()
  target_link_options(grus_flags INTERFACE -fsanitize=${GRUS_SANITIZE})
endif()
if(GRUS_FUZZ)
  # Coverage feedback in every library; only the fuzz programs themselves link libFuzzer's main().
  target_compile_options(grus_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# Third-party headers are system headers: our warnings are for our code.
target_include_directories(grus_flags SYSTEM INTERFACE
  $<TARGET_PROPERTY:Eigen3::Eigen,INTERFACE_INCLUDE_DIRECTORIES>)
target_include_directories(grus_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)

# One library per folder of src/: all .cpp below it. DEPS are the arrows of docs/architecture.md.
# The presets compile several files as one (CMAKE_UNITY_BUILD, CMakePresets.json): reading the same headers again for
# each takes twice the time on a fresh machine. Names in anonymous namespaces must therefore differ within a folder. Who
# works on one file for long may configure with -DCMAKE_UNITY_BUILD=OFF.
# COLD: code that runs once per scene or per frame; -O1 compiles it in two thirds of the time.
set(GRUS_COLD_OPTIONS $<$<CONFIG:Release>:-O1>
  # g++ 12 at -O1 reports its own AVX-512 headers as uninitialized (GCC bug 105593) and strings that are assigned from
  # literals as overrun (105329)
  $<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-array-bounds;-Wno-stringop-overflow>)
function(grus_library name)
  cmake_parse_arguments(ARG "COLD" "" "DEPS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC grus_flags ${ARG_DEPS})
    if(ARG_COLD)
      target_compile_options(${name} PRIVATE ${GRUS_COLD_OPTIONS})
    endif()
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE grus_flags ${ARG_DEPS})
  endif()
endfunction()

# One test program per suite folder: all *_test.cpp in it. They too are compiled several as one, which takes a third of the
# time; each lives in a namespace named after its file, as `rounding` means something else in every one of them.
function(grus_test_suite name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "DEPS" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  if(GRUS_SANITIZE)
    math(EXPR ARG_TIMEOUT "10 * ${ARG_TIMEOUT}") # the thread sanitizer slows a step by 30 to 50
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE grus_flags ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${CMAKE_BINARY_DIR}/generated)
  target_compile_options(${name} PRIVATE ${GRUS_TEST_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM grus_test_headers)
  set_property(GLOBAL APPEND PROPERTY GRUS_TEST_LABELS ${ARG_LABEL})
  set_property(GLOBAL APPEND PROPERTY GRUS_TESTS_${ARG_LABEL} ${name})
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT}
    COST ${ARG_TIMEOUT}) # suites with long tests go first
endfunction()
