#!/usr/bin/env bash
# Installs the wheel of dist/ into an empty environment and proves something there.
#
# check-wheel.sh PYTHON
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

wheels=(dist/threesil-*.whl)
[ -f "${wheels[0]}" ] || { echo "no wheel in dist/: make wheel" >&2; exit 1; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$1" -m venv "$place/venv"
"$place/venv/bin/python" -m pip --disable-pip-version-check install -qq "${wheels[@]}"
cd "$place"  # where no source is near
venv/bin/threesil --version
venv/bin/threesil prove 'x * T(y,x) = y * x' --format json --out proof.json
venv/bin/threesil check proof.json
venv/bin/threesil theories --example > groups.thy
venv/bin/threesil prove groups.thy --seconds 10
venv/bin/threesil data list
echo "the wheel works: ${wheels[0]##*/}"
