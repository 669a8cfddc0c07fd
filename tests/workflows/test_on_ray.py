"""Problems on a Ray cluster: the same results, each once, whatever becomes of a node."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from samples import AIM, ROBINSON, easy_problems, untrained
from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.problems import ProblemSet
from threesil.workflows import on_ray as module
from threesil.workflows.evaluate import How, evaluate
from threesil.workflows.on_ray import on_ray, read_place


def test_places() -> None:
    assert read_place("ray") is None
    assert read_place("ray://127.0.0.1:6379") == "127.0.0.1:6379"
    for text in ("", "Ray", "ray://", "ray://host", "ray://host:port", "http://host:1", "ray:1"):
        with pytest.raises(InputError, match="HOST:PORT"):
            read_place(text)


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingTool, match=r"threesil\[ray\]"):
        next(on_ray("ray", iter([1]), abs, 1, Stop()))  # type: ignore[arg-type]


def test_no_cluster_at_the_address() -> None:
    pytest.importorskip("ray")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        place = f"ray://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(InputError, match="no Ray cluster at"):
        next(on_ray(place, iter([1]), abs, 1, Stop()))  # type: ignore[arg-type]


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "version", lambda _: "2.0")
    with pytest.raises(InputError, match=r"threesil 1\.9.*install the same"):
        module._check_version("1.9")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes on this machine; the second one can be taken away."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    quiet = {"include_dashboard": False}
    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **quiet})
    try:
        made.second = made.add_node(num_cpus=1)
        made.wait_for_nodes()
        yield made
    finally:
        made.shutdown()


@pytest.mark.slow
def test_results_are_those_of_threads(cluster: Any, tmp_path: Path) -> None:
    place = f"ray://{cluster.address}"
    for theory, mode in ((ROBINSON, "ladder"), (AIM, "guided")):
        problems = [
            replace(problem, name=f"{i}:{problem.name}")
            for i, problem in enumerate(easy_problems(theory) * 5)
        ]
        given = ProblemSet(theory, tuple(problems))
        how = How(mode, 60.0, 300, model=untrained(theory), workers=2)
        rows = []
        for name, one in (("threads", how), ("ray", replace(how, on=place))):
            proofs = tmp_path / f"{theory.name}-{name}"
            done = evaluate(given, one, out=tmp_path / f"{proofs}.jsonl", proofs=proofs)
            rows.append([replace(row, seconds=0.0, cpu_seconds=0.0) for row in done.rows])
        assert rows[0] == rows[1]
        assert any(row.certified for row in rows[0])
        first, second = (
            {path.name: path.read_bytes() for path in (tmp_path / f"{theory.name}-{n}").iterdir()}
            for n in ("threads", "ray")
        )
        assert first == second


def slowly() -> Callable[[int], list[int]]:
    """Something to do, which travels as it is: the workers don't have this module."""

    def work(number: int) -> list[int]:
        import time

        time.sleep(0.2)
        return [number]

    return work


@pytest.mark.slow
def test_a_stop_ends_it(cluster: Any) -> None:
    stop = Stop()
    threading.Timer(8.0, stop.set).start()
    begin = time.monotonic()
    done = list(on_ray(f"ray://{cluster.address}", iter(range(10_000)), slowly(), 1, stop))
    assert time.monotonic() - begin < 60
    assert len(done) < 1000


@pytest.mark.slow
def test_a_node_that_dies_is_made_good(cluster: Any) -> None:
    """Nothing is lost, nothing counted twice. The last test here: the node stays away."""
    found = []
    for number in on_ray(f"ray://{cluster.address}", iter(range(60)), slowly(), 1, Stop()):
        found.append(number)
        if len(found) == 10:
            cluster.remove_node(cluster.second, allow_graceful=False)
    assert sorted(found) == list(range(60))
