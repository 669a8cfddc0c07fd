"""The report of a comparison: what it says, and the files it consists of.

    DIR/report.md           Markdown, with the pictures of DIR/figures
    DIR/report.html         the same as one page that needs nothing else
    DIR/figures/NAME.png    each picture, and NAME.svg

The same results give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from threesil.compare.pages import (
    Block,
    Picture,
    Points,
    Table,
    Text,
    Title,
    inline_svg,
    to_html,
    to_markdown,
)
from threesil.compare.results import Setting
from threesil.compare.standing import Entrant, Standing
from threesil.compare.statistics import wilson
from threesil.files import write_atomically

LEVEL: Final = 0.05  # of significance
_FULL: Final = 0.9  # of the limit; attempts that got less CPU time are mentioned
_VENN: Final = 4


def write_report(
    directory: Path, setting: Setting, standing: Standing, runs: Sequence[Mapping[str, Any]]
) -> Path:
    """Writes all files and returns the page."""
    from threesil.compare.plots import INK, cactus, picture, shares
    from threesil.compare.set_plots import upset, venn

    figures = {"cactus": cactus(standing), "shares": shares(standing)}
    if len(standing.entrants) > 1:
        first = dict(list(standing.sets.items())[:_VENN])
        figures["venn"] = venn(first, len(standing.common))
        figures["upset"] = upset(standing.sets)
    inlined = {}
    for name, figure in figures.items():
        for kind in ("png", "svg"):
            content = picture(figure, kind)
            write_atomically(directory / "figures" / f"{name}.{kind}", content)
        inlined[name] = inline_svg(content.decode(), name, INK)
    blocks = list(report(setting, standing, runs))
    write_atomically(directory / "report.md", to_markdown(blocks).encode())
    title = f"{setting.problems}: {', '.join(e.name for e in standing.entrants)}"
    page = directory / "report.html"
    write_atomically(page, to_html(blocks, inlined, title).encode())
    return page


def report(
    setting: Setting, standing: Standing, runs: Sequence[Mapping[str, Any]]
) -> Iterator[Block]:
    """What the report says, from the most to the least important."""
    yield Title(f"{len(standing.entrants)} systems on {setting.problems}", 1)
    yield Text(_setting(setting, standing, runs))
    yield Title("Share solved")
    yield Text(
        "Problems solved within a time, their share, and its 95 % interval (Wilson). "
        f"The union counts what at least one system solved of the {len(standing.common)} "
        "problems that all have tried."
    )
    yield _share_table(standing)
    clock = _clock(standing)
    yield Picture(
        "shares",
        f"Share of problems solved against {clock}",
        f"Share solved against {clock}; the shades are 95 % intervals.",
    )
    yield Picture(
        "cactus",
        f"{clock} against the number of problems solved",
        "Cactus plot: how many problems take at most how long. Farther to the right is better; "
        "what took less than a millisecond is drawn at one.",
    )
    if len(standing.entrants) > 1:
        yield from _sets(standing)
        yield from _pairs(standing)
    yield Title("What became of the problems")
    yield _status_table(standing)
    yield Title("Systems")
    yield _system_table(standing)
    yield Title("Notes")
    yield Points(tuple(_notes(standing)))


def _setting(setting: Setting, standing: Standing, runs: Sequence[Mapping[str, Any]]) -> str:
    sentences = [
        f"{setting.count} problems of the theory {setting.theory}; {setting.seconds:g} s of CPU "
        f"time and {setting.memory} MB for each attempt. Times are {_clock(standing)}."
    ]
    for run in runs:
        sentences.append(
            f"Run on {run['date']}: {run['cpu']}, {run['cpus']} cores, "
            f"{run['workers']} attempts at a time."
        )
    return " ".join(sentences)


def _clock(standing: Standing) -> str:
    return "CPU seconds" if standing.clock == "cpu" else "seconds by the wall clock"


def _share(solved: int, problems: int, sure: bool) -> str:
    low, high = wilson(solved, problems)
    share = solved / problems if problems else 0.0
    return f"{'' if sure else '≥ '}{solved} · {share:.3f} ({low:.3f}–{high:.3f})"


def _share_table(standing: Standing) -> Table:
    columns = ("system", "problems", *(f"{t:g} s" for t in standing.times))
    rows = []
    for entrant in standing.entrants:
        cells = (
            _share(len(entrant.solved(t, standing.clock)), len(entrant.rows), entrant.covers(t))
            for t in standing.times
        )
        rows.append((_label(entrant), str(len(entrant.rows)), *cells))
    if len(standing.entrants) > 1:
        common = set(standing.common)
        cells = (
            _share(
                len(
                    common & set().union(*(e.solved(t, standing.clock) for e in standing.entrants))
                ),
                len(common),
                all(e.covers(t) for e in standing.entrants),
            )
            for t in standing.times
        )
        rows.append(("union", str(len(common)), *cells))
    return Table(columns, tuple(rows))


def _label(entrant: Entrant) -> str:
    return f"{entrant.name} (imported)" if entrant.imported else entrant.name


def _sets(standing: Standing) -> Iterator[Block]:
    yield Title("Who solves what")
    yield Text(
        f"Within {standing.at:g} s, on the {len(standing.common)} problems that "
        f"all systems have tried. Together they solve {len(standing.union)}."
    )
    rows = []
    for entrant in standing.entrants:
        solved = standing.sets[entrant.name]
        missed, alone = standing.union - solved, standing.unique[entrant.name]
        counts = (str(len(part)) for part in (solved, alone, missed))
        rows.append((_label(entrant), *counts))
    yield Table(("system", "solved", "solved by no other", "solved by others only"), tuple(rows))
    shown = [entrant.name for entrant in standing.entrants[:_VENN]]
    left_out = len(standing.entrants) - len(shown)
    yield Picture(
        "venn",
        f"Venn diagram of {', '.join(shown)}",
        f"Problems solved by {', '.join(shown)}"
        + (f"; the other {left_out} systems are in the next picture only." if left_out else "."),
    )
    yield Picture(
        "upset",
        "UpSet plot of all systems",
        "UpSet plot: how many problems are solved by exactly the systems with a coloured dot.",
    )


def _pairs(standing: Standing) -> Iterator[Block]:
    yield Title("Pairs of systems")
    yield Text(
        "McNemar's exact test for each pair: could the problems that only one of the two solved "
        "as well be tosses of a fair coin? `p` is its two-sided p-value, `p (Holm)` the same "
        f"corrected for the {len(standing.pairs)} tests of this table. The column `better` "
        f"names the better system where the corrected value is below {LEVEL:g}."
    )
    columns = (
        "first", "second", "better", "at", "problems", "both", "only first", "only second",
        "neither", "p", "p (Holm)",
    )  # fmt: skip
    rows = []
    for pair in standing.pairs:
        better = "–"
        if pair.corrected < LEVEL:
            better = pair.first if pair.only_first > pair.only_second else pair.second
        counts = (pair.problems, pair.both, pair.only_first, pair.only_second, pair.neither)
        numbers = (*(str(n) for n in counts), _p(pair.p), _p(pair.corrected))
        rows.append((pair.first, pair.second, better, f"{pair.at:g} s", *numbers))
    yield Table(columns, tuple(rows), texts=3)


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"


def _status_table(standing: Standing) -> Table:
    counts = [(entrant, entrant.statuses()) for entrant in standing.entrants]
    seen = sorted({status for _, count in counts for status in count}, key=lambda s: s != "Theorem")
    rows = tuple((_label(e), *(str(count[status]) for status in seen)) for e, count in counts)
    return Table(("system", *seen), rows)


def _system_table(standing: Standing) -> Table:
    rows = []
    for entrant in standing.entrants:
        facts = entrant.description
        if entrant.imported:
            cells = (f"imported from `{entrant.file}`", "not run here", "as the file says")
        else:
            command = f"`{facts.get('command', '')}`"
            cells = (str(facts.get("version", "")), command, str(facts.get("proofs", "")))
        rows.append((entrant.name, *cells))
    return Table(("system", "version", "command", "proofs"), tuple(rows), texts=4)


def _notes(standing: Standing) -> Iterator[str]:
    yield (
        "A problem counts as solved at t if its status is Theorem and its time is at most t, in "
        f"{_clock(standing)}."
    )
    if any(not entrant.imported for entrant in standing.entrants):
        yield (
            "threesil's own systems are started once and stay warm, external provers are started "
            "for each problem; the start is part of their time."
        )
    imported = [entrant.name for entrant in standing.entrants if entrant.imported]
    if imported:
        yield f"{', '.join(imported)}: measured elsewhere, maybe with other limits and machines."
    for entrant in standing.entrants:
        yield from _caveats(entrant, standing)


def _caveats(entrant: Entrant, standing: Standing) -> Iterator[str]:
    name = entrant.name
    lacking = len(standing.problems) - len(entrant.rows)
    if lacking:
        yield (
            f"{name}: {lacking} of {len(standing.problems)} problems have no result. They are "
            "left out of its share and of every comparison with it, not counted as failures."
        )
    if entrant.others:
        yield f"{name}: {entrant.others} results of problems that are not compared were ignored."
    if not entrant.covers(standing.limit):
        yield (
            f"{name}: it had about {entrant.reach():.2g} s for a problem; its counts for longer "
            "times are lower bounds (≥), and it is compared at times that it covers."
        )
    late = [row for row in entrant.rows.values() if row.status == "Timeout"]
    short = sum(row.cpu_seconds < _FULL * standing.limit for row in late)
    if short and not entrant.imported:
        yield (
            f"{name}: {short} of {len(late)} timeouts came before {_FULL:.0%} of the CPU time was "
            "used; the machine was busy, or the prover counts otherwise."
        )
