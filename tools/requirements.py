"""Print the requirements that pyproject.toml declares, one per line.

Usage: requirements.py [--locked] [EXTRA ...]

Prints what a build without isolation needs, the base dependencies, and those of the extras
named; `all` stands for every extra. With --locked: the releases of locked.txt that all these need,
with the hashes that pip is to check.
"""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
# A build without isolation doesn't fetch these by itself.
BUILD_PROGRAMS = ["cmake", "ninja"]


def requirements(extras: list[str]) -> list[str]:
    """The requirements of the build, of the package and of its `extras`."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = pyproject["project"]
    optional = project["optional-dependencies"]
    found = BUILD_PROGRAMS + pyproject["build-system"]["requires"] + project["dependencies"]
    for extra in optional if "all" in extras else extras:
        found += optional[extra]
    return found


def locked(extras: list[str]) -> Iterator[str]:
    """The lines of locked.txt that are for the base or one of the `extras`."""
    wanted = {"base", *extras}
    ours = False
    for line in (ROOT / "locked.txt").read_text().splitlines():
        if line.startswith("# for "):
            ours = "all" in wanted or not wanted.isdisjoint(line.split()[2:])
        elif ours:
            yield line


if __name__ == "__main__":
    options = sys.argv[1:]
    if "--locked" in options:
        print("\n".join(locked([option for option in options if option != "--locked"])))
    else:
        print("\n".join(requirements(options)))
