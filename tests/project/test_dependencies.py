"""What is installed or bundled from elsewhere: pinned, hashed, named."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PINS = dict(re.findall(r"^([^#\s]\S*)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.M))
UNLOCKED = {"torch"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def locked(*extras: str) -> dict[str, tuple[str, list[str]]]:
    """(version, hashes) by name of what tools/requirements.py prints for the extras."""
    command = [sys.executable, str(ROOT / "tools" / "requirements.py"), "--locked", *extras]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for text in printed.replace(" \\\n", " ").splitlines():
        requirement, *options = text.split()
        name, version = requirement.split("==")
        assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", option) for option in options)
        found[name] = version, options
    return found


def test_every_release_has_hashes() -> None:
    found = locked("all")
    assert {name: version for name, (version, _) in found.items()} == {
        name: version for name, version in PINS.items() if name not in UNLOCKED
    }
    for name, (_, hashes) in found.items():
        assert hashes and len(set(hashes)) == len(hashes), name


def test_extras_have_what_they_need_and_no_more() -> None:
    base = locked()
    assert {"numpy", "typer", "nanobind", "cmake"} <= set(base)
    assert not {"pytest", "fastapi", "ray"} & set(base)
    assert {"fastapi", "uvicorn", "h11", "starlette"} <= set(locked("web")) - set(base)
    assert "torch" not in locked("train") and "tensorboard" in locked("train")
    for extra in PROJECT["optional-dependencies"]:
        assert base.keys() <= locked(extra).keys() <= locked("all").keys()


def test_no_file_of_dependencies_names_a_host() -> None:
    for name in ("constraints.txt", "locked.txt", "tools/constraints.sh", "tools/lock.py"):
        assert "://" not in (ROOT / name).read_text(), name


def test_packages_of_npm_are_of_one_version_and_hashed() -> None:
    script = (ROOT / "tools" / "lean-check.sh").read_text()
    packages = dict(re.findall(r"^(\w+)=([\w-]+@\S+)$", script, re.M))
    hashes = dict(re.findall(r"^(\w+)_sha512=([0-9a-f]{128})$", script, re.M))
    assert packages.keys() == hashes.keys() == {"lean", "node"}
    assert all(re.search(r"@\d+\.\d+\.\d+$", package) for package in packages.values())


def test_the_packages_of_the_editor_are_hashed_and_named_with_their_licence() -> None:
    editor = ROOT / "tools" / "editor"
    lock = (editor / "package-lock.json").read_text()
    packages = json.loads(lock)["packages"]
    wanted = packages.pop("")
    assert "resolved" not in lock  # no registry is named
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    asked = json.loads((editor / "package.json").read_text())
    for kind in ("dependencies", "devDependencies"):
        assert asked[kind] == wanted[kind]
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", one) for one in asked[kind].values())
    notice, file = (ROOT / "NOTICE").read_text(), "src/threesil/web/static/codemirror.js"
    assert file in notice and "Permission is hereby granted" in notice
    assert "NOTICE" in (ROOT / file).read_text().splitlines()[0]


def test_data_from_elsewhere_is_named_with_its_licence() -> None:
    assert set(PROJECT["license-files"]) == {"LICENSE", "LICENSE-APACHE", "NOTICE"}
    notice = (ROOT / "NOTICE").read_text()
    recorded = ROOT / "src" / "threesil" / "problems" / "fetch" / "recorded"
    files = [
        *recorded.glob("etp-*"),
        ROOT / "src" / "threesil" / "models" / "selection.safetensors",
    ]
    assert len(files) == 3
    for file in files:
        assert file.relative_to(ROOT).as_posix() in notice
    assert "Apache License, Version 2.0" in notice
    assert "Version 2.0, January 2004" in (ROOT / "LICENSE-APACHE").read_text()
