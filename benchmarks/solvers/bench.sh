#!/usr/bin/env bash
# Every solver, ours and Siconos', on every problem: results.csv, times.md and performance profiles.
#   benchmarks/solvers/bench.sh [BUILD_FOLDER] [LARGEST]     LARGEST: contacts of the generated problems (10000)
# Problems: ../shared/data/contact-problems when it is there, and our own, which are made in BUILD_FOLDER/problems first:
# generated ones of growing size, and the worst steps of scenes.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-build}
largest=${2:-10000}
problems=$folder/problems
out=$folder/bench/solvers
mkdir -p "$problems" "$out"

"$folder/problem_collection" "$problems" "$largest"
# scene, and the time until which its worst steps are sought
while read -r scene until; do
  name=${scene##*/}
  [ "$name" = small ] && name=tamping
  [ -e "$problems/$name-1.hdf5" ] && continue
  "$folder/grus" run "examples/$scene.yaml" --until "$until" --save-problems worst=2 --no-report --quiet \
    --out "$problems/runs/$name" </dev/null || true # a check of the whole run may fail when it ends early
  number=1
  for file in "$problems/runs/$name"/problems/*.h*5; do
    [ -e "$file" ] || continue
    cp "$file" "$problems/$name-$number.hdf5"
    number=$((number + 1))
  done
done <<END
spheres-settling/spheres-settling 0.5
brazil-nut/brazil-nut 0.5
column-collapse/column-collapse 0.5
masonry-wall/masonry-wall 2
tamping/small 0.5
END

files=("$problems"/*.hdf5)
for file in ../shared/data/contact-problems/*.dat ../shared/data/contact-problems/*.hdf5; do
  [ -e "$file" ] && files+=("$file")
done
"$folder/solver_bench" "${files[@]}" | tee "$out/results.csv"
benchmarks/solvers/profiles.py "$out/results.csv" "$out"
echo "Results, profiles and table: $PWD/$out"
