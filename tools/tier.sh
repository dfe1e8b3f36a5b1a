#!/usr/bin/env bash
# Builds one preset whole and runs its whole test suite: tools/tier.sh PRESET [JOBS]
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
jobs=${2:-$(nproc)}
cmake --preset "$preset" >/dev/null
cmake --build --preset "$preset" -j "$jobs"
exec ctest --preset "$preset" -j "$jobs" --no-tests=error
