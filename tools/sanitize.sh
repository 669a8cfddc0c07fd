#!/usr/bin/env bash
# Build the native core with asserts and the address and undefined-behaviour sanitizers under
# build/sanitize; then, with the self-check on, replay the recorded traces in $THREESIL_DATA, if
# that is set, do everything once at random, call objects of the core with wrong arguments, and run
# the native tests.
# Usage: sanitize.sh PYTHON [CALLS]
#   PYTHON   an interpreter with the base, build and test requirements
#   CALLS    of objects of the core, random ones; 5000 take seconds, 100000 are a campaign
set -euo pipefail
cd "$(dirname "$0")/.."

python=$1
calls=${2:-5000}
site=$PWD/build/sanitize/site
cxx=${CXX:-g++}

rm -rf "$site"
"$python" -m pip --disable-pip-version-check install --quiet --no-deps --no-build-isolation \
    --target "$site" \
    --config-settings build-dir=build/sanitize/cmake \
    --config-settings cmake.build-type=Debug \
    --config-settings cmake.define.THREESIL_SANITIZE=ON \
    --config-settings install.strip=false \
    .

packages=$("$python" -c 'from pathlib import Path; import numpy; print(Path(numpy.__file__).parents[1])')

# -S: the path hook of an editable install must not put the ordinary build first.
sanitized() {
    LD_PRELOAD="$("$cxx" -print-file-name=libasan.so) $("$cxx" -print-file-name=libstdc++.so)" \
    ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=2000 \
    UBSAN_OPTIONS=print_stacktrace=1 \
    PYTHONMALLOC=malloc \
    PYTHONPATH="$site:$packages:tests:tests/shared" \
    THREESIL_SELF_CHECK=1 \
        "$python" -S "$@"
}

sanitized - "$site" <<'CHECK'
import sys
import threesil._native

if not threesil._native.__file__.startswith(sys.argv[1]):
    sys.exit(f"not the sanitized build: {threesil._native.__file__}")
CHECK

if [ -n "${THREESIL_DATA:-}" ]; then
    for trace in "$THREESIL_DATA"/traces/*.jsonl.gz; do
        sanitized -c 'import sys; from threesil.cli import main; sys.exit(main())' bench --conform "$trace"
    done
fi
sanitized tests/engine/sanitize_walk.py
sanitized -W ignore tests/fuzz/native.py "$calls"
# Deep terms have been walked through; whether memory stays flat is not for this build to say.
sanitized -m pytest -q -p no:cacheprovider -m 'not slow' -k 'not deep and not flat' \
    tests/engine tests/search/test_guided.py
