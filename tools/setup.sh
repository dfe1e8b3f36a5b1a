#!/usr/bin/env bash
# Installs the Debian packages that are missing. The network is touched only when something is.
#
#   tools/setup.sh [GROUP]...      groups: build (default), test, lint
#   tools/setup.sh --has GROUP...  installs nothing; exit 0 when the groups are complete, 1 when not
set -euo pipefail

# What `make build` and `make demo` need, beside g++, cmake and make.
build=(ninja-build ccache pkg-config libeigen3-dev libtbb-dev libhdf5-dev libyaml-cpp-dev libcli11-dev
  libfmt-dev libmuparser-dev libqhull-dev liburdfdom-dev nlohmann-json3-dev zlib1g-dev)
# Tests and benchmarks. Siconos is an oracle for contact problems, MuJoCo for mechanisms; clang brings libFuzzer.
test=(libgtest-dev libgmock-dev libbenchmark-dev libsiconos-numerics-dev libmujoco-dev clang libclang-rt-14-dev python3)
lint=(clang-format clang-tidy)
# Programs that may have come another way than from Debian: their packages are wanted only when the program is missing.
command -v npm >/dev/null || build+=(nodejs npm)         # builds the viewer's page
command -v chromium >/dev/null || test+=(chromium)       # the viewer's tests, and pictures

only_ask=false
if [[ ${1:-} == --has ]]; then
  only_ask=true
  shift
fi

wanted=()
for group in "${@:-build}"; do
  case $group in
    build) wanted+=("${build[@]}") ;;
    test) wanted+=("${test[@]}") ;;
    lint) wanted+=("${lint[@]}") ;;
    *)
      echo "setup: unknown group '$group'; expected build, test or lint" >&2
      exit 2
      ;;
  esac
done

# One query for all; a package that dpkg has never heard of is printed on stderr and simply not listed.
installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null | sed -n 's/^installed //p') || true
missing=()
for package in "${wanted[@]}"; do
  grep -qx "$package" <<<"$installed" || missing+=("$package")
done

((${#missing[@]} == 0)) && exit 0
$only_ask && exit 1

as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "setup: missing packages: ${missing[*]}" >&2
    echo "setup: neither root nor sudo; as root run: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "setup: installing ${missing[*]}"
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
}
# The package lists of a fresh machine are empty or old: refresh them only when the install does not work as it is.
if ! install >/dev/null 2>&1; then
  "${as_root[@]}" apt-get update -qq || echo "setup: cannot refresh the package lists (no network?)" >&2
  if ! install; then
    echo "setup: cannot install: ${missing[*]}" >&2
    echo "setup: on Debian 12 with a network, run: apt-get update && apt-get install ${missing[*]}" >&2
    exit 1
  fi
fi
