#!/usr/bin/env bash
# Redraws the pictures of README and examples, by `grus render`.
#
#   tools/pictures.sh GRUS [RUNS] [EXAMPLE]...
#
# Runs that are not in RUNS (default out/pictures) are made there first: the tamping runs take half an hour, all others some
# minutes. Named examples only, or all. A test asks that every picture of the examples is named here.
set -euo pipefail
grus=$(realpath "$1")
runs=$(realpath -m "${2:-out/pictures}")
shift $(($# > 1 ? 2 : 1))
wanted=("$@")
cd "$(dirname "$0")/.."

is_wanted() { ((${#wanted[@]} == 0)) || [[ " ${wanted[*]} " == *" $1 "* ]]; }

# make_run EXAMPLE SCENE [RUN]: RUN is one of a study
make_run() {
  local folder=$runs/$2
  [[ -f $folder${3:+/$3}/summary.json ]] ||
    "$grus" run "examples/$1/$2.yaml" --out "$folder" ${3:+--only "$3"} --resume --no-report --quiet
}

# picture EXAMPLE FILE SCENE[:RUN] OPTIONS...
picture() {
  local example=$1 file=$2 scene=${3%%:*} run=''
  [[ $3 == *:* ]] && run=${3#*:}
  shift 3
  is_wanted "$example" || return 0
  make_run "$example" "$scene" "$run"
  "$grus" render "$runs/$scene${run:+/$run}" "$@" -o "examples/$example/$file"
}

picture bouncing-ball figure.png bouncing-ball --plot ball.height --size 900x500
picture brazil-nut figure.png brazil-nut --size 1100x680 --zoom 1.05 --pitch 35
picture column-collapse figure.png column-collapse --time 1.4 --colour speed --fit-frame --size 1100x620
picture double-pendulum figure.png double-pendulum --plot lower,twin.lower --size 1100x520
picture drum figure.png drum --size 1000x760
picture excavator figure.png excavator --size 1200x760 --yaw -40 --pitch 18 --fit-frame
picture four-bar-clearance figure.png four-bar-clearance --plot play --size 1100x520
picture four-bar-clearance knocks.png four-bar-clearance --plot contact.impulse --size 1100x400
picture four-bar-clearance linkage.png four-bar-clearance --time 0 --size 900x560
picture heavy-on-light figure.png heavy-on-light --size 1100x680
picture incline figure.png incline --size 1100x680
picture masonry-wall figure.png masonry-wall --size 1100x640 --yaw 0 --pitch 8 --zoom 1.6
picture quadruped figure.png quadruped --size 1100x700 --fit-frame --zoom 1.05
picture spheres-settling figure.png spheres-settling --time 1 --size 1000x800
picture tamping figure.png tamping:30-hz --time 1.6 --size 1100x900 --fit-frame
picture tamping machine.png air --time 0 --size 1050x840 --yaw 20 --pitch 12 --fit-frame
picture woodpecker figure.png woodpecker --size 700x680 --zoom 2.4 --at bird
picture woodpecker motion.png woodpecker --plot bird.angle,sleeve.angle --size 1100x520

# curves of several runs: brazil-nut/solvers.svg, column-collapse/sweep.svg, slider-crank/figure.svg, spheres-settling/solvers.svg; times in them are of this machine
if is_wanted brazil-nut; then
  "$grus" run examples/brazil-nut/solvers.yaml --threads 1 --out "$runs/solvers" --resume --no-report --quiet
  examples/brazil-nut/solvers.py "$runs/solvers"
fi
if is_wanted column-collapse; then
  "$grus" run examples/column-collapse/sweep.yaml --out "$runs/sweep" --resume --no-report --quiet
  examples/column-collapse/findings.py "$runs/sweep" examples/column-collapse/sweep.svg
fi
if is_wanted slider-crank; then examples/slider-crank/figure.py "$grus"; fi
if is_wanted spheres-settling; then examples/spheres-settling/solvers.py "$grus"; fi

# tamping/diving.svg, tamping/squeezing.svg, tamping/engineering.svg of the four runs, and the viewer itself with one of them
if is_wanted tamping; then
  for run in 15-hz 30-hz 45-hz 15-hz-imposed; do make_run tamping tamping $run; done
  examples/tamping/figures.py "$runs/tamping"
  node viewer/screenshot.mjs "$grus" "$runs/tamping/30-hz" 1.6 docs/howto/viewer.png
fi
