from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from waiting import HANG
from web.serving import CHROMIUM, FLAGS, Server, serving

fastapi = pytest.importorskip("fastapi")
playwright = pytest.importorskip("playwright.sync_api")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with nothing but a directory of theory files."""
    where = tmp_path_factory.mktemp("served")
    files = where / "files"
    files.mkdir()
    (files / "milk.thy").write_text(
        "Theory milk: Milk in tea.\nConstants tea, milk.\n"
        "Axiom stir: stir(stir(x)) = stir(x).\nAxiom pour: pour(x,y) = stir(mix(x,y)).\n"
    )
    (where / "secret.thy").write_text("Axiom secret: hidden(x) = x.\n")
    (files / "out.thy").symlink_to(where / "secret.thy")
    with serving("--files", str(files), where=where) as running:
        yield running


@pytest.fixture(scope="module")  # its driver has an event loop, which other tests can't bear
def browser() -> Iterator[object]:
    if not Path(CHROMIUM).exists():
        pytest.skip("Debian's chromium is not installed")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def page(browser: object, server: Server) -> Iterator[object]:
    """A page of the server on which nothing goes wrong unseen."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])  # type: ignore[attr-defined]
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    gone = ("api/", "icon.svg")  # they may be under way when a test leaves the page
    page.on("requestfailed", lambda r: any(o in r.url for o in gone) or wrong.append(r.url))
    page.on("request", lambda r: None if r.url.startswith(server.url) else wrong.append(r.url))
    page.set_default_timeout(1000 * HANG)
    page.goto(server.url)
    page.wait_for_selector("#text")
    yield page
    context.close()
    assert not wrong
