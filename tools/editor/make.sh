#!/usr/bin/env bash
# Makes the page's editor, static/codemirror.js, from the packages that package-lock.json names with
# the hashes of their files. Needs node and npm.
#
# The page allows no inline style, so that CodeMirror's goes to a style sheet that a script makes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp "$here"/{package.json,package-lock.json,entry.js} "$place"
cd "$place"
npm ci --silent --ignore-scripts

style=node_modules/style-mod/src/style-mod.js
before='if (!root.head && root.adoptedStyleSheets'
grep -qF "$before" "$style" || { echo "style-mod has changed: see $0" >&2; exit 1; }
sed -i "s/if (!root\.head && root\.adoptedStyleSheets/if (root.adoptedStyleSheets/" "$style"

npx esbuild entry.js --bundle --minify --format=esm --target=es2022 --legal-comments=none \
    --banner:js="// CodeMirror 6: see NOTICE. Made by tools/editor/make.sh." \
    --outfile="$here/../../src/threesil/web/static/codemirror.js" --log-level=warning
