#!/usr/bin/env bash
# Runs every benchmark program of benchmarks/: tables and JSON go to BUILD_FOLDER/bench/.
#   tools/bench.sh [BUILD_FOLDER] [FLAGS OF GOOGLE BENCHMARK]...
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${1:-build}
shift || true
mkdir -p "$folder/bench"
for source in benchmarks/*.cpp; do
  name=$(basename "$source" .cpp)
  echo "== $name"
  "$folder/$name" --benchmark_out="$folder/bench/$name.json" --benchmark_out_format=json "$@" 2>&1 |
    tee "$folder/bench/$name.txt"
done
echo "Tables and JSON: $PWD/$folder/bench"
