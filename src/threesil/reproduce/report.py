"""The report: what the paper says and what was measured, table by table.

DIR/report.md           Markdown, with the pictures of DIR/figures
DIR/report.html         the same as one page that needs nothing else
DIR/report.pdf          the same on paper, if a program that makes it is installed
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

from threesil.files import is_file, write_atomically
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
from threesil.measure.compare.plots import INK, draw
from threesil.reproduce.charts import draw_chart
from threesil.reproduce.experiment import Experiment
from threesil.reproduce.jobs import Contest, Job, trainings
from threesil.reproduce.run import Session

_HEADING: Final = "Learning Equational Theorem Proving, reproduced"
# Programs that print a page, and their arguments.
_PRINTERS: Final = {
    "weasyprint": ("{html}", "{pdf}"),
    "wkhtmltopdf": ("-q", "{html}", "{pdf}"),
    "chromium": (
        "--headless",
        "--no-sandbox",
        "--print-to-pdf={pdf}",
        "--no-pdf-header-footer",
        "{url}",
    ),
    "google-chrome": ("--headless", "--print-to-pdf={pdf}", "--no-pdf-header-footer", "{url}"),
}


def write_report(session: Session, experiments: Sequence[Experiment], *, quick: bool) -> list[Path]:
    """Writes all files; those that people read."""
    pictures = {}
    for experiment in experiments:
        for number, chart in enumerate(experiment.charts, 1):
            figure = draw_chart(session, chart, partial(_origin, session))
            if figure is not None:
                name = f"{experiment.name}-{number}"
                for kind in ("png", "svg"):
                    content = draw(figure, kind)
                    path = session.directory / "figures" / f"{name}.{kind}"
                    write_atomically(path, content)
                pictures[name] = inline_svg(content.decode(), name, INK)
    parts = [*_head(session, quick)]
    for experiment in experiments:
        parts += _part(session, experiment, pictures)
    markdown = "\n\n".join(parts) + "\n"
    md, html = session.directory / "report.md", session.directory / "report.html"
    write_atomically(md, markdown.encode())
    write_atomically(html, to_html(markdown, pictures, _HEADING).encode())
    pdf = print_page(html)
    return [md, html] + ([pdf] if pdf else [])


def _head(session: Session, quick: bool) -> Iterator[str]:
    yield title(_HEADING, 1)
    small = (
        "This is the small version, which shows that everything works: shorter trainings, one "
        "seed, parts of the problem sets, shorter times. Its numbers are not those to compare "
        "with the paper's; `--full` gives these."
    )
    whole = (
        "Trainings, seeds, problem sets and times as in the paper, unless a note says otherwise."
    )
    yield small if quick else whole
    yield (
        "Shares of one run come with their 95 % interval (Wilson), those of several seeds with "
        f"their mean and standard deviation. threesil {version('threesil')}."
    )
    yield points(
        f"{run['date']}: {escape(str(run['cpu']))}, {run['cpus']} cores, "
        f"{run['workers']} at a time, commit {code(str(run['commit']))}"
        for run in session.sessions()
    )


def _part(session: Session, experiment: Experiment, pictures: dict[str, str]) -> Iterator[str]:
    yield title(experiment.shows)
    columns, texts = ["", "who"], 2
    rows = []
    for line in experiment.lines:
        label = line.label
        if any(line.paper):
            rows.append([label, "paper", *(words or "–" for words in line.paper)])
            label = ""
        values = (measure.read(session) if measure else None for measure in line.ours)
        who = _who(session, [job for measure in line.ours if measure for job in measure.jobs])
        rows.append([label, who, *("–" if v is None else str(v) for v in values)])
    yield table([*columns, *experiment.columns], rows, texts)
    for number in range(1, len(experiment.charts) + 1):
        name = f"{experiment.name}-{number}"
        if name in pictures:
            yield picture(name, experiment.shows, experiment.shows)
    notes = [*experiment.notes, *_reservations(session, experiment.jobs())]
    if notes:
        yield points(notes)
    needed = dict.fromkeys(
        one
        for job in experiment.jobs()
        if job not in session.imported
        for one in (*trainings(job), job)
    )
    yield f"`threesil reproduce {experiment.name}` does what these commands do in its directory:"
    yield points(code(job.command) + _yet(session, job) for job in needed)


def _reservations(session: Session, jobs: Sequence[Job]) -> Iterator[str]:
    """What is missing, imported or not complete."""
    if waiting := sum(job in session.waiting for job in jobs):
        yield f"Left out: {waiting} of {len(jobs)} runs are not made yet, see the commands."
    others = session.skipped.keys() - session.waiting
    reasons = dict.fromkeys(session.skipped[job] for job in jobs if job in others)
    yield from (f"Left out: {escape(reason)}" for reason in reasons)
    for job in jobs:
        found = session.imported.get(job)
        if found and isinstance(job, Contest):
            yield (
                f"{code(job.system)} was not run here. Its results are imported: "
                f"{code(found.file)} of the recorded data, {len(found.rows)} problems, "
                f"{found.seconds:g} s of CPU time each."
            )
        if job in session.begun and job not in session.skipped:
            tried, of = session.begun[job]
            yield (
                f"{code(job.command)} is not complete: {tried} of {of} problems are tried, the "
                "others count as unsolved."
            )


def _yet(session: Session, job: Job) -> str:
    """What is to be said of a command that has not come to its end."""
    if job not in session.waiting:
        return ""
    if job not in session.begun:
        return " (not run yet)"
    done, of = session.begun[job]
    return f" (stopped after {done} of {of} epochs)"


def _who(session: Session, jobs: Sequence[Job]) -> str:
    """Who measured: "here", or where it was not, what was imported."""
    labels = {found.label: None for job in jobs if (found := session.imported.get(job))}
    return ", ".join(labels) or "here"


def _origin(session: Session, job: Job) -> str:
    """What follows the name of what was not measured here."""
    found = session.imported.get(job)
    return f" ({found.label})" if found else ""


def print_page(page: Path) -> Path | None:
    """The page as PDF; None if no program for it is here, or it fails."""
    pdf = page.with_suffix(".pdf")
    pdf.unlink(missing_ok=True)
    for program, arguments in _PRINTERS.items():
        found = shutil.which(program)
        if found is None:
            continue
        places = {"html": str(page), "pdf": str(pdf), "url": page.resolve().as_uri()}
        command = [found, *(argument.format(**places) for argument in arguments)]
        try:
            subprocess.run(command, capture_output=True, timeout=120, check=True)
        except (OSError, subprocess.SubprocessError):
            continue
        if is_file(pdf):
            return pdf
    return None
