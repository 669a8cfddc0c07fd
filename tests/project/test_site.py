"""The documentation as a site: it builds without a warning, and loads nothing from elsewhere."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("material")
pytest.importorskip("mkdocstrings")

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make docs` does, where a link to nowhere is an error."""
    where = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(where)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return where


class Loaded(HTMLParser):
    """What a page makes the browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "link" and given.get("rel") not in ("canonical", "next", "prev"):
            self.found.append(given.get("href") or "")
        if tag != "link" and given.get("src"):
            self.found.append(given["src"] or "")


@pytest.mark.slow
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 20
    for page in pages:
        parser = Loaded()
        parser.feed(page.read_text())
        assert parser.found
        for address in parser.found:
            assert not re.match(r"\w+:|//", address), (page.name, address)
            if page.name != "404.html":  # its addresses start at the root of the site
                assert (page.parent / address).is_file(), (page.name, address)


@pytest.mark.slow
def test_the_docstrings_of_the_public_names_are_there(site: Path) -> None:
    import threesil

    shown = "".join(page.read_text() for page in (site / "api").glob("*.html"))
    missing = [name for name in threesil.__all__ if f'.{name}"' not in shown]
    assert missing == ["Position"]  # a name for tuples of numbers


@pytest.mark.slow
def test_every_page_is_in_the_table_of_contents(site: Path) -> None:
    contents = (site / "index.html").read_text()
    for page in (ROOT / "docs").rglob("*.md"):
        name = page.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        assert page.name == "README.md" or f'href="{name}"' in contents, name
