"""Print locked.txt: the releases of constraints.txt, with the SHA-256 of each of their files.

Usage: lock.py, by a Python that has all extras installed

Before each release stands which extras need it (`base`: the build and the package itself), on any
of the Pythons that `PYTHONS` names. Its files are those that the index of pip's configuration has
for Linux. PyTorch is left out: its builds for machines without a GPU come from elsewhere.
"""

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import (
    InvalidSdistFilename,
    InvalidWheelFilename,
    canonicalize_name,
    parse_sdist_filename,
    parse_wheel_filename,
)
from packaging.version import Version
from pip._internal.commands import create_command
from pip._internal.index.collector import parse_links
from pip._internal.models.link import Link
from requirements import requirements

ROOT = Path(__file__).parents[1]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
UNLOCKED = {"torch"}


def pins() -> dict[str, tuple[str, Version]]:
    """What constraints.txt says: (its name there, version) by canonical name."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(name): (name, Version(version)) for name, version in pairs}


def needed(given: list[str]) -> set[str]:
    """The canonical names of all that these requirements need, directly or not."""
    environments = [
        {**default_environment(), "python_version": python, "python_full_version": f"{python}.0"}
        for python in PYTHONS
    ]
    found: set[tuple[str, str]] = set()  # with an extra, or an empty one
    left = [Requirement(text) for text in given]
    while left:
        requirement = left.pop()
        name = canonicalize_name(requirement.name)
        for extra in {"", *requirement.extras} - {e for n, e in found if n == name}:
            found.add((name, extra))
            try:
                listed = distribution(name).requires or ()
            except PackageNotFoundError:
                continue  # for another Python, or a part of PyTorch
            for one in map(Requirement, listed):
                marker = one.marker
                if marker is None or any(
                    marker.evaluate({**e, "extra": extra}) for e in environments
                ):
                    left.append(one)
    return {name for name, _ in found}


class Index:
    """The index that pip is configured to use, the first one if there are several."""

    def __init__(self) -> None:
        command = create_command("download")
        options, _ = command.parse_args([])
        finder = command._build_package_finder(options, command._build_session(options))
        self._collector = finder._link_collector

    def hashes(self, name: str, version: Version) -> list[str]:
        """The SHA-256 of each file of a release that is for Linux."""
        place, *_ = self._collector.search_scope.get_index_urls_locations(name)
        page = self._collector.fetch_response(Link(place))
        links = parse_links(page) if page is not None else ()
        files = {link.hash for link in links if is_for_linux(link.filename, version)}
        found = sorted(one for one in files if one)
        if not found:
            sys.exit(f"the index has no file of {name} {version} with a SHA-256")
        return found


def is_for_linux(filename: str, version: Version) -> bool:
    """Whether a file is a source or a wheel of this version that a Linux can use."""
    try:
        if not filename.endswith(".whl"):
            return parse_sdist_filename(filename)[1] == version
        _, its, _, tags = parse_wheel_filename(filename)
    except (InvalidSdistFilename, InvalidWheelFilename):
        return False
    return its == version and any(re.match("any$|.*linux", tag.platform) for tag in tags)


def main() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    groups = {extra: needed(requirements([extra])) for extra in project["optional-dependencies"]}
    base = needed(requirements([]))
    index, releases = Index(), pins()
    print("# The releases of constraints.txt with the SHA-256 of their files for Linux, and before")
    print("# each the extras that need it. Renewed by `make constraints`.")
    for name, (written, version) in releases.items():
        users = ["base"] if name in base else [e for e, names in groups.items() if name in names]
        if name in UNLOCKED or not users:
            continue
        options = "".join(f" \\\n    --hash=sha256:{one}" for one in index.hashes(name, version))
        print(f"# for {' '.join(users)}\n{written}=={version}{options}")


if __name__ == "__main__":
    main()
