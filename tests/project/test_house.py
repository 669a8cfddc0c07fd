"""The rooms of the package: the picture of them is true, and what they name is there."""

from __future__ import annotations

import ast
import subprocess
import sys
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
