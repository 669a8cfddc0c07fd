"""The rooms of the package: the picture of them is true, and what they name is there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "threesil"
ROOMS = sorted(path.parent.name for path in PACKAGE.glob("*/__init__.py"))


def test_the_picture_is_drawn_from_the_imports() -> None:
    pytest.importorskip("grimp")
    command = [sys.executable, str(ROOT / "tools" / "draw_house.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is(room: str) -> None:
    text = ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text()))
    assert text
    assert text.split("\n\n")[0].endswith((".", ":", "`"))


def test_nothing_is_imported_by_a_text() -> None:
    """No room reaches another one by a name in a text; the surface of the package may."""
    found = [
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "import_module" in path.read_text()
    ]
    allowed = {
        "__init__.py",  # names are loaded when they are first used
        "cli/__init__.py",  # so are commands
        "search/finite/sat.py",  # a module without types, of another package
    }
    assert set(found) == allowed


def imports_between_rooms() -> Iterator[tuple[Path, list[str], list[str]]]:
    """(a file, the path of what it imports from another room, the names that it imports)."""
    for path in PACKAGE.rglob("*.py"):
        room = path.relative_to(PACKAGE).parts[0]
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("threesil."):
                inside = str(node.module).split(".")[1:]
                if inside[0] != room and inside[0] in ROOMS:
                    yield path, inside, [alias.name for alias in node.names]


def test_rooms_use_of_each_other_what_is_named() -> None:
    """What a room has for others is named in its `__init__`, that of a folder in it in its own."""
    hidden = []
    for path, inside, names in imports_between_rooms():
        for depth in range(1, len(inside) + 1):
            surface = PACKAGE.joinpath(*inside[:depth], "__init__.py")
            used = inside[depth : depth + 1] or names
            if surface.exists():
                named = set(re.findall(r"\w+", surface.read_text()))
                hidden += [(path.name, ".".join(inside), name) for name in {*used} - named]
    assert not hidden
