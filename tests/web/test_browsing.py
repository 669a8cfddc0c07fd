"""Runs and comparisons: by the interface, and on the page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from run_samples import describe
from samples import AIM, equation
from threesil.kernel.outcome import SZS
from threesil.kernel.theory import Problem
from threesil.measure.compare.directory import Comparison, this_machine
from threesil.measure.results import Row
from threesil.measure.setting import make_setting
from threesil.runs.findings import Shares
from threesil.runs.metrics import metrics_line
from threesil.runs.run import Run
from threesil.runs.weights import find_policy
from threesil.theories.robinson import ROBINSON
from web.serving import Server, http, serving

CLAIM = equation("x * e = x")
PROBLEMS = [Problem(f"p{n}", CLAIM.start, CLAIM.target) for n in range(6)]


def epoch(number: int) -> str:
    facts = {"epoch": number, "level": 1, "success": number / 10, "solved": 5 * number}
    return metrics_line({**facts, "problems": 100, "loss": 1.0 / (number + 1)})


def make_run(directory: Path, epochs: int) -> None:
    describe(directory, seed=7, config={"ME": 10})
    (directory / "metrics.jsonl").write_text("".join(map(epoch, range(epochs))))


def make_comparison(directory: Path) -> None:
    names = tuple(problem.name for problem in PROBLEMS)
    with Comparison(directory) as comparison:
        for system, solves in (("quick", (0, 1, 2, 3)), ("slow", (2, 3, 4))):
            setting = make_setting(
                PROBLEMS, lambda _: AIM, AIM, "/secret/place/set.tsv", system, seconds=2.0
            )
            results = comparison.enter(setting, names)
            for number, name in enumerate(names):
                good = number in solves
                status, took = (SZS.THEOREM, 0.1 * (number + 1)) if good else (SZS.TIMEOUT, 2.0)
                results.add(Row(name, status, good, took, took, rewrites=3 if good else None))
        comparison.begin(this_machine(1))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    where = tmp_path_factory.mktemp("kept")
    make_run(where / "runs" / "good", 3)
    make_run(where / "runs" / "bad", 1)
    (where / "runs" / "bad" / "run.json").write_text("{")
    make_run(where / "elsewhere", 1)
    (where / "runs" / "out").symlink_to(where / "elsewhere")
    make_comparison(where / "comparisons" / "c1")
    with serving(where=where) as running:
        running.where = where  # type: ignore[attr-defined]
        yield running


def get(server: Server, path: str) -> Any:
    answer = http.get(f"{server.url}api/{path}")
    assert str(server.where) not in answer.text and "/secret" not in answer.text  # type: ignore[attr-defined]
    return answer.json()


def test_runs_are_listed_the_damaged_ones_with_what_is_wrong(server: Server) -> None:
    found = {run["name"]: run for run in get(server, "runs")["runs"]}
    assert found["good"]["epochs"] >= 3 and found["good"]["of"] == 10
    assert "run.json" in found["bad"]["error"] and "out" not in found


@pytest.mark.parametrize("name", ["out", "../elsewhere", "/etc", "", "good/../../elsewhere", "%00"])
def test_only_what_is_listed_can_be_read(server: Server, name: str) -> None:
    assert "error" in http.get(f"{server.url}api/run", params={"name": name}).json()


def test_a_run_is_watched(page: Any, server: Server) -> None:
    page.click("nav >> text=Runs")
    page.click("text=good")
    page.wait_for_selector("text=3 epochs of 10")
    points = page.locator("polyline.curve").first.get_attribute("points").split()
    assert len(points) == 3
    with (server.where / "runs" / "good" / "metrics.jsonl").open("a") as file:  # type: ignore[attr-defined]
        file.write(epoch(3))
    page.wait_for_selector("text=4 epochs of 10")
    points = page.locator("polyline.curve").first.get_attribute("points").split()
    assert len(points) == 4
    assert get(server, "run?name=good&after=1")["metrics"][0]["epoch"] == 2


def test_a_run_shows_its_table_first_and_no_chart_of_nothing(page: Any, server: Server) -> None:
    directory = server.where / "runs" / "table"  # type: ignore[attr-defined]
    make_run(directory, 2)
    describe(directory, config={"ME": 10000, "minutes": 3.0}, stages={"policy": True})
    run = Run(directory)
    run.write_shares([Shares(0.1, 40, 10, 30, 2, 22, 0.0001), Shares(1.0, 40, 40, 40, 0, 0, 1.0)])
    page.click("nav >> text=Runs")
    page.click("text=table")
    page.wait_for_selector(".shares table")
    cells = page.locator(".shares tbody tr >> nth=0 >> td").all_inner_texts()
    assert cells == ["25.0 %", "75.0 %", "2", "22", "0.00010"]
    said = page.inner_text(".shares")
    assert "40 theorems that training has not seen" in said and "McNemar" in said
    assert "10000" not in page.inner_text("main") and not page.locator("svg.chart").count()
    with (directory / "metrics.jsonl").open("a") as file:
        file.write(epoch(2))
    page.wait_for_selector("svg.chart")
    # Neither what never changes is drawn, nor anything without its unit and what it means.
    titles = page.locator("figcaption").all_inner_texts()
    assert titles == ["Solved by the policy alone", "Problems solved so far", "Loss"]
    assert page.locator("figure > p").count() == len(titles) == page.locator("svg.chart").count()
    order = "one => one.compareDocumentPosition(document.querySelector('.charts'))"
    assert page.locator(".shares").evaluate(order) == 4  # charts follow
    assert page.locator("button:text('Resume')").count() == 0


def test_the_table_of_theories_scrolls_on_a_phone(page: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.click("nav >> text=Theories")
    table = page.locator("[aria-label=Theories]")
    table.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert table.evaluate("one => one.scrollWidth > one.clientWidth")
    table.evaluate("one => one.scrollTo(one.scrollWidth, 0)")
    assert table.evaluate("one => one.scrollLeft") > 0
    name = table.locator("tbody th").first  # stays in sight
    assert name.evaluate("one => one.getBoundingClientRect().left") >= 0


def test_a_comparison_counts_what_is_solved(server: Server) -> None:
    found = get(server, "comparison?name=c1")
    quick, slow = found["systems"]
    assert quick["within"][-1] == quick["certified"] == 4 and slow["within"][-1] == 3
    assert found["set"] == "set.tsv" and len(found["problems"]) == 6


def test_a_comparison_can_be_filtered(page: Any) -> None:
    page.click("nav >> text=Comparisons")
    page.click("text=c1")
    page.wait_for_selector("svg.chart")
    assert page.locator("svg.chart circle").count() == 6
    for kind, count in {"both": 2, "x": 2, "y": 1, "one": 3, "none": 1}.items():
        page.select_option("#which", kind)
        word = "problem" if count == 1 else "problems"
        page.wait_for_selector(f"p:text-is('{count} {word}')")
        assert page.locator("[aria-label=Problems] tbody tr").count() == count
    page.select_option("#which", "all")
    page.fill("#named", "P3")
    page.wait_for_selector("p:text-is('1 problem')")


def test_the_weights_of_a_run_can_be_used_if_it_has_some(server: Server) -> None:
    make_run(server.where / "runs" / "mine", 1)  # type: ignore[attr-defined]
    body = {"theory": "robinson", "text": "2 * S(1 + 0)", "weights": "mine"}
    asked = http.post(f"{server.url}api/play", json=body)
    assert (
        asked.status_code == 400
        and "in the run: expected a finished run" in asked.json()["error"]["message"]
    )
    assert str(server.where) not in asked.text  # type: ignore[attr-defined]
    model = find_policy(None, ROBINSON)
    model.save(server.where / "runs" / "mine" / "model.safetensors")  # type: ignore[attr-defined]
    state = http.post(f"{server.url}api/play", json={**body, "go": "best"}).json()
    assert state["solved"]
    told = http.post(f"{server.url}api/prove", json=body).text
    assert '"proved": 1' in told
    gone = http.post(f"{server.url}api/play", json={**body, "weights": "out"})
    assert gone.status_code == 400


def test_what_no_text_can_hold_is_named(server: Server) -> None:
    """JSON can say halves of surrogate pairs, UTF-8 can't."""
    make_run(server.where / "runs" / "half", 0)  # type: ignore[attr-defined]
    describe(server.where / "runs" / "half", theory="a\ud800")  # type: ignore[attr-defined]
    answer = get(server, "run?name=half")
    assert "theory" not in answer
    assert "run.json" in json.dumps(answer)
