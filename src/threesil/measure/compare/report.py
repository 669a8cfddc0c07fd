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

from threesil.files import write_atomically
from threesil.kernel.outcome import SZS
from threesil.measure.compare.pages import (
    code,
    escape,
    inline_svg,
    picture,
    points,
    table,
    title,
    to_html,
)
from threesil.measure.compare.plots import INK, cactus, draw, scatters, shares
from threesil.measure.compare.set_plots import upset, venn
from threesil.measure.compare.standing import Entrant, Standing, time_of
from threesil.measure.compare.statistics import wilson
from threesil.measure.results import Row
from threesil.measure.setting import Setting

LEVEL: Final = 0.05  # of significance
_FULL: Final = 0.9  # of the limit; attempts that got less CPU time are mentioned
_VENN: Final = 4
_NAMED: Final = 10  # problems in a sentence


def write_report(
    directory: Path, setting: Setting, standing: Standing, runs: Sequence[Mapping[str, Any]]
) -> Path:
    """Writes all files and returns the page. `setting` has what the solvers have in common."""
    figures = {"cactus": cactus(standing), "shares": shares(standing)}
    if len(standing.entrants) > 1:
        first = dict(list(standing.sets.items())[:_VENN])
        figures["venn"] = venn(first, len(standing.common))
        figures["upset"] = upset(standing.sets)
        figures["scatter"] = scatters(standing)
    inlined = {}
    for name, figure in figures.items():
        for kind in ("png", "svg"):
            content = draw(figure, kind)
            write_atomically(directory / "figures" / f"{name}.{kind}", content)
        inlined[name] = inline_svg(content.decode(), name, INK)
    markdown = report(setting, standing, runs)
    write_atomically(directory / "report.md", markdown.encode())
    heading = f"{setting.problems}: {', '.join(e.name for e in standing.entrants)}"
    page = directory / "report.html"
    write_atomically(page, to_html(markdown, inlined, heading).encode())
    return page


def report(setting: Setting, standing: Standing, runs: Sequence[Mapping[str, Any]]) -> str:
    """What the report says, from the most to the least important, as Markdown."""
    return "\n\n".join(_parts(setting, standing, runs)) + "\n"


def _parts(
    setting: Setting, standing: Standing, runs: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    yield title(f"{len(standing.entrants)} solvers on {escape(setting.problems)}", 1)
    yield _setting(setting, standing, runs)
    yield title("Share solved")
    yield (
        "Problems solved within a time, their share, and its 95 % interval (Wilson). "
        f"The union counts what at least one solver solved of the {len(standing.common)} "
        "problems that all have tried."
    )
    yield _share_table(standing)
    clock = _clock(standing)
    yield picture(
        "shares",
        f"Share of problems solved against {clock}",
        f"Share solved against {clock}; the shades are 95 % intervals.",
    )
    yield picture(
        "cactus",
        f"{clock} against the number of problems solved",
        "Cactus plot: how many problems take at most how long. Farther to the right is better; "
        "what took less than a millisecond is drawn at one.",
    )
    if len(standing.entrants) > 1:
        yield from _sets(standing)
        yield from _pairs(standing)
    yield title("How the problems ended")
    yield _status_table(standing)
    yield title("Solvers")
    yield _solver_table(standing)
    yield title("Notes")
    yield points(_notes(standing))
    yield title("Single problems")
    yield (
        f"The status of each problem and its time in {clock}. A *claim* is what a prover says "
        "without a proof that was certified here."
    )
    if len(standing.entrants) > 1:
        first = escape(standing.entrants[0].name)
        yield picture(
            "scatter",
            f"{clock} of {first} and of each other solver, a point for each problem",
            f"A point is a problem: the time of {first} across, that of another solver upwards, so "
            f"above the line {first} was faster. Beyond a dashed line it was not solved.",
        )
    yield _problem_table(standing)


def _setting(setting: Setting, standing: Standing, runs: Sequence[Mapping[str, Any]]) -> str:
    problems = f"{setting.count} problem{'' if setting.count == 1 else 's'}"
    sentences = [
        f"{problems} of {escape(setting.theory)}; {standing.limit:g} s of CPU "
        f"time and {setting.memory} MB for each attempt. Times are {_clock(standing)}."
    ]
    for run in runs:
        sentences.append(
            f"Run on {escape(str(run['date']))}: {escape(str(run['cpu']))}, {run['cpus']} cores, "
            f"{run['workers']} attempts at a time."
        )
    return " ".join(sentences)


def _clock(standing: Standing) -> str:
    return "CPU seconds" if standing.clock == "cpu" else "seconds by the wall clock"


def _share(solved: int, problems: int, sure: bool) -> str:
    low, high = wilson(solved, problems)
    share = solved / problems if problems else 0.0
    return f"{'' if sure else '≥ '}{solved} · {share:.3f} ({low:.3f}–{high:.3f})"


def _share_table(standing: Standing) -> str:
    columns = ("solver", "problems", *(f"{t:g} s" for t in standing.times))
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
    return table(columns, rows)


def _label(entrant: Entrant) -> str:
    return f"{escape(entrant.name)}{' (imported)' if entrant.imported else ''}"


def _sets(standing: Standing) -> Iterator[str]:
    yield title("Who solves what")
    yield (
        f"Within {standing.at:g} s, on the {len(standing.common)} problems that "
        f"all solvers have tried. Together they solve {len(standing.union)}."
    )
    rows = []
    for entrant in standing.entrants:
        solved = standing.sets[entrant.name]
        missed, alone = standing.union - solved, standing.unique[entrant.name]
        counts = (str(len(part)) for part in (solved, alone, missed))
        rows.append((_label(entrant), *counts))
    yield table(("solver", "solved", "solved by no other", "solved by others only"), rows)
    named = [_named(e, standing.unique[e.name]) for e in standing.entrants]
    if any(named):
        yield points(one for one in named if one)
    shown = [escape(entrant.name) for entrant in standing.entrants[:_VENN]]
    left_out = len(standing.entrants) - len(shown)
    yield picture(
        "venn",
        f"Venn diagram of {', '.join(shown)}",
        f"Problems solved by {', '.join(shown)}"
        + (f"; the other {left_out} solvers are in the next picture only." if left_out else "."),
    )
    yield picture(
        "upset",
        "UpSet plot of all solvers",
        "UpSet plot: how many problems are solved by exactly the solvers with a coloured dot.",
    )


def _named(entrant: Entrant, alone: set[str]) -> str:
    """The problems that it alone solved, by name."""
    if not alone:
        return ""
    names = [escape(name) for name in entrant.rows if name in alone]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{_label(entrant)} alone: {', '.join(names[:_NAMED])}{more}."


def _pairs(standing: Standing) -> Iterator[str]:
    yield title("Pairs of solvers")
    yield (
        "McNemar's exact test for each pair: could the problems that only one of the two solved "
        "as well be tosses of a fair coin? `p` is its two-sided p-value, `p (Holm)` the same "
        f"corrected for the {len(standing.pairs)} tests of this table. The column `better` "
        f"names the better solver where the corrected value is below {LEVEL:g}."
    )
    columns = (
        "first", "second", "better", "at", "problems", "both", "only first", "only second",
        "neither", "p", "p (Holm)",
    )  # fmt: skip
    rows = []
    for pair in standing.pairs:
        first, second, better = escape(pair.first), escape(pair.second), "–"
        if pair.corrected < LEVEL:
            better = first if pair.only_first > pair.only_second else second
        counts = (pair.problems, pair.both, pair.only_first, pair.only_second, pair.neither)
        numbers = (*(str(n) for n in counts), _p(pair.p), _p(pair.corrected))
        rows.append((first, second, better, f"{pair.at:g} s", *numbers))
    yield table(columns, rows, texts=3)


def _p(value: float) -> str:
    return f"{value:.3f}" if value >= 0.001 else f"{value:.1e}"


def _status_table(standing: Standing) -> str:
    """What is decided, apart by whether it is certified, then all statuses but Theorem."""
    counts = [(entrant, entrant.statuses()) for entrant in standing.entrants]
    seen = sorted({s for _, count in counts for s in count if s is not SZS.THEOREM})
    rows = (
        (_label(e), str(e.certified()), str(e.claimed()), *(str(count[s]) for s in seen))
        for e, count in counts
    )
    return table(("solver", "certified", "claimed", *seen), rows)


def _solver_table(standing: Standing) -> str:
    rows = []
    for entrant in standing.entrants:
        facts = entrant.description
        if entrant.imported:
            source = f"imported from {code(entrant.file or '')}"
            cells = (source, "not run here", "claims: as the file says")
        else:
            version, proofs = (escape(facts.get(key, "")) for key in ("version", "proofs"))
            cells = (version, code(facts.get("command", "")), proofs)
        rows.append((escape(entrant.name), *cells))
    return table(("solver", "version", "command", "proofs"), rows, texts=4)


def _problem_table(standing: Standing) -> str:
    def cell(row: Row | None) -> str:
        if row is None:
            return "–"
        claim = " (claim)" if row.claimed else ""
        return f"{row.status}{claim} {time_of(row, standing.clock):.3f}"

    columns = ("problem", *(_label(entrant) for entrant in standing.entrants))
    rows = (
        (escape(name), *(cell(entrant.rows.get(name)) for entrant in standing.entrants))
        for name in standing.problems
    )
    return table(columns, rows)


def _notes(standing: Standing) -> Iterator[str]:
    yield (
        "A problem counts as solved at t if it is proved or refuted and its time is at most t, in "
        f"{_clock(standing)}. Claims count as solved too; the solvers that make them are named "
        "above."
    )
    if any(not entrant.imported for entrant in standing.entrants):
        yield (
            "threesil's own solvers are started once and stay warm, external provers are started "
            "for each problem; the start is part of their time."
        )
    imported = [escape(entrant.name) for entrant in standing.entrants if entrant.imported]
    if imported:
        yield f"{', '.join(imported)}: measured elsewhere, maybe with other limits and machines."
    for name in standing.problems:
        rows = [entrant.rows[name] for entrant in standing.entrants if name in entrant.rows]
        why = {row.reason if row.kind == "refused" else "" for row in rows}
        if len(why) == 1 and "" not in why:
            yield f"Not tried by anybody: {escape(*why)}."
    for entrant in standing.entrants:
        yield from _caveats(entrant, standing)


def _caveats(entrant: Entrant, standing: Standing) -> Iterator[str]:
    name = escape(entrant.name)
    lacking = len(standing.problems) - len(entrant.rows)
    if lacking:
        yield (
            f"{name}: {lacking} of {len(standing.problems)} problems have no result. They are "
            "left out of its share and of every comparison with it, not counted as failures."
        )
    if entrant.others:
        yield f"{name}: {entrant.others} results of problems that are not compared were ignored."
    if entrant.other_problems:
        yield (
            f"{name}: its file says that it was made with another set of problems; its rows were "
            "taken by their names."
        )
    if not entrant.covers(standing.limit):
        yield (
            f"{name}: it had about {entrant.reach():.2g} s for a problem; its counts for longer "
            "times are lower bounds (≥), and it is compared at times that it covers."
        )
    late = [row for row in entrant.rows.values() if row.status is SZS.TIMEOUT]
    limit = min(entrant.limit, standing.limit)
    short = sum(row.cpu_seconds < _FULL * limit for row in late)
    if short and not entrant.imported:
        yield (
            f"{name}: {short} of {len(late)} timeouts came before {_FULL:.0%} of the CPU time was "
            "used; the machine was busy, or the prover counts otherwise."
        )
