"""Made-up results for the tests of this folder."""

from threesil.kernel.outcome import SZS
from threesil.measure.compare.standing import Entrant, Standing
from threesil.measure.results import Row

PROBLEMS = tuple(f"p{k}" for k in range(10))


def entrant(name: str, times: dict[str, float], **more: object) -> Entrant:
    """Solves what has a time, in that time, and times out after 60 s on the rest.

    The solutions of `quick` are certified.
    """
    rows = {}
    for problem in PROBLEMS:
        t = times.get(problem)
        status = SZS.TIMEOUT if t is None else SZS.THEOREM
        certified = name == "quick" and t is not None
        rows[problem] = Row(problem, status, certified, (t or 60.0) * 1.1, t or 60.0)
    return Entrant(name, rows, **more)  # type: ignore[arg-type]


def standing(limit: float = 60.0) -> Standing:
    """Three systems; one of them imported."""
    facts = {"version": "quick 1.0", "command": "quick <file>", "proofs": "as the prover says"}
    quick = entrant(
        "quick", {p: 0.01 * (k + 1) for k, p in enumerate(PROBLEMS[:6])}, description=facts
    )
    slow = entrant(
        "slow", {p: 1.5 * (k + 1) for k, p in enumerate(PROBLEMS[2:])}, description=facts
    )
    other = entrant("other", {"p0": 0.5, "p9": 30.0}, file="other.tsv", others=3)
    return Standing(PROBLEMS, (quick, slow, other), limit)
