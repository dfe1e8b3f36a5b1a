#!/usr/bin/env bash
# Runs libFuzzer on every reader of tests/fuzz/readers.cpp, starting from its corpus: tools/fuzz.sh BUILD_FOLDER SECONDS (of each)
# New inputs are kept in BUILD_FOLDER/corpus; a finding leaves its input in BUILD_FOLDER and exits non-zero.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
seconds=$2
for program in "$folder"/*_fuzzer; do
  reader=$(basename "$program" _fuzzer)
  mkdir -p "$folder"/{corpus,seeds}/"$reader"
  "$program" -seeds="$folder/seeds/$reader"
  echo "== $reader"
  "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
    -artifact_prefix="$folder/$reader-" -verbosity=0 -print_final_stats=1 "$folder/corpus/$reader" "$folder/seeds/$reader"
done
