"""The general judge of critical pairs, made better for one theory.

Completion with the general judge proves training theorems; what their proofs needed trains it on.
The outcome is kept only if it takes fewer critical pairs than the general one on training theorems
that it was not trained on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from threesil.engine import Budget, Completion, Selection, Status, Stop, Stopped
from threesil.kernel.theory import Problem, Theory
from threesil.learn.pair_examples import Example, collect
from threesil.learn.pair_training import Fitting, fit
from threesil.nets.judge import Judge, find_judge

_PAIRS = 2000  # that completion may take for a theorem
_SECONDS = 1.0
_CHECKED = 5  # one in so many theorems is for the comparison
_FEWEST = 10  # examples
_EPOCHS = 10
_RATE = 0.0005


def tune_pairs(
    theory: Theory,
    problems: Sequence[Problem],
    seconds: float,
    seed: int,
    progress: Callable[[int, int], None] = lambda done, problems: None,
    stop: Stop | None = None,
) -> Judge | None:
    """A judge for this theory; None if the general one is as good, or nothing could be learned.

    The hardest problems come first, for about so many seconds of CPU time.
    """
    general = find_judge(None)
    begin = time.thread_time()
    wanted = [p for k, p in enumerate(reversed(problems)) if k % _CHECKED]
    checked = [p for k, p in enumerate(reversed(problems)) if not k % _CHECKED]
    examples: list[Example] = []
    for k, problem in enumerate(wanted):
        if time.thread_time() - begin > seconds / 2:
            break
        selection = Selection(general.network(), seed=seed)
        example = collect(theory, problem, selection, _budget(stop), seed)
        if stop is not None and stop.is_set():
            raise Stopped
        if example is not None and example.considered > 1:
            examples.append(example)
        progress(k + 1, len(wanted))
    if len(examples) < _FEWEST:
        return None
    fitting = Fitting(general.shape, _EPOCHS, _RATE, seed)
    try:
        net, _ = fit(examples, fitting, stop, start=general)
    except ValueError:  # no proof left a pair that it did not need
        return None
    tuned = net.judge({"theory": theory.name, "examples": len(examples), "seed": seed})
    return tuned if _better(theory, tuned, general, checked, begin + seconds, stop) else None


def _budget(stop: Stop | None) -> Budget:
    return Budget(_PAIRS, _SECONDS, stop=stop)


def _better(
    theory: Theory,
    one: Judge,
    other: Judge,
    problems: Sequence[Problem],
    end: float,
    stop: Stop | None,
) -> bool:
    """Whether the first judge takes fewer pairs, as far as there is time to look."""
    ahead = 0
    for problem in problems:
        if time.thread_time() > end:
            break
        taken = [_taken(theory, problem, model, stop) for model in (one, other)]
        ahead += taken[1] - taken[0]
    return ahead > 0


def _taken(theory: Theory, problem: Problem, model: Judge, stop: Stop | None) -> int:
    run = Completion(theory, selection=Selection(model.network())).begin(problem)
    found = run.run(_budget(stop))
    if found.status is Status.STOPPED:
        raise Stopped
    return found.expansions if found.status is Status.PROVED else 2 * _PAIRS
