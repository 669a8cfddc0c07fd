"""The report: one page that needs nothing else, the same for the same results."""

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from measure.rows import PROBLEMS, standing
from threesil.kernel.outcome import SZS
from threesil.measure.compare.pages import code, escape, points, table, title, to_html
from threesil.measure.compare.plots import scatters
from threesil.measure.compare.report import report, write_report
from threesil.measure.compare.set_plots import places, upset, venn
from threesil.measure.compare.standing import Standing
from threesil.measure.setting import Setting

SETTING = Setting("dev", 10, "0", "aim", "0", "", 60.0, memory=2048)
RUNS = [{"date": "2020-02-20", "cpu": "abacus <mk 2>", "cpus": 2, "workers": 2}]


def files(directory: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in sorted(directory.rglob("*")) if p.is_file()}


def markdown(here: Standing) -> str:
    return report(SETTING, here, RUNS)


def test_the_report_says_what_was_measured() -> None:
    text = markdown(standing())
    assert "10 problems of aim; 60 s of CPU time and 2048 MB" in text
    assert "Times are CPU seconds. Run on 2020-02-20" in text
    assert "| quick | 10 | 6 · 0.600 (0.313–0.832) |" in text
    assert "| other (imported) | 10 | 1 · 0.100" in text
    assert "| union | 10 | 6 · 0.600" in text
    assert "| slow | 8 | 3 | 2 |" in text
    assert "| quick | slow | – | 60 s | 10 | 4 | 2 | 4 | 0 | 0.688 | 0.688 |" in text
    assert "| quick | quick 1.0 | `quick <file>` | as the prover says |" in text
    assert "imported from `other.tsv`" in text
    assert "| quick | 6 | 0 | 4 |" in text and "| slow | 0 | 8 | 2 |" in text
    assert "| solver | certified | claimed | Timeout |" in text
    assert "| p1 | Theorem 0.020 | Timeout 60.000 | Timeout 60.000 |" in text
    assert "| p9 | Timeout 60.000 | Theorem (claim) 12.000 | Theorem (claim) 30.000 |" in text
    assert "other: 3 results of problems that are not compared were ignored" in text
    assert "wall clock" in markdown(replace(standing(), clock="wall"))


def test_missing_results_and_short_limits_are_said_aloud() -> None:
    here = standing()
    other = here.entrants[2]
    rows = {p: replace(row, seconds=2.0, cpu_seconds=2.0) for p, row in other.rows.items()}
    del rows["p1"], rows["p2"]
    text = markdown(replace(here, entrants=(*here.entrants[:2], replace(other, rows=rows))))
    assert "other: 2 of 10 problems have no result" in text
    assert "not counted as failures" in text
    assert "other: it had about 2 s for a problem" in text
    assert "≥ 2 · 0.250" in text
    assert "problems that all solvers have tried" in text


def test_early_timeouts_are_mentioned() -> None:
    here = standing()
    rows = {p: replace(row, cpu_seconds=20.0) for p, row in here.entrants[0].rows.items()}
    text = markdown(replace(here, entrants=(replace(here.entrants[0], rows=rows),)))
    assert "quick: 4 of 4 timeouts came before 90% of the CPU time" in text
    assert "Pairs" not in text


class Page(HTMLParser):
    """Gathers ids, references and open elements."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.references: list[str] = []
        self.stack: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag != "meta":
            self.stack.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("src", "href", "srcset", "data", "action", "xlink:href"):
                self.references.append(value or "")
            self.references += re.findall(r"url\(([^)]*)\)", value or "")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag != "meta":
            assert self.stack.pop() == tag


def test_the_page_needs_nothing_else(tmp_path: Path) -> None:
    text = write_report(tmp_path, SETTING, standing(), RUNS).read_text()
    page = Page()
    page.feed(text)
    assert not page.stack
    assert page.references and all(r.startswith("#") for r in page.references)
    assert {r[1:] for r in page.references} <= set(page.ids)
    assert len(set(page.ids)) == len(page.ids)
    assert not page.tags & {"script", "link", "iframe", "img", "object", "embed"}
    assert "://" not in text and "@import" not in text
    assert "default-src 'none'" in text
    assert 'name="viewport"' in text and "prefers-color-scheme: dark" in text
    assert "abacus &lt;mk 2&gt;" in text
    assert text.count("<svg") == 5
    assert text.count("currentColor") > 50


def test_on_paper_no_column_is_left_out() -> None:
    """Where nobody can scroll, tables are not cut off, and their cells have several lines."""
    page = to_html("", {}, "")
    wide, paper = page.partition("@media print")[::2]
    assert ".wide { overflow-x: auto;" in wide and "white-space: nowrap" in wide
    assert ".wide { overflow: visible; }" in paper
    assert "th.n, td.n, tbody th { white-space: normal; }" in paper


def test_the_same_results_give_the_same_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_report(tmp_path / name, SETTING, standing(), RUNS)
    first, second = files(tmp_path / "a"), files(tmp_path / "b")
    assert first == second
    names = ("cactus", "shares", "venn", "upset", "scatter")
    pictures = {f"{n}.{k}" for n in names for k in ("png", "svg")}
    assert set(first) == {"report.md", "report.html", *pictures}
    for link in re.findall(r"\]\((.*?)\)", first["report.md"].decode()):
        assert (tmp_path / "a" / link).is_file()


@pytest.mark.parametrize("count", [1, 2, 4, 6, 16])
def test_any_number_of_systems_has_a_report(tmp_path: Path, count: int) -> None:
    models = standing().entrants
    entrants = tuple(replace(models[k % 3], name=f"s{k}") for k in range(count))
    write_report(tmp_path, SETTING, Standing(PROBLEMS, entrants, 60.0), RUNS)
    text = (tmp_path / "report.md").read_text()
    assert ("figures/upset.png" in text) == (count > 1)
    assert ("are in the next picture only" in text) == (count > 4)


def test_a_scatter_has_a_point_for_each_problem_and_a_panel_for_each_pair() -> None:
    here = standing()
    panels = scatters(here).axes
    assert [axes.get_ylabel() for axes in panels] == ["slow", "other"]
    for axes, solved_by_both in zip(panels, (4, 1), strict=True):
        both, one = (np.asarray(drawn.get_offsets()) for drawn in axes.collections)
        assert len(both) == solved_by_both and both.max() <= here.limit
        assert len(both) + len(one) == len(PROBLEMS) and (one.max(axis=1) > here.limit).all()


def test_what_one_system_alone_solves_is_named() -> None:
    text = report(SETTING, standing(), RUNS)
    assert "- quick alone: p1.\n- slow alone: p6, p7, p8.\n" in text


def test_systems_that_solve_nothing_have_a_report(tmp_path: Path) -> None:
    here = standing()
    nothing = []
    for entrant in here.entrants:
        rows = entrant.rows.items()
        none = {p: replace(r, status=SZS.GAVE_UP, certified=False) for p, r in rows}
        nothing.append(replace(entrant, rows=none))
    write_report(tmp_path, SETTING, replace(here, entrants=tuple(nothing)), RUNS)
    assert "| quick | 0 | 0 | 0 |" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_region_of_a_venn_diagram_has_a_place(count: int) -> None:
    found = places(count)
    assert len(found) == 2**count - 1
    assert len(set(found.values())) == len(found)


def test_venn_diagrams_have_two_to_four_sets() -> None:
    with pytest.raises(ValueError, match="2 to 4 sets"):
        venn({"a": {"x"}}, 1)


def texts(figure: object) -> list[str]:
    return [t.get_text() for axes in figure.axes for t in axes.texts]  # type: ignore[attr-defined]


def test_the_numbers_are_in_the_diagrams() -> None:
    sets = {"a": set("pqrs"), "b": set("rstuv")}
    assert texts(venn(sets, 20)) == ["a\n4", "b\n5", "2", "3", "2", "solved by none: 13"]
    assert texts(upset(sets)) == ["3", "2", "2", "4", "5"]


NASTY = [
    "x|y",
    "<script>alert(1)</script>",
    "`code` ``more` \\`",
    "*bold* _em_ **x** ~~gone~~",
    "[link](javascript:alert(1)) ![i](http://x/y.png)",
    "&lt;b&gt; &amp;",
    "\\|back\\slash\\",
    "# heading",
    "- item",
    "1. item",
    "2) item",
    "=== +x",
    "--><svg onload=alert(1)>",
    "$x_{$ mathematics $$",
    "line\nbreak\ttab\x1b[31m\u202e",
    '\'" onclick="x',
    "<!-- comment",
    "_hidden",
    "a" * 300,
]


class Texts(HTMLParser):
    """The texts of a page's cells and items, and its tags."""

    def __init__(self) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in ("td", "th", "li", "h1", "p"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


def seen(name: str) -> str:
    """A name as it may be shown: in one line, without what steers a terminal."""
    return " ".join(re.sub("[\x1b\u202e]", "?", name).split())


@pytest.mark.parametrize("name", NASTY)
def test_names_stand_for_themselves(name: str) -> None:
    """In a table, as code, at the beginning of a list's item and in a heading."""
    cell = escape(name)
    parts = [
        title(cell, 1),
        table(("a", cell), [(cell, "1"), (code(name), "2")]),
        points([f"{cell}: x", "y"]),
        f"{cell} and {cell}.",
    ]
    page = Texts()
    page.feed(to_html("\n\n".join(parts), {}, name).partition("<main>")[2])
    shown = seen(name)
    expected = [shown, "a", shown, shown, "1", shown, "2", f"{shown}: x", "y"]
    assert [text.strip() for text in page.cells] == [*expected, f"{shown} and {shown}."]
    assert page.tags <= {
        "h1",
        "div",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "ul",
        "li",
        "p",
        "code",
    }


def test_a_report_with_nasty_names_is_whole(tmp_path: Path) -> None:
    names = tuple(NASTY[:10])
    entrants = []
    for index, entrant in enumerate(standing().entrants):
        rows = {n: replace(r, name=n) for n, r in zip(names, entrant.rows.values(), strict=True)}
        entrants.append(replace(entrant, name=NASTY[-2 - index], rows=rows))
    here = Standing(names, tuple(entrants), 60.0)
    text = write_report(tmp_path, replace(SETTING, problems=NASTY[1]), here, RUNS).read_text()
    page = Page()
    page.feed(text)
    assert not page.stack
    assert not page.tags & {"script", "link", "iframe", "img", "object", "embed", "a"}
    assert "<script" not in text and "onload=alert(1)>" not in text
    texts = Texts()
    texts.feed(text)
    for name in names:
        assert seen(name) in [cell.strip() for cell in texts.cells]


def test_tables_and_figures_say_what_they_are(tmp_path: Path) -> None:
    text = write_report(tmp_path, SETTING, standing(), RUNS).read_text()
    assert '<th scope="col">solver</th>' in text
    assert '<th scope="row">quick</th>' in text
    assert (
        '<td class="n">' in text
        and "style=" not in text.partition("<main>")[2].partition("<svg")[0]
    )
    assert '<div role="img" aria-label="Venn diagram of quick, slow, other">' in text
    assert "<figcaption>Problems solved by quick, slow, other.</figcaption>" in text
