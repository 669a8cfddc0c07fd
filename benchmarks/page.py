"""How fast the page is: first paint, and from Enter to the proof of the paper's example.

    python benchmarks/page.py [ROUNDS]

Starts `threesil serve` and Debian's chromium; prints one JSON object, times in milliseconds.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import time

from playwright.sync_api import Page, sync_playwright

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--headless", "--disable-gpu", "--disable-background-networking"]
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
# From the key to the frame after the one in which the proof was put on the page.
WATCH = """() => { window.took = new Promise((done) => {
    let begin = 0;
    document.addEventListener("keydown", () => { begin = performance.now(); }, { capture: true });
    new MutationObserver((_, observer) => {
        if (!document.querySelector(".answer.proved")) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
    }).observe(document.querySelector(".results"), { childList: true });
}); }"""


def measure(page: Page, url: str) -> tuple[float, float]:
    """(first paint, from Enter to the proof)"""
    page.goto(url)
    page.wait_for_selector("text=Understood as")
    page.select_option("#theory", "aim")
    page.fill("#text", "x * T(y,x) = y * x")
    page.wait_for_selector(".goals >> text=T(y,x) = y * x")
    page.focus("#text")
    page.evaluate(WATCH)
    page.keyboard.press("Enter")
    return page.evaluate(PAINT), page.evaluate("window.took")


def main(rounds: int) -> None:
    command = [sys.executable, "-m", "threesil", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        found = re.search(r"http://\S+", server.stdout.readline())
        assert found is not None
        time.sleep(5)  # until its processes are there
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            rows = []
            for _ in range(rounds):
                context = browser.new_context()
                rows.append(measure(context.new_page(), found.group()))
                context.close()
            browser.close()
        server.terminate()
    paints, proofs = zip(*rows, strict=True)
    figures = {
        name: {"median": round(statistics.median(of)), "largest": round(max(of))}
        for name, of in (("first_paint", paints), ("enter_to_proof", proofs))
    }
    load, cpus = os.getloadavg()[0], os.cpu_count()
    print(json.dumps({**figures, "rounds": rounds, "load": round(load, 1), "cpus": cpus}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
