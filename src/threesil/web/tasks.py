"""What a page asks for, from values of JSON to values of JSON: check, prove, export.

A task names a bundled theory, or contains one as the text of a file; it never names a path.
`tell` is called with the events of a long task.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from threesil.engine import Budget
from threesil.errors import InputError, MissingTool
from threesil.kernel.outcome import Turn
from threesil.kernel.theory import Problem, Theory
from threesil.measure.outcome_json import facts_of, turn_to_json
from threesil.notations.infix import format_equation
from threesil.notations.lines import Text
from threesil.notations.proof_json import proof_to_json
from threesil.notations.reading import notation_of, parse
from threesil.notations.reading.certificates import Stored, stored_certificates
from threesil.notations.reading.typed import understood
from threesil.problems.targets import DEFAULT_THEORY, Target, read_targets
from threesil.proofs.factoring import readable
from threesil.proofs.stored import REFUSED, Theories, checked, theory_row
from threesil.proofs.stored import facts_of as shown_facts
from threesil.provers.lemmas import find_lemmas, goal_of
from threesil.provers.prove import Answer, prove
from threesil.provers.registry import find
from threesil.provers.request import Request, refuting
from threesil.provers.solvers import Warm
from threesil.search.guided import GuidedTerms
from threesil.search.solvers import make_solver, solver_named
from threesil.theories import get_theory
from threesil.web import learning, play, run_views, theory_views
from threesil.web.certificates import formats, in_notation, kept, views, written

Value = dict[str, Any]
Tell = Callable[[Value], None]
Task = Callable[[Value, Tell], Value]

_GOALS: Final = 200  # that one text may have
_LONGEST: Final = 4_000  # characters of what is shown of a goal
_WORDS: Final = 50_000  # characters of another prover's words
_REQUESTS: Final = 2  # kinds of requests that solvers are kept for
_FINDING: Final = 1.0  # CPU seconds for lemmas
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
    """The theory that a task names or contains, if it does."""
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

_warm: OrderedDict[tuple[object, ...], Warm] = OrderedDict()


def _kept_warm(request: Request) -> Warm:
    """The solvers that were made for requests like this one; those of the last few are kept."""
    run = str(request.weights) if request.weights else None
    options = tuple(request.options.items())
    key = (request.solver, options, request.seed, request.helpers, run, play.age_of(run))
    warm = _warm.pop(key) if key in _warm else Warm(request)
    _warm[key] = warm
    warm.request = request
    while len(_warm) > _REQUESTS:
        _warm.popitem(last=False)
    return warm


def prove_all(task: Value, tell: Tell) -> Value:
    """Tells each turn, each answer as it comes, and the proofs as they can be written later."""
    targets = targets_of(task)
    request = _request(task)
    of = sum(1 if target.any_goal else len(target.problems) for target in targets)
    proved = refuted = 0

    def progress(turn: Turn) -> None:
        tell({"event": "turn", "number": number, **turn_to_json(turn)})

    number = 0
    answers = prove(targets, request, progress=progress, warm=_kept_warm(request))
    for number, answer in enumerate(map(_readable, answers), 1):
        tell({"event": "answer", "number": number, "of": of, **_answer_view(answer)})
        proved, refuted = proved + answer.outcome.proved, refuted + answer.outcome.refuted
        if (certificate := kept(answer.outcome)) is not None:
            tell({"event": "keep", "number": number, "certificate": certificate})
    return {"proved": proved, "refuted": refuted, "of": of}


def _readable(answer: Answer) -> Answer:
    """The answer with its proof as people read it: what is shown is what is kept and written."""
    proof = answer.outcome.proof
    if proof is None:
        return answer
    return replace(answer, outcome=replace(answer.outcome, proof=readable(proof)))


def _request(task: Value) -> Request:
    given = task.get("solver")
    named = given and solver_named(given).name
    solver, options = refuting(named, task.get("refute"), task.get("size"))
    return Request(
        solver,
        float(task.get("seconds") or 60.0),
        task.get("expansions"),
        weights=task.get("weights"),
        seed=int(task.get("seed") or 0),
        helpers=tuple(map(_installed, task.get("helpers") or ())),
        polish=_POLISH,
        from_axioms=bool(task.get("from_axioms")),
        options=options,
    )


def _installed(name: str) -> str:
    try:
        return find(name).name
    except MissingTool:
        raise InputError(f"{name} is not installed here") from None


def _answer_view(answer: Answer) -> Value:
    outcome = answer.outcome
    facts = facts_of(outcome, answer.theory)
    return {
        **facts,
        **_goal(outcome.problem, answer.theory),
        "theory": answer.theory.name,
        "proved": outcome.proved,
        "refuted": outcome.refuted,
        "claimed": outcome.claimed,
        "reason": _short(outcome.reason),
        "words": _short(facts.get("words") or "", _WORDS),
        "note": answer.note,
        "formats": formats(outcome),
        "shown": views(outcome),
    }


# Learn


def teachable(task: Value, tell: Tell) -> Value:
    """The theory that a task is about, as a training takes it."""
    return learning.teachable(task, lambda of: theory_of(of) or get_theory(DEFAULT_THEORY))


# Export


def export(task: Value, tell: Tell) -> Value:
    """A certificate of an earlier task, checked again, in another notation."""
    theories = [target.theory for target in targets_of(task)]
    return {"text": written(task["certificate"], theories, task["format"])}


# Certificates by themselves, and lemmas: what agents ask for


def certify(task: Value, tell: Tell) -> Value:
    """Whether a certificate is one, and what it shows."""
    stored, theory = _stored(task)
    found = checked(stored, theory)
    if isinstance(found, REFUSED):
        return {"certified": False, "reason": str(found), "facts": {}}
    return {"certified": True, "reason": "", "facts": theory_row(found.theory) | shown_facts(found)}


def translate(task: Value, tell: Tell) -> Value:
    """A certificate by itself, checked again, in another notation."""
    stored, theory = _stored(task)
    found = checked(stored, theory)
    if isinstance(found, REFUSED):
        raise InputError(f"refused: {found}")
    return {"text": in_notation(found, task["format"])}


def _stored(task: Value) -> tuple[Stored, Theory | None]:
    given = stored_certificates(task["text"], "the certificate")
    if len(given) != 1:
        raise InputError(f"there are {len(given)} certificates; give one")
    theory = theory_of(task)
    _, chosen = Theories([(theory.name, theory)] if theory else []).of(given[0])
    return given[0], chosen


def lemmas(task: Value, tell: Tell) -> Value:
    """Equations about the sides of a goal, each certified, the best first."""
    targets = targets_of(task)
    if len(targets) != 1:
        raise InputError("lemmas need a single goal")
    problem, theory = goal_of(targets[0]), targets[0].theory
    solver = make_solver(GuidedTerms.name, theory)
    found = find_lemmas(solver, problem, Budget(None, _FINDING), task["count"])
    return {
        "lemmas": [
            {
                "equation": format_equation(lemma.equation, theory.signature),
                "certificate": json.dumps(proof_to_json(lemma.proof)),
            }
            for lemma in found
        ]
    }


def _in_theory(do: Callable[[Value, Theory], Value]) -> Task:
    return lambda task, tell: do(task, theory_of(task) or get_theory(DEFAULT_THEORY))


def _at_once(do: Callable[[Value], Value]) -> Task:
    return lambda task, tell: do(task)


def warm() -> None:
    """Makes ready what most searches need."""
    request = Request(polish=_POLISH)
    list(prove(read_targets(["-"], typed="x = x"), request, warm=_kept_warm(request)))


TASKS: Final[Mapping[str, Task]] = {
    "check": check,
    "prove": prove_all,
    "teachable": teachable,
    "train": learning.train,
    "resume": learning.resume,
    "export": export,
    "certify": certify,
    "translate": translate,
    "lemmas": lemmas,
    "play": _in_theory(play.play),
    "export_play": _in_theory(play.export),
    "runs": _at_once(run_views.runs),
    "run": _at_once(run_views.run),
    "run_theory": _at_once(run_views.theory),
    "comparisons": _at_once(run_views.comparisons),
    "comparison": _at_once(run_views.comparison),
    "theories": _at_once(theory_views.theories),
    "theory": _in_theory(theory_views.theory),
    "known": _in_theory(theory_views.known),
    "finite": _in_theory(theory_views.finite),
}
