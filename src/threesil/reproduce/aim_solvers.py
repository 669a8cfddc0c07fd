"""Table 3 and figure 3: provers and the trained policy on held-out theorems about AIM loops."""

from __future__ import annotations

from threesil.reproduce import arms
from threesil.reproduce.experiment import Experiment, Line, Solved, Venn
from threesil.reproduce.jobs import Contest, Evaluation

LIMIT = 40  # theorems of a small run
_MEMORY = 8192  # megabytes: E fills a quarter of that in half a minute
_PROVERS = {
    "E": ("e", "0.802"),
    "Waldmeister": ("waldmeister", "0.655"),
    "Prover9": ("prover9-default", "0.833"),
}


# Part of the limit that a theorem takes on average, with two at a time: most take a moment, some
# all of it, fewer the higher it is.
_SPENT = {True: 1 / 4, False: 1 / 12}


def experiment(quick: bool) -> Experiment:
    seconds = 2.0 if quick else 60.0
    pace = seconds * _SPENT[quick]
    limit = LIMIT if quick else None
    over: dict[str, tuple[Evaluation | Contest, ...]] = {}
    paper: dict[str, str] = {}
    for label, (system, share) in _PROVERS.items():
        paper[label] = f"{share} (60 s)"
        over[label] = (Contest(system, "aim", "dev", seconds, None, limit, _MEMORY, pace),)
    runs = arms.aim(quick)
    once, sampled = "policy, one greedy episode", "policy, sampled"
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
            "Seconds are of CPU time; the diagram has the first seed of the sampled policy.",
            "The paper's held-out theorems are a random tenth of all; these are the dev split.",
            "What provers say counts as they say it; what threesil proves is certified.",
        ),
    )
