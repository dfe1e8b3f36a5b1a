#!/usr/bin/env bash
# Runs the fuzz targets of the scene reader, starting from the example scenes, and of the reader of problem files, starting
# from those beside the checkout when they are there: tools/fuzz.sh BUILD_FOLDER SECONDS (of each)
# New inputs are kept in BUILD_FOLDER/corpus; a finding leaves its input in BUILD_FOLDER and exits non-zero.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
seconds=$2
mkdir -p "$folder"/{corpus,seeds}/{scene,problem}
# files of different folders may share a name
find examples tests -name '*.yaml' | while read -r scene; do cp -f "$scene" "$folder/seeds/scene/${scene//\//-}"; done
problems=../shared/data/contact-problems
if [ -d "$problems" ]; then
  find "$problems" -name '*.dat' -size -8k -exec cp -f -t "$folder/seeds/problem" {} +
fi
for target in scene problem; do
  "$folder/${target}_fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
    -artifact_prefix="$folder/" -verbosity=0 -print_final_stats=1 "$folder/corpus/$target" "$folder/seeds/$target"
done
