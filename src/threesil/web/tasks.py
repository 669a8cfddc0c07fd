"""What a page asks for, from values of JSON to values of JSON: check, prove, export.

A task names a theory that comes along, or brings one as the text of a file; it never names a path.
`tell` is given what a long task has to say on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from threesil.errors import InputError, MissingTool
from threesil.kernel.outcome import Outcome, Turn
from threesil.kernel.theory import Problem, Theory
from threesil.notations.lines import Text
from threesil.notations.reading import notation_of, parse
from threesil.notations.reading.typed import understood
from threesil.provers import ExternalProver, find
from threesil.provers.request import DEFAULT_THEORY, Answer, Plan, Target, prove, read_targets
from threesil.search.prover import Prover
from threesil.search.strategies import STRATEGIES
from threesil.theories import get_theory
from threesil.web import browse, play, shelf
from threesil.web.certificates import formats, kept, views, written

Value = dict[str, Any]
Tell = Callable[[Value], None]
Task = Callable[[Value, Tell], Value]

_GOALS: Final = 200  # that one text may have
_LONGEST: Final = 4_000  # characters of what is shown of a goal
_WORDS: Final = 50_000  # characters of another prover's words
_WARM: Final = 6  # provers that are kept of a kind
_PLANS: Final = 2  # kinds of plans that provers are kept for
_POLISH: Final = 0.05  # CPU seconds that a proof which people read is shortened for


def targets_of(task: Value) -> list[Target]:
    """The problems of a task: `text` is typed, `theory` a name or `{"name", "text"}` of a file.

    A text that is a whole file has a theory of its own.
    """
    theory = theory_of(task) if notation_of(task["text"]) is None else None
    targets = read_targets(["-"], theory, task.get("assume") or (), task["text"])
    count = sum(len(target.problems) for target in targets)
    if count > _GOALS:
        raise InputError(f"there are {count} goals; at most {_GOALS} are taken at a time")
    return targets


def theory_of(task: Value) -> Theory | None:
    """The theory that a task names or brings, if it does."""
    given = task.get("theory")
    if given is None or isinstance(given, str):
        return None if given is None else get_theory(given)
    theory = parse(Text(given["name"], given["text"]), given["name"]).theory
    if not theory.equations:
        raise InputError("no equation in this theory", source=given["name"])
    return theory


# Check


def check(task: Value, tell: Tell) -> Value:
    """How a text is read."""
    targets = targets_of(task)
    theory = targets[0].theory
    goals = [_goal(problem, target.theory) for target in targets for problem in target.problems]
    return {
        "theory": theory.name,
        "equations": len(theory.equations),
        "goals": goals,
        "any_goal": any(target.any_goal for target in targets),
        "notes": [note for target in targets for note in target.notes],
    }


def _goal(problem: Problem, theory: Theory) -> Value:
    return {"name": _short(problem.name), "understood": _short(understood(problem, theory))}


def _short(text: str, most: int = _LONGEST) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


# Prove

_warm: dict[tuple[object, ...], dict[str, Prover]] = {}


def _kept_warm(plan: Plan) -> dict[str, Prover]:
    """The provers that were made for plans like this one; few enough of all are kept."""
    run = str(plan.model) if plan.model else None
    provers = _warm.setdefault((plan.strategy, plan.seed, run, play.age_of(run)), {})
    for digest in list(provers)[:-_WARM]:
        del provers[digest]
    for key in list(_warm)[:-_PLANS]:
        del _warm[key]
    return provers


def prove_all(task: Value, tell: Tell) -> Value:
    """Tells each turn, each answer as it comes, and the proofs as they can be written later."""
    targets = targets_of(task)
    plan = _plan(task)
    of = sum(1 if target.any_goal else len(target.problems) for target in targets)
    proved = refuted = 0

    def progress(turn: Turn) -> None:
        tell({"event": "turn", "number": number, **turn_view(turn)})

    number = 0
    answers = prove(targets, plan, progress=progress, warm=_kept_warm(plan))
    for number, answer in enumerate(answers, 1):
        tell({"event": "answer", "number": number, "of": of, **_answer_view(answer)})
        proved, refuted = proved + answer.outcome.proved, refuted + answer.outcome.refuted
        if (certificate := kept(answer.outcome)) is not None:
            tell({"event": "keep", "number": number, "certificate": certificate})
    return {"proved": proved, "refuted": refuted, "of": of}


def _plan(task: Value) -> Plan:
    strategy = task.get("strategy")
    if strategy is not None and strategy not in STRATEGIES:
        raise InputError(f"unknown strategy {strategy!r}; expected {', '.join(STRATEGIES)}")
    return Plan(
        strategy,
        float(task.get("seconds") or 60.0),
        task.get("expansions"),
        model=task.get("model"),
        seed=int(task.get("seed") or 0),
        helpers=tuple(_helpers(task.get("helpers") or ())),
        polish=_POLISH,
        from_axioms=bool(task.get("from_axioms")),
    )


def _helpers(names: tuple[str, ...]) -> Iterator[ExternalProver]:
    for name in names:
        try:
            yield find(name)
        except MissingTool:
            raise InputError(f"{name} is not installed here") from None


def turn_view(turn: Turn) -> Value:
    return {
        "strategy": turn.strategy,
        "seconds": round(turn.seconds, 4),
        "expansions": turn.expansions,
        "status": turn.status,
        "figures": dict(turn.figures),
    }


def _answer_view(answer: Answer) -> Value:
    outcome = answer.outcome
    return {
        **_goal(outcome.problem, answer.theory),
        "theory": answer.theory.name,
        "status": outcome.status,
        "proved": outcome.proved,
        "refuted": outcome.refuted,
        "claimed": outcome.claimed,
        "by": outcome.by,
        "seconds": round(outcome.seconds, 4),
        "cpu_seconds": round(outcome.cpu_seconds, 4),
        "expansions": outcome.expansions,
        "reason": _short(outcome.reason),
        "note": answer.note,
        "turns": [turn_view(turn) for turn in (*outcome.parts, outcome)[0].turns],
        "helpers": [_part(part) for part in outcome.parts[1:]],
        "words": _short(outcome.words or "", _WORDS) if outcome.claimed else "",
        "formats": formats(outcome),
        **views(outcome),
    }


def _part(outcome: Outcome) -> Value:
    return {
        "by": outcome.by,
        "status": outcome.status,
        "seconds": round(outcome.seconds, 3),
        "reason": _short(outcome.reason),
    }


# Export


def export(task: Value, tell: Tell) -> Value:
    """A certificate that an earlier task told, checked again, in another notation."""
    theory = targets_of(task)[0].theory
    return {"text": written(task["certificate"], theory, task["format"])}


def _in_theory(do: Callable[[Value, Theory], Value]) -> Task:
    return lambda task, tell: do(task, theory_of(task) or get_theory(DEFAULT_THEORY))


def _at_once(do: Callable[[Value], Value]) -> Task:
    return lambda task, tell: do(task)


def warm() -> None:
    """Makes ready what most searches need."""
    plan = Plan(polish=_POLISH)
    list(prove(read_targets(["-"], typed="x = x"), plan, warm=_kept_warm(plan)))


TASKS: Final[Mapping[str, Task]] = {
    "check": check,
    "prove": prove_all,
    "export": export,
    "play": _in_theory(play.play),
    "export_play": _in_theory(play.export),
    "runs": _at_once(browse.runs),
    "run": _at_once(browse.run),
    "comparisons": _at_once(browse.comparisons),
    "comparison": _at_once(browse.comparison),
    "theories": _at_once(shelf.theories),
    "theory": _in_theory(shelf.theory),
    "known": _in_theory(shelf.known),
    "finite": _in_theory(shelf.finite),
}
