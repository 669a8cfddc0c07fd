#!/usr/bin/env bash
# Installs the wheel of dist/ into an empty environment and proves something there. Says how long
# the way to the first proof was, the download apart.
#
# check-wheel.sh PYTHON
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

wheels=(dist/threesil-*.whl)
[ -f "${wheels[0]}" ] || { echo "no wheel in dist/: make wheel" >&2; exit 1; }
listed=$("$1" -m zipfile --list "${wheels[0]}")
for file in LICENSE LICENSE-APACHE NOTICE; do
    grep -q "dist-info/licenses/$file " <<< "$listed" \
        || { echo "$file is not in ${wheels[0]}" >&2; exit 1; }
done
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$1" -m venv "$place/venv"
pip=("$place/venv/bin/python" -m pip --disable-pip-version-check)
TIMEFORMAT='%lR by the clock, %lU of CPU time'
echo 'download:'
time "${pip[@]}" download -qq --constraint constraints.txt --dest "$place/wheels" "${wheels[@]}"
echo 'pip install:'
time "${pip[@]}" install -qq --no-index --find-links "$place/wheels" "${wheels[@]}"
cd "$place"  # where no source is near
echo 'the first proof:'
time venv/bin/threesil prove 'x * T(y,x) = y * x' --format json --out proof.json
venv/bin/threesil --version
venv/bin/threesil check proof.json
venv/bin/threesil theories --example > groups.thy
venv/bin/threesil prove groups.thy --seconds 10
venv/bin/threesil data list
echo "the wheel works: ${wheels[0]##*/}"
