"""Learning to select critical pairs, from the pairs that proofs needed and those in vain.

The network says how promising each pair of a problem is; a softmax over the pairs makes that a
policy, and the loss is - log of the chance that a needed pair is chosen before any that was of no
use, on average over the needed ones of a problem, the worst of them counting most. Problems have
equal weight, those of one theory less, the more there are.

The general judge is made better for one theory by the proofs of training theorems that it guides.
The outcome is kept only if it takes fewer critical pairs than the general one on training theorems
that it was not trained on.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from threesil.engine import Budget, Completion, PairShape, Selection, Status, Stop, Stopped
from threesil.engine.network import Floats
from threesil.kernel.theory import Problem, Theory
from threesil.learn.pair_examples import NEEDED, Example, collect
from threesil.nets.judge import Judge
from threesil.nets.pair_net import Forest, TrainablePairNet
from threesil.runs.weights import find_judge

_TOGETHER = 4  # problems of an update
_NEEDED_AT_MOST = 100  # pairs of a problem that are looked at in an update
_OTHERS_AT_MOST = (1000, 300)  # without and with a tree part
_WORST = 0.5  # how much more the worst of the needed pairs count
_PAIRS = 2000  # that completion may take for a theorem
_SECONDS = 1.0
_CHECKED = 5  # one in so many theorems is for the comparison
_FEWEST = 10  # examples
_EPOCHS = 10
_RATE = 0.0005


@dataclass(frozen=True)
class Fitting:
    """Sizes and speed of a training."""

    shape: PairShape
    epochs: int
    learning_rate: float
    seed: int


def fit(
    examples: Sequence[Example],
    fitting: Fitting,
    stop: Stop | None = None,
    start: Judge | None = None,
) -> tuple[TrainablePairNet, float]:
    """A network that was trained on the examples, and its loss in the last epoch.

    It begins with the weights `start`, if there are some.
    """
    torch.set_num_threads(1)
    examples = [e for e in examples if (e.fate == NEEDED).any() and (e.fate != NEEDED).any()]
    if not examples:
        raise ValueError("no example has a pair that was needed and one that was not")
    mean, scale = _standard(examples)
    net = TrainablePairNet(fitting.shape, mean, scale, seed=fitting.seed)
    if start is not None:
        net.take(start)
    trained = [p for p in net.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(trained, lr=fitting.learning_rate, weight_decay=1e-3)
    updates = fitting.epochs * -(-len(examples) // _TOGETHER)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, max(updates, 1))
    weights = _weights(examples)
    random = np.random.default_rng(fitting.seed)
    loss = 0.0
    for _ in range(fitting.epochs):
        order, loss = random.permutation(len(examples)), 0.0
        for begin in range(0, len(order), _TOGETHER):
            if stop is not None and stop.is_set():
                raise Stopped
            for i in order[begin : begin + _TOGETHER]:
                part = weights[i] * _loss(net, examples[i], random)
                part.backward()
                loss += float(part.detach()) / len(examples)
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimiser.step()
            optimiser.zero_grad()
            schedule.step()
    return net, loss


def _standard(examples: Sequence[Example]) -> tuple[Floats, Floats]:
    """Mean of the features and one over their deviation, each problem alike."""
    means = np.mean([e.features.mean(axis=0) for e in examples], axis=0)
    squares = np.mean([((e.features - means) ** 2).mean(axis=0) for e in examples], axis=0)
    deviations = np.sqrt(squares)
    scale = np.where(deviations > 1e-4, 1 / np.maximum(deviations, 1e-4), 0.0)
    return means.astype(np.float32), scale.astype(np.float32)


def _weights(examples: Sequence[Example]) -> list[float]:
    """1 on average; n problems of one theory weigh as much as the square root of n alone."""
    sizes = Counter(e.stratum for e in examples)
    raw = np.array([sizes[e.stratum] ** -0.5 for e in examples])
    return list(map(float, raw / raw.mean()))


def _loss(net: TrainablePairNet, example: Example, random: np.random.Generator) -> Tensor:
    needed = np.flatnonzero(example.fate == NEEDED)
    others = np.flatnonzero(example.fate != NEEDED)
    needed = _some(needed, _NEEDED_AT_MOST, random)
    others = _some(others, _OTHERS_AT_MOST[net.shape.size > 0], random)
    chosen = np.concatenate([needed, others])
    vectors = _vectors(net, example, chosen, random) if net.shape.size else None
    judged = net(torch.from_numpy(example.features[chosen]), vectors)
    mass = torch.from_numpy(example.stands_for[others]).log()
    against = torch.logsumexp(judged[len(needed) :] + mass, dim=0)
    losses = torch.nn.functional.softplus(against - judged[: len(needed)])
    return (losses * torch.softmax(_WORST * losses.detach(), dim=0)).sum()


def _some(indices: NDArray[np.int64], most: int, random: np.random.Generator) -> NDArray[np.int64]:
    return indices if len(indices) <= most else random.choice(indices, most, replace=False)


def _vectors(
    net: TrainablePairNet,
    example: Example,
    chosen: NDArray[np.int64],
    random: np.random.Generator,
) -> Tensor:
    """What the predictor reads of the terms; symbols and variables are drawn anew."""
    sides = example.pairs.sides()
    terms = [*example.aim, *(sides[s].tolist() for i in chosen for s in (2 * i, 2 * i + 1))]
    forest = Forest.of(terms, example.arity.tolist())
    variables = max(0, int(forest.heads.max()) + 1 - len(example.arity))
    marks = np.concatenate([example.marks[:-1], np.repeat(example.marks[-1:], variables, axis=0)])
    drawn = random.standard_normal((len(marks), net.shape.size), dtype=np.float32)
    return net.pair_vectors(forest, torch.from_numpy(np.concatenate([drawn, marks], axis=1)))


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
