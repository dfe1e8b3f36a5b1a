#!/usr/bin/env bash
# Builds the release tree and the tiers of `make test`, then runs one ctest over all of them.
#   tools/test.sh [JOBS]
# Tiers beside the release suite (tests/CMakeLists.txt registers each as one test of the release tree):
#   asan   what handles raw bytes and indices (solvers, files, bad input) under address + undefined
#          sanitizers; `make asan` runs every suite so
#   debug  the determinism suite at -O0 with GRUS_VALIDATE
# A minute of fuzzing of the readers has a tree of its own: `make fuzz`.
set -euo pipefail
cd "$(dirname "$0")/.."
jobs=${1:-$(nproc)}

build() { # preset, targets of the tier
  local preset=$1
  shift
  local start=$SECONDS output
  cmake --preset "$preset" -DGRUS_TESTS=ON >/dev/null
  if ! output=$(cmake --build --preset "$preset" -j "$jobs" --target "$@" 2>&1); then
    # what was said of the files that were made is of no interest then
    grep -v '^\[[0-9]*/[0-9]*\] ' <<<"$output"
    echo "$preset was not built" >&2
    exit 1
  fi
  echo "built $preset in $((SECONDS - start)) s"
}

build release grus tests_all
build asan grus unit_solvers unit_io unit_view robustness
build debug tests_determinism

# One more than there are cores: browsers, servers and killed runs wait more than they work.
exec ctest --test-dir build -C Tiers -j "$((jobs + 1))" --output-on-failure --no-tests=error
