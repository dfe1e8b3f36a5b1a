#!/usr/bin/env bash
# Every solver, ours and Siconos', on every problem: results.csv, duels.csv, times.md and performance profiles.
#   benchmarks/solvers/bench.sh [BUILD_FOLDER] [LARGEST] [LIMIT]
#     LARGEST: contacts of the generated problems (100000); LIMIT: seconds for one case (2), `auto` has ten times that
# Problems: ../shared/data/contact-problems when it is there, and our own, which are made in BUILD_FOLDER/bench/problems first:
# generated ones of growing size, piles of boxes and stones, and the worst steps of scenes.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-build}
largest=${2:-100000}
limit=${3:-2}
problems=$folder/bench/problems
out=$folder/bench/solvers
mkdir -p "$problems" "$out"

# save NAME WHEN SCENE ARGUMENTS...: problems of a run as NAME.hdf5, or NAME-1.hdf5, NAME-2.hdf5, ...
save() {
  local name=$1 when=$2
  shift 2
  compgen -G "$problems/$name*.hdf5" >/dev/null && return
  # a check of the whole run may fail when it ends early
  "$folder/grus" run "$@" --threads 1 --save-problems "$when" --no-report --quiet --out "$problems/runs/$name" </dev/null || true
  local files=("$problems/runs/$name"/problems/*.h*5) number=1
  for file in "${files[@]}"; do
    [ -e "$file" ] || continue
    if [ ${#files[@]} = 1 ]; then cp "$file" "$problems/$name.hdf5"; else cp "$file" "$problems/$name-$number.hdf5"; fi
    number=$((number + 1))
  done
}

"$folder/problem_collection" "$problems" "$largest"
for n in 1 2 4 8 13; do # bodies along an edge
  for kind in boxes ballast; do save "pile-$kind-$((n * n * n))" worst=1 "benchmarks/solvers/$kind.yaml" --set n=$n; done
done
save slider-crank worst=1 examples/slider-crank/chain.yaml --until 0.01
save woodpecker worst=1 examples/woodpecker/woodpecker.yaml --until 0.3
save spheres-settling worst=2 examples/spheres-settling/spheres-settling.yaml --until 0.5
save brazil-nut worst=2 examples/brazil-nut/brazil-nut.yaml --until 0.5
save column-collapse worst=2 examples/column-collapse/column-collapse.yaml --until 0.5
save masonry-wall worst=2 examples/masonry-wall/masonry-wall.yaml --until 2
save tamping worst=2 examples/tamping/small.yaml --until 0.5

files=("$problems"/*.hdf5)
for file in ../shared/data/contact-problems/*.dat ../shared/data/contact-problems/*.hdf5; do
  [ -e "$file" ] && files+=("$file")
done
"$folder/solver_bench" --limit "$limit" --duels "$out/duels.csv" "${files[@]}" | tee "$out/results.csv"
benchmarks/solvers/profiles.py "$out/results.csv" "$out/duels.csv" "$out"
echo "Results, profiles and table: $PWD/$out"
