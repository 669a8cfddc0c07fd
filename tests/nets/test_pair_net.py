"""The judge of critical pairs: the core and PyTorch agree, and only its own files are taken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from proof_samples import GROUPS, theory_of
from samples import ROBINSON
from threesil.engine import Budget, Completion, PairShape, Selection, Shape, Status
from threesil.engine.network import Floats
from threesil.engine.selection import FEATURES, Pairs
from threesil.errors import InputError
from threesil.kernel.theory import Problem, Theory
from threesil.learn.pair_examples import NEEDED, Example, collect
from threesil.nets.judge import Judge
from threesil.nets.pair_net import Forest, TrainablePairNet
from threesil.nets.policy import Policy, initial_parameters
from threesil.notations.infix import parse_equation

SHAPES = [PairShape(0, 16), PairShape(16, 32), PairShape(32, 16)]
INVERSE = "i(x * y) = i(y) * i(x)"


# A silly theory: symbols with none to five arguments.
SILLY = theory_of(
    "silly",
    {"c": 0, "u": 1, "b": 2, "t": 3, "q": 5},
    one="q(x, y, z, v, w) = t(x, b(y, z), q(w, v, c, c, x))",
    two="t(x, y, z) = t(y, z, x)",
    three="b(u(x), y) = u(b(x, y))",
)


def network(shape: PairShape, seed: int = 0) -> TrainablePairNet:
    random = np.random.default_rng(seed)
    mean = random.normal(size=FEATURES).astype(np.float32)
    net = TrainablePairNet(shape, mean, np.full(FEATURES, 0.7, np.float32), seed=seed)
    with torch.no_grad():
        for weight in net.parameters():
            if weight.requires_grad:
                weight += torch.from_numpy(random.normal(size=weight.shape) * 0.1).float()
    return net


def stated(theory: Theory, text: str, exists: tuple[str, ...] = ()) -> Problem:
    return Problem(text, *parse_equation(text, theory.signature), exists=exists)


def by_torch(net: TrainablePairNet, features: Floats, pairs: Pairs, run: object) -> Floats:
    selecting, arity, aim = run.selecting, run.arity, run.aim  # type: ignore[attr-defined]
    vectors = None
    if net.shape.size:
        forest = Forest.of([*aim, *(side.tolist() for side in pairs.sides())], arity)
        variables = max(0, int(forest.heads.max()) + 1 - len(arity))
        codes = [*range(len(arity)), *(~v for v in range(variables))]
        vectors = net.pair_vectors(forest, torch.from_numpy(selecting.vectors(codes)))
    with torch.no_grad():
        judged: Floats = net(torch.from_numpy(features), vectors).numpy()
    return judged


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    ("theory", "text", "exists"),
    [
        (GROUPS, INVERSE, ()),
        (GROUPS, "x * y = i(z)", ("x", "z")),
        (SILLY, "q(c, c, c, c, x) = q(x, c, c, u(c), c)", ()),
    ],
)
def test_the_core_judges_as_pytorch_does(
    shape: PairShape, theory: Theory, text: str, exists: tuple[str, ...]
) -> None:
    net = network(shape)
    selection = Selection(net.judge({}).network(), record=True, seed=3)
    run = Completion(theory, selection=selection).begin(stated(theory, text, exists))
    run.run(Budget(30, None))
    assert run.selecting is not None
    recorded, numbers = run.selecting.recorded()
    assert len(recorded) > 3 and (np.diff(numbers.astype(np.int64)) > 0).all()
    features, pairs = run.selecting.features(recorded)
    assert np.isfinite(features).all()
    expected = by_torch(net, features, pairs, run)
    for given in (recorded, pairs):  # the order of a pair's sides does not matter
        assert run.selecting.judge(given) == pytest.approx(expected, abs=1e-4, rel=1e-5)
    assert len(set(expected.tolist())) > 1


@pytest.mark.parametrize("turns", [1, 5])
def test_learned_selection_proves_and_repeats_itself(turns: int) -> None:
    selection = Selection(network(SHAPES[1]).judge({}).network(), turns=turns, seed=5)
    problem = stated(GROUPS, INVERSE)
    runs = [Completion(GROUPS, selection=selection).begin(problem) for _ in range(2)]
    found = [run.run(Budget(100_000, None)) for run in runs]
    assert found[0].status is Status.PROVED and found[0] == found[1]
    assert runs[0].statistics == runs[1].statistics


def test_names_of_symbols_do_not_matter() -> None:
    other = theory_of(
        "renamed",
        {"mul": 2, "z9": 1, "a1": 0},
        unit="mul(a1, x) = x",
        inverse="mul(z9(x), x) = a1",
        assoc="mul(mul(x, y), z) = mul(x, mul(y, z))",
    )
    selection = Selection(network(SHAPES[1]).judge({}).network(), seed=5)
    counts = []
    for theory, goal in ((GROUPS, INVERSE), (other, "z9(mul(x, y)) = mul(z9(y), z9(x))")):
        run = Completion(theory, selection=selection).begin(stated(theory, goal))
        assert run.run(Budget(100_000, None)).status is Status.PROVED
        counts.append(run.statistics)
    assert counts[0] == counts[1]


def test_an_example_is_what_a_proof_needed(tmp_path: Path) -> None:
    problem = stated(GROUPS, INVERSE)
    example = collect(GROUPS, problem, Selection(), Budget(10_000, None))
    assert example is not None
    needed = int((example.fate == NEEDED).sum())
    assert 3 <= needed < len(example.fate) and example.cost == (needed, example.considered)
    assert example.features.shape == (len(example.fate), FEATURES)
    example.save(tmp_path / "one")
    again = Example.load(tmp_path / "one")
    assert again.name == example.name and again.aim == example.aim
    for mine, theirs in ((again.features, example.features), (again.fate, example.fate)):
        assert (mine == theirs).all()
    assert collect(GROUPS, problem, Selection(), Budget(2, None)) is None


def test_a_model_is_kept_in_a_file(tmp_path: Path) -> None:
    model = network(SHAPES[1]).judge({"rounds": 2})
    model.save(tmp_path / "m.safetensors")
    again = Judge.load(tmp_path / "m.safetensors")
    assert again.digest == model.digest and again.notes == {"rounds": 2}


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.safetensors"
    shape = Shape(16, 16)
    Policy(ROBINSON, shape, initial_parameters(ROBINSON, shape, 0)).save(path)
    with pytest.raises(InputError, match="no weights that select"):
        Judge.load(path)
    model = network(SHAPES[0]).judge({})
    model.parameters[-1] = np.nan
    model.save(path)
    with pytest.raises(InputError, match=r"last.bias holds what is no number"):
        Judge.load(path)
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(InputError, match="damaged file of weights"):
        Judge.load(path)
