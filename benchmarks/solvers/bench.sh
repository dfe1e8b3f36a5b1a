#!/usr/bin/env bash
# Every solver, ours and Siconos', on every problem: results.csv, duels.csv, times.md and performance profiles.
#   benchmarks/solvers/bench.sh [BUILD_FOLDER]
# Environment:
#   LARGEST=100000   contacts of the generated problems
#   LIMIT=2          processor seconds of every solver, ours and Siconos', for every problem and tolerance
#   COLLECTION=      `held-out`: other seeds, sizes and steps than those the settings were chosen on, without
#                    ../shared/data/contact-problems; `auto` and Siconos alone; results under bench/held-out
# Problems: ../shared/data/contact-problems when it is there, and our own, which are made in BUILD_FOLDER/bench/problems
# first: generated ones of growing size, piles of boxes and stones, and the worst steps of scenes.
#
# One thread, one process after another. Every problem is a piece with a file of its own, written whole: a bench that was
# interrupted goes on where it stopped. Pieces of another program or limit, or older than their problem, do not count.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${1:-build}
largest=${LARGEST:-100000}
limit=${LIMIT:-2}
collection=${COLLECTION:-}
problems=$folder/bench/problems${collection:+-$collection}
out=$folder/bench/${collection:-solvers}
mkdir -p "$problems" "$out"

# save NAME WHEN SCENE ARGUMENTS...: problems of a run as NAME.hdf5, or NAME-1.hdf5, NAME-2.hdf5, ...
save() {
  local name=$1 when=$2 made="$problems/runs/$1.done"
  shift 2
  [ -e "$made" ] && return
  rm -rf "$problems/runs/$name"
  # a check of the whole run may fail when it ends early
  "$folder/grus" run "$@" --threads 1 --save-problems "$when" --no-report --quiet --out "$problems/runs/$name" </dev/null || true
  local files=("$problems/runs/$name"/problems/*.h*5) number=1
  for file in "${files[@]}"; do
    [ -e "$file" ] || continue
    if [ ${#files[@]} = 1 ]; then cp "$file" "$problems/$name.hdf5"; else cp "$file" "$problems/$name-$number.hdf5"; fi
    number=$((number + 1))
  done
  touch "$made"
}

# generate FIRST LARGEST SEED: what problem_collection makes, once
generate() {
  local made="$problems/runs/generated-$2.done"
  [ -e "$made" ] && return
  "$folder/problem_collection" "$problems" "$@"
  mkdir -p "$problems/runs"
  touch "$made"
}

make_collection() {
  generate 10 "$largest" 1
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
}

# Nothing of it was looked at when settings were chosen.
make_held_out() {
  generate 30 "$((largest * 3 / 10))" 7
  for n in 3 5 6; do
    for kind in boxes ballast; do save "pile-$kind-$((n * n * n))" worst=1,every=250,most=2 "benchmarks/solvers/$kind.yaml" --set n=$n --set seed=7; done
  done
  save drum every=100,most=2 examples/drum/drum.yaml --until 0.3
  save heavy-on-light every=200,most=2 examples/heavy-on-light/heavy-on-light.yaml --until 1
  save slider-crank every=400,most=2 examples/slider-crank/cut-xy.yaml --until 0.05
  save woodpecker every=300,most=2 examples/woodpecker/woodpecker.yaml --until 0.5
  save spheres-settling every=150,most=2 examples/spheres-settling/spheres-settling.yaml --set seed=7 --until 1
  save brazil-nut every=400,most=2 examples/brazil-nut/brazil-nut.yaml --set seed=7 --until 1
  save column-collapse every=200,most=2 examples/column-collapse/column-collapse.yaml --set seed=7 --until 0.6
  save masonry-wall every=400,most=2 examples/masonry-wall/masonry-wall.yaml --until 1.5
  save tamping every=200,most=2 examples/tamping/small.yaml --set bed=7 --until 0.3
}

files=()
only=()
if [ "$collection" = held-out ]; then
  make_held_out
  only=(--only auto)
else
  make_collection
  for file in ../shared/data/contact-problems/*.dat ../shared/data/contact-problems/*.hdf5; do
    [ -e "$file" ] && files+=("$file")
  done
fi
files+=("$problems"/*.hdf5)

pieces=$out/pieces/$(sha256sum <"$folder/solver_bench" | head -c 12)-$limit
mkdir -p "$pieces"
number=0
broken=()
for file in "${files[@]}"; do
  number=$((number + 1))
  piece=$pieces/$(basename "${file%.*}")
  [ "$piece.csv" -nt "$file" ] && continue
  echo "[$number/${#files[@]}] $(basename "$file")"
  if ! "$folder/solver_bench" --limit "$limit" "${only[@]}" --duels "$piece.duels.part" "$file" >"$piece.part"; then
    broken+=("$file")
    continue
  fi
  mv "$piece.duels.part" "$piece.duels"
  mv "$piece.part" "$piece.csv"
done

# join HEADED_FILES...: the header of the first, the rows of all
join() { awk 'FNR > 1 || NR == 1' "$@"; }
join "$pieces"/*.csv >"$out/results.csv"
join "$pieces"/*.duels >"$out/duels.csv"
benchmarks/solvers/profiles.py "$out/results.csv" "$out/duels.csv" "$out"
echo "Results, profiles and table: $PWD/$out"
if [ ${#broken[@]} -gt 0 ]; then
  echo "The bench broke down on: ${broken[*]}" >&2
  exit 1
fi
