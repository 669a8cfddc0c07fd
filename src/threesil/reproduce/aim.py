"""Theorems about AIM loops: provers, the trained policy, and both together."""

from __future__ import annotations

from math import inf
from typing import Final

from threesil.reproduce.experiment import Curves, Experiment, Figure, Line, Solved, Venn, Versus
from threesil.reproduce.jobs import Contest, Evaluation, Training, seeds

_LIMIT: Final = 40  # theorems of a small run
_MEMORY: Final = 8192  # megabytes: E fills a quarter of that in half a minute
# Episodes before the first update, of a small run and of a whole one.
_RANDOM: Final = {True: 200_000, False: 2_000_000}
# Part of the limit that a theorem takes on average, with two at a time: most take a moment, some
# all of it, fewer the higher it is.
_SPENT: Final = {True: 1 / 4, False: 1 / 12}


def _trainings(quick: bool) -> tuple[Training, ...]:
    """Section 7: random episodes first, then 3SIL."""
    changes = (("m", _RANDOM[True]), ("f", 5000), ("NB", 250)) if quick else ()
    epochs, pace, warm_up = (10, 2.0, 30.0) if quick else (100, 6.0, 240.0)
    return tuple(
        Training("aim", seed, changes=changes, epochs=epochs, pace=pace, warm_up=warm_up)
        for seed in seeds(quick)
    )


def solvers(quick: bool) -> Experiment:
    """Table 3 and figure 3: provers and the trained model on held-out theorems."""
    seconds = 2.0 if quick else 60.0
    pace = seconds * _SPENT[quick]
    limit = _LIMIT if quick else None
    over: dict[str, tuple[Evaluation | Contest, ...]] = {}
    paper: dict[str, str] = {}
    provers = {
        "E": ("e", "0.802"),
        "Waldmeister": ("waldmeister", "0.655"),
        "Prover9": ("prover9-default", "0.833"),
    }
    for label, (system, share) in provers.items():
        paper[label] = f"{share} (60 s)"
        over[label] = (Contest(system, "aim", "dev", seconds, None, limit, _MEMORY, pace),)
    runs = _trainings(quick)
    once, sampled = "model, one greedy episode", "model, sampled"
    over[once] = tuple(
        Evaluation("aim", "dev", "greedy", run, limit=limit, size=312) for run in runs
    )
    over[sampled] = tuple(
        Evaluation("aim", "dev", "sample", run, seconds, limit=limit, pace=pace, size=312)
        for run in runs
    )
    paper |= {once: "0.586 ± 0.029", sampled: "0.702 ± 0.015 (60 s)"}
    ours = "ours: threesil prove"
    over[ours] = (
        Evaluation("aim", "dev", "best", None, seconds, limit=limit, pace=0.05, size=312),
    )
    sets = {label: jobs[0] for label, jobs in over.items() if label not in (once, ours)}
    return Experiment(
        "aim-solvers",
        "Table 3 and figure 3: held-out AIM theorems proved, and who proves which",
        (f"in {seconds:g} s", "no instance of a training theorem"),
        tuple(
            Line(label, (paper.get(label, ""), ""), (Solved(jobs), Solved(jobs, novel=True)))
            for label, jobs in over.items()
        ),
        (Venn(sets),),
        notes=(
            "Seconds are of CPU time; the diagram has the first seed of the sampled model.",
            "The paper's held-out theorems are a random tenth of all; these are the dev split.",
            "What provers say counts as they say it; what threesil proves is certified.",
        ),
    )


def lemmas(quick: bool) -> Experiment:
    """Table 4: Prover9 with lemmas that the trained model suggests."""
    limit = _LIMIT if quick else None
    alone = (Contest("prover9-default", "aim", "dev", 2.0, limit=limit),)
    runs = _trainings(quick)

    def helped(by: str) -> tuple[Contest, ...]:
        system = f"prover9-default+{by}"
        return tuple(Contest(system, "aim", "dev", 2.0, run, limit, pace=0.8) for run in runs)

    paper, ours = helped("episode"), helped("lemmas")
    return Experiment(
        "aim-lemmas",
        "Table 4: AIM theorems proved by Prover9 with lemmas of the model",
        ("proved", "against Prover9 (2 s)", "against the paper's way"),
        (
            Line("Prover9 (1 s)", ("0.715", "", ""), (Solved(alone, within=1.0), None, None)),
            Line("Prover9 (2 s)", ("0.746", "", ""), (Solved(alone), None, None)),
            Line(
                "Prover9 (1 s) with the lemmas of an episode, the paper's way",
                ("0.841 ± 0.019", "", ""),
                (Solved(paper), Versus(paper, alone, inf), None),
            ),
            Line(
                "Prover9 (1 s) with 30 lemmas of a search (1 s), our way",
                (),
                (Solved(ours), Versus(ours, alone, inf), Versus(ours, paper, inf)),
            ),
        ),
        notes=(
            "In brackets: theorems that more of the seeds prove, and fewer; the exact sign test.",
            "An episode gives before = after for each side that it rewrites. It takes milliseconds "
            "here; in the paper it may take a second.",
        ),
    )


def training(quick: bool) -> Experiment:
    """Appendix 6: training problems with a solution, epoch by epoch."""
    runs = _trainings(quick)
    return Experiment(
        "aim-training",
        "Appendix 6: AIM problems with a solution in the history",
        ("problems",),
        (
            Line(
                f"solved in {_RANDOM[quick]:,} random episodes, before anything is learned",
                ("about 300, in 2,000,000",),
                (Figure(runs, "solved", 0, "problems"),),
            ),
            Line(
                f"with a solution after {runs[0].epochs} epochs of 3SIL",
                ("about 2500 of 3100",),
                (Figure(runs, "solved", of="problems"),),
            ),
        ),
        (Curves("solved", "problems with a solution", {"3SIL": runs}),),
        notes=(
            "Random episodes are those of a network that has not learned yet, with its noise. The "
            "first epoch learns from them: its point in the figure counts what they solved.",
        ),
    )


def searches(quick: bool) -> Experiment:
    """Ours: the searches of threesil, with a model and without."""
    times = (0.01, 0.1, 1.0)
    labels = {
        "best": "best: what threesil prove does",
        "guided": "guided: the learned search alone",
        "unguided": "unguided: best without a model",
        "complete": "complete: completion alone",
    }
    limit = 80 if quick else None
    lines = []
    for mode, label in labels.items():
        job = (Evaluation("aim", "dev", mode, None, 1.0, limit=limit, pace=0.15, size=312),)
        within = tuple(Solved(job, within=t) for t in times)
        lines.append(Line(label, (), (*within, Solved(job, novel=True))))
    return Experiment(
        "searches",
        "Ours: AIM theorems proved by each search within a CPU time",
        (*(f"{t:g} s" for t in times), "1 s, no instance of a training theorem"),
        tuple(lines),
    )
