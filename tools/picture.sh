#!/bin/sh
# Takes a PNG of a run's report page, with Debian's Chromium. Only figures of the manual and the examples need it.
#
#   tools/picture.sh DIR out.png                         the whole page
#   tools/picture.sh DIR out.png --view last             one picture: last, first, middle, or 0..1 of the frames
#   tools/picture.sh DIR out.png --view plot:COL[,COL]   one plot of columns of series.csv
#
# Options: --size WxH (CSS pixels; 1100x680 for views, 1100 wide for pages), --scale S (pixels per CSS pixel, 2),
#          --dark, --set key=value, repeatable (views: yaw, pitch, zoom, color=speed|size|group, forces=1,
#          fit=frame to fill the picture with this frame instead of the whole run; plots: log=1).
# DIR/report.html must exist: `grus report DIR` makes it.
set -eu

usage() {
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p;}' "$0"
  exit 2
}

[ $# -ge 2 ] || usage
directory=$1
output=$2
shift 2
view='' size='' scale=2 dark='' settings=''
while [ $# -gt 0 ]; do
  case $1 in
    --view) view=$2; shift 2 ;;
    --size) size=$2; shift 2 ;;
    --scale) scale=$2; shift 2 ;;
    --set) settings="$settings;$2"; shift 2 ;;
    --dark) dark=--blink-settings=preferredColorScheme=0; shift ;;
    *) usage ;;
  esac
done

if ! command -v chromium >/dev/null; then
  echo 'tools/picture.sh: Chromium is missing; install it with: apt-get install -y chromium fonts-inter' >&2
  exit 1
fi
page=$directory/report.html
if [ ! -f "$page" ]; then
  echo "tools/picture.sh: $page is missing; make it with: grus report $directory" >&2
  exit 1
fi
url="file://$(realpath "$page")"

profile=$(mktemp -d)
trap 'rm -rf "$profile"' EXIT
# Software drawing only, and a clock that runs until the page has nothing left to do: the same picture everywhere.
browser() {
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$profile" \
    --force-device-scale-factor="$scale" --virtual-time-budget=20000 $dark "$@" 2>"$profile/log" ||
    { cat "$profile/log" >&2; exit 1; }
}

if [ -n "$view" ]; then
  size=${size:-1100x680}
  url="$url#figure:$view;size=$size$settings"
else
  width=${size%%x*}
  width=${width:-1100}
  height=$(browser --window-size="$width,900" --dump-dom "$url" | sed -n 's/.*data-height="\([0-9]*\)".*/\1/p' | head -n 1)
  size=${width}x${height:-2400}
fi
mkdir -p "$(dirname "$output")"
browser --window-size="$(echo "$size" | tr x ,)" --screenshot="$(realpath -m "$output")" "$url" >/dev/null
[ -s "$output" ] || { cat "$profile/log" >&2; exit 1; }
echo "$output"
