"""Photograph the page for the documentation, and for looking at it.

Usage: screenshots.py DIRECTORY [all]

Starts `threesil serve` and Debian's chromium. Without `all` it writes what docs/ shows: the
proof, the refutation, both together and the game, at 1280 pixels. With it, every page at 1280 and
at 390 pixels, light and dark.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking"]
GOAL = "x * i(x) = e"


def proof(page: Page) -> None:
    """With lemmas, so that it has a graph."""
    prove(page, "i(x * y) = i(y) * i(x)", ".answer.proved")


def trees(page: Page) -> None:
    proof(page)
    page.check("text=as trees")


def model(page: Page) -> None:
    prove(page, "x * y = y * x", ".answer.refuted")


def answers(page: Page) -> None:
    """A proof and a counter-model, one below the other."""
    page.select_option("#theory", "groups")
    page.fill("#text", f"{GOAL}\nx * y = y * x")
    page.wait_for_selector("text=2 goals")
    page.focus("#text")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector(".answer.refuted")


def error(page: Page) -> None:
    page.select_option("#theory", "groups")
    page.fill("#text", "x * = y")
    page.wait_for_selector(".read .error")


def game(page: Page) -> None:
    page.click("nav >> text=Play")
    page.wait_for_selector("svg.tree")
    page.click("button.act >> text=to argument 1")
    page.wait_for_selector("text=1 of 30 steps")


def prove(page: Page, text: str, until: str) -> None:
    page.select_option("#theory", "groups")
    page.fill("#text", text)
    page.wait_for_selector("text=for all")
    page.focus("#text")
    page.keyboard.press("Enter")
    page.wait_for_selector(until)


def section(name: str) -> Callable[[Page], None]:
    def open_it(page: Page) -> None:
        page.click(f"nav >> text={name}")
        page.wait_for_load_state("networkidle")

    return open_it


SHOWN = {"page-proof": proof, "page-model": model, "page-play": game, "page-answers": answers}
PARTS = {"page-answers": ".results"}  # of the page that are shown alone
OTHERS = {"trees": trees, "error": error, "theories": section("Theories"), "runs": section("Runs")}
OTHERS["comparisons"] = section("Comparisons")


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server that ends with the block."""
    command = [sys.executable, "-m", "threesil", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        try:
            yield found.group()
        finally:
            server.terminate()


def photograph(
    browser: Browser, url: str, path: Path, show: Callable[[Page], None], width: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.goto(url)
    page.wait_for_selector("text=Understood as")
    show(page)
    page.wait_for_timeout(300)
    part = PARTS.get(path.stem)
    if part:
        page.locator(part).screenshot(path=path)
    else:
        page.screenshot(path=path, full_page=True)
    context.close()
    with Image.open(path) as image:  # 64 colours are enough, and a third of the size
        image.convert("RGB").quantize(64).save(path, optimize=True)


def main(directory: Path, everything: bool) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    with serving() as url, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        if not everything:
            for name, show in SHOWN.items():
                photograph(browser, url, directory / f"{name}.png", show, 1280, "light")
        else:
            for name, show in {**SHOWN, **OTHERS}.items():
                for width in (1280, 390):
                    for scheme in ("light", "dark"):
                        path = directory / f"{name}-{width}-{scheme}.png"
                        photograph(browser, url, path, show, width, scheme)
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), "all" in sys.argv[2:])
