#!/usr/bin/env bash
# Draws the pictures of README and examples anew, by `grus render`.
#
#   tools/pictures.sh GRUS [RUNS] [EXAMPLE]...
#
# Runs that are not in RUNS (default out/pictures) are made there first: the tamping runs take half an hour, all others some
# minutes. Named examples only, or all. Curves that compare runs have scripts of their own (examples/tamping/figures.py).
set -euo pipefail
grus=$(realpath "$1")
runs=$(realpath -m "${2:-out/pictures}")
shift $(($# > 1 ? 2 : 1))
wanted=("$@")
cd "$(dirname "$0")/.."

# picture EXAMPLE FILE SCENE[:RUN] OPTIONS...: RUN is one of a study
picture() {
  local example=$1 file=$2 scene=${3%%:*} run=''
  [[ $3 == *:* ]] && run=${3#*:}
  shift 3
  ((${#wanted[@]} == 0)) || [[ " ${wanted[*]} " == *" $example "* ]] || return 0
  local folder=$runs/$scene
  if [[ ! -f $folder${run:+/$run}/summary.json ]]; then
    "$grus" run "examples/$example/$scene.yaml" --out "$folder" ${run:+--only "$run"} --resume --no-report --quiet
  fi
  "$grus" render "$folder${run:+/$run}" "$@" -o "examples/$example/$file"
}

picture bouncing-ball figure.png bouncing-ball --plot ball.height --size 900x500
picture brazil-nut figure.png brazil-nut --size 1100x680 --zoom 1.05 --pitch 35
picture column-collapse figure.png column-collapse --time 1.4 --colour speed --fit-frame --size 1100x620
picture double-pendulum figure.png double-pendulum --plot lower,twin.lower --size 1100x520
picture drum figure.png drum --size 1000x760
picture excavator figure.png excavator --size 1200x760 --yaw -40 --pitch 18 --fit-frame
picture four-bar-clearance figure.png four-bar-clearance --plot play --size 1100x520
picture four-bar-clearance linkage.png four-bar-clearance --time 0 --size 900x560
picture heavy-on-light figure.png heavy-on-light --size 1100x680
picture incline figure.png incline --size 1100x680
picture masonry-wall figure.png masonry-wall --size 1100x640 --yaw 0 --pitch 8 --zoom 1.6
picture quadruped figure.png quadruped --size 1100x700 --fit-frame --zoom 1.05
picture spheres-settling figure.png spheres-settling --time 1 --size 1000x800
picture tamping figure.png tamping:30-hz --time 1.6 --size 1100x900 --fit-frame
picture woodpecker figure.png woodpecker --size 700x680 --zoom 2.4 --at bird
picture woodpecker motion.png woodpecker --plot bird.angle,sleeve.angle --size 1100x520

# the viewer itself, with the tamping run
if ((${#wanted[@]} == 0)) || [[ " ${wanted[*]} " == *" tamping "* ]]; then
  node viewer/screenshot.mjs "$grus" "$runs/tamping/30-hz" 1.6 docs/howto/viewer.png
fi
