"""Ablations: arms that differ in one thing, paired tests, theorems to test on."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from run_samples import describe
from threesil.kernel.naming import equation_key
from threesil.kernel.outcome import SZS
from threesil.learn.config import load_config
from threesil.measure.results import Row
from threesil.problems.files import format_problem, load_problems
from threesil.problems.sets import novel, sample_set
from threesil.reproduce import ablations, experiments, robinson
from threesil.reproduce.charts import draw_panels
from threesil.reproduce.experiment import Difference, Spent, Versus, Within
from threesil.reproduce.held_out import held_out
from threesil.reproduce.jobs import HELD_OUT, LISTED, Contest, Evaluation, Training
from threesil.reproduce.run import Interrupted, Session, check_data, plan
from threesil.theories import get_theory


@dataclass
class Results:
    """Made-up results: the CPU seconds of what each evaluation solves, of problems a, b, …"""

    solved: dict[Evaluation, dict[str, float]]
    cpu: dict[Training, list[float]] = field(default_factory=dict)
    names: str = "abcdefgh"

    def rows(self, job: Evaluation | Contest) -> Mapping[str, Row] | None:
        if not isinstance(job, Evaluation) or job not in self.solved:
            return None
        return {
            name: Row(name, SZS.THEOREM, True, 1.0, self.solved[job][name])
            if name in self.solved[job]
            else Row(name, SZS.TIMEOUT, False, 1.0, 1.0)
            for name in self.names
        }

    def metrics(self, job: Training) -> Sequence[Mapping[str, Any]] | None:
        return [{"cpu": seconds} for seconds in self.cpu[job]] if job in self.cpu else None

    def novel(self, theory: str, problems: str) -> set[str]:
        return set()


ONE = tuple(Evaluation("aim", "dev", "guided", seed=seed) for seed in (1, 2))
TWO = tuple(Evaluation("aim", "dev", "complete", seed=seed) for seed in (1, 2))


def test_a_problem_counts_once_for_the_arm_with_more_seeds() -> None:
    quick = dict.fromkeys("abcdef", 0.001)
    done = Results(
        {
            ONE[0]: quick,
            ONE[1]: {**quick, "g": 0.5},  # too late
            TWO[0]: {"a": 0.001, "h": 0.001},
            TWO[1]: {"a": 0.001, "b": 0.001},
        }
    )
    found = Versus(ONE, TWO, within=0.1).read(done)
    # b: 2 seeds against 1; c to f: 2 against none; h: none against 1; a alike
    assert found == Difference(pytest.approx((12 - 4) / 8 / 2), 5, 1, pytest.approx(14 / 64))
    assert str(found) == "+0.500 (5 : 1, p = 0.219)"
    thrice = Versus(ONE, TWO, within=0.1, comparisons=3).read(done)
    assert thrice is not None and thrice.p == pytest.approx(42 / 64)
    late = Versus(ONE, TWO, within=0.6).read(done)
    assert late is not None and late.more == 6
    alone = Versus(ONE, TWO[:1], 0.1).read(done)  # two seeds against one
    assert alone is not None and (alone.more, alone.fewer) == (5, 1)
    assert alone.share == pytest.approx(6 / 8 - 2 / 8)
    assert Versus(ONE, TWO[:1], 0.1).read(Results({})) is None


def test_spent_time() -> None:
    runs = tuple(Training("aim", seed) for seed in (1, 2))
    done = Results({}, {runs[0]: [1.2, 2.3], runs[1]: [4.0]})
    assert str(Spent(runs).read(done)) == "4, 4"
    assert Spent(runs).read(Results({})) is None


def test_a_panel_for_each_theory() -> None:
    done = Results({ONE[0]: {"a": 0.001, "b": 0.02}, ONE[1]: {}})
    chart = Within({"aim": {"guided": ONE, "complete": TWO}, "groups": {"guided": TWO}}, 0.1)
    figure = draw_panels(done, chart)
    assert figure is not None
    first, second = figure.axes
    (line,) = first.lines
    assert line.get_ydata()[-1] == pytest.approx(2 / 8 / 2)  # type: ignore[index]
    assert not second.lines
    assert draw_panels(Results({}), chart) is None


@pytest.mark.parametrize("quick", [True, False])
def test_arms_differ_in_what_they_say(quick: bool) -> None:
    for theory in ablations.THEORIES:
        models = ablations._models(theory, quick)
        runs = [over[0].model for over in models.values()]
        assert all(run is not None for run in runs)
        configs = []
        for run in runs:
            assert run is not None
            config = load_config(run.config, get_theory(theory), run.settings, run.method)
            configs.append((run.method, config))
            assert config.cpu_seconds == (2.0 if quick else 100.0)
        assert len(set(configs)) == len(configs)
    for method in ("ppo", "a2c"):
        changes = robinson.variants(method)
        theory = get_theory("robinson")
        made = {load_config("paper", theory, dict(c), method) for c in changes.values()}
        assert len(made) == len(changes)
        assert [len(c) for c in changes.values()][:-1] == [0] + [1] * (len(changes) - 2)


@pytest.mark.slow
def test_theorems_to_test_on(tmp_path: Path) -> None:
    theory = get_theory("quandles")
    given = held_out(theory, tmp_path)
    assert len(given.problems) > 250
    again = load_problems(tmp_path / f"quandles-{HELD_OUT}.tsv", theory)
    assert [p.name for p in again] == [p.name for p in given.problems]
    assert held_out(theory, tmp_path).problems == given.problems
    trained = sample_set(theory, 2000, seed=0)
    assert novel(given.problems[:20], trained) == list(given.problems[:20])
    keys = {equation_key(p.start, p.target) for p in given.problems if p.target is not None}
    assert len(keys) == len(given.problems)


@pytest.mark.slow
def test_a_small_one(tmp_path: Path) -> None:
    """A training on random problems that ends with its time, and the test on the others."""
    pytest.importorskip("torch")
    run = ablations._training("groups", "3SIL, the newest proofs, not the shortest", 1, True)
    test = Evaluation("groups", HELD_OUT, "guided", run, 0.02, limit=6)
    check_data([run, test])
    session = Session(tmp_path)
    seen: list[float] = []
    session.progress = lambda job, part: seen.append(part)
    session.run([run, test])
    spent = Spent((run,)).read(session)
    assert spent is not None and spent.values[0] is not None and spent.values[0] >= 2
    rows = session.rows(test)
    assert rows is not None and len(rows) == 6
    assert sorted(seen[: seen.index(1.0)]) == seen[: seen.index(1.0)]
    assert f"sets/groups-{HELD_OUT}.tsv" in test.command
    assert (tmp_path / "sets" / f"groups-{HELD_OUT}.tsv").exists()
    assert "--problems sampled" in run.command


def test_a_training_is_done_with_all_its_stages(tmp_path: Path) -> None:
    job = ablations._tuning("groups", 1, True)
    session = Session(tmp_path)
    assert session.left([job]) == [job]
    run = describe(tmp_path / "runs" / job.slug, stages={"policy": True, "table": False})
    run.weights_path.touch()
    (run.directory / "problems.jsonl").touch()  # without them it would be a record
    assert session.left([job]) == [job]
    run.mark({"table": True})
    assert session.left([job]) == []
    run.weights_path.unlink()
    assert session.left([job]) == [job]


@pytest.mark.slow
@pytest.mark.parametrize("when", ["measured.jsonl", "metrics.jsonl", "model.safetensors"])
def test_fine_tuning_is_interrupted(when: str, tmp_path: Path) -> None:
    """While problems are measured, after an epoch, and while what was learned is judged."""
    pytest.importorskip("torch")
    run = ablations._tuning("groups", 1, True)
    theory = get_theory("groups")
    some = sample_set(theory, 60, seed=0)
    listed = tmp_path / "sets" / f"groups-{LISTED}.tsv"
    listed.parent.mkdir()
    listed.write_text("".join(f"{format_problem(problem, theory)}\n" for problem in some))
    directory = tmp_path / "runs" / run.slug
    session = Session(tmp_path)

    def watch() -> None:
        while not (directory / when).exists():
            time.sleep(0.005)
        session.stop.set()

    Thread(target=watch, daemon=True).start()
    with pytest.raises(Interrupted):
        session.run([run])
    again = Session(tmp_path)
    assert again.left([run]) == [run]
    again.run([run])
    assert again.left([run]) == [] and not (directory / "measured.jsonl").exists()
    assert (directory / "held_out.json").exists()


def test_names() -> None:
    jobs = plan(experiments(("ablations", "why-baselines"), quick=False))
    assert all(len(job.slug) < 200 for job in jobs)
