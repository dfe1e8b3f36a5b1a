#!/usr/bin/env bash
# Builds the pages of viewer and report into FOLDER: index.html and report.html, each one self-contained file.
#
#   tools/viewer.sh FOLDER
#
# Packages come from the npm registry when they are missing or the lock file changed, else nothing is fetched. When they cannot
# be had, the pages are comments and the program says so: the rest of Grus needs none of them.
set -euo pipefail
folder=$(realpath -m "$1")
cd "$(dirname "$0")/../viewer"

# npm keeps its own copy of the lock file once everything is installed; ours tells which one it was.
stamp=node_modules/.grus-lock
if ! cmp -s package-lock.json "$stamp"; then
  if ! npm ci --silent --no-progress; then
    echo "viewer: npm ci failed (no network?); the program is built without viewer and report" >&2
    mkdir -p "$folder"
    for page in index report; do cp no_page.html "$folder/$page.html"; done
    exit 0
  fi
  cp package-lock.json "$stamp"
fi
for mode in production report; do
  node_modules/.bin/vite build --mode "$mode" --logLevel warn --outDir "$folder"
done
