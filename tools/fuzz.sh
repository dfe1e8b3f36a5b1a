#!/usr/bin/env bash
# Runs the fuzz target of the scene reader, starting from the example scenes: tools/fuzz.sh BUILD_FOLDER SECONDS
# New inputs are kept in BUILD_FOLDER/corpus; a finding leaves its input in BUILD_FOLDER and exits non-zero.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
seconds=$2
mkdir -p "$folder/corpus" "$folder/seeds"
find examples tests -name '*.yaml' -exec cp -f -t "$folder/seeds" {} +
exec "$folder/scene_fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
  -artifact_prefix="$folder/" -verbosity=0 -print_final_stats=1 "$folder/corpus" "$folder/seeds"
