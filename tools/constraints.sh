#!/usr/bin/env bash
# Renew constraints.txt and locked.txt: install every extra afresh and record what was chosen.
# PyTorch keeps its pin; change that line by hand.
# Usage: constraints.sh PYTHON
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$1" tools/requirements.py all > "$work/requirements.txt"
grep '^torch==' constraints.txt > "$work/torch.txt"
"$1" -m venv "$work/venv"
pip=("$work/venv/bin/python" -m pip --disable-pip-version-check)
"${pip[@]}" install -qq --constraint "$work/torch.txt" --requirement "$work/requirements.txt"
{
    sed -n '/^#/p' constraints.txt
    "${pip[@]}" freeze --all --exclude pip | sed 's/+.*//' | LC_ALL=C sort --ignore-case
} > "$work/constraints.txt"
cp "$work/constraints.txt" constraints.txt
"$work/venv/bin/python" tools/lock.py > "$work/locked.txt"
cp "$work/locked.txt" locked.txt
