"""Table 4: Prover9 with lemmas that the trained policy suggests."""

from __future__ import annotations

from math import inf

from threesil.reproduce import arms
from threesil.reproduce.experiment import Experiment, Line, Solved, Versus
from threesil.reproduce.jobs import Contest

LIMIT = 40


def experiment(quick: bool) -> Experiment:
    limit = LIMIT if quick else None
    alone = (Contest("prover9-default", "aim", "dev", 2.0, limit=limit),)
    runs = arms.aim(quick)

    def helped(by: str) -> tuple[Contest, ...]:
        system = f"prover9-default+{by}"
        return tuple(Contest(system, "aim", "dev", 2.0, run, limit, pace=0.8) for run in runs)

    paper, ours = helped("episode"), helped("lemmas")
    return Experiment(
        "aim-lemmas",
        "Table 4: AIM theorems proved by Prover9 with lemmas of the policy",
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
                ("", "", ""),
                (Solved(ours), Versus(ours, alone, inf), Versus(ours, paper, inf)),
            ),
        ),
        notes=(
            "In brackets: theorems that more of the seeds prove, and fewer; the exact sign test.",
            "An episode gives before = after for each side that it rewrites. It takes milliseconds "
            "here; in the paper it may take a second.",
        ),
    )
