"""Print the requirements that pyproject.toml declares, one per line.

Usage: requirements.py [EXTRA ...]

Prints what a build without isolation needs, the base dependencies, and those of the extras
named; `all` stands for every extra.
"""

import sys
import tomllib
from pathlib import Path

# A build without isolation doesn't fetch these by itself.
BUILD_PROGRAMS = ["cmake", "ninja"]


def requirements(extras: list[str]) -> list[str]:
    """The requirements of the build, of the package and of its `extras`."""
    pyproject = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())
    project = pyproject["project"]
    optional = project["optional-dependencies"]
    found = BUILD_PROGRAMS + pyproject["build-system"]["requires"] + project["dependencies"]
    for extra in optional if "all" in extras else extras:
        found += optional[extra]
    return found


if __name__ == "__main__":
    print("\n".join(requirements(sys.argv[1:])))
