"""Problems on a Ray cluster: the same results, each once, whatever becomes of a node."""

from __future__ import annotations

import os
import pickle
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from samples import AIM, ROBINSON, easy_problems, untrained
from threesil.engine import Stop
from threesil.errors import InputError, MissingTool
from threesil.implications.equations import read_equations
from threesil.implications.graph import check, explore
from threesil.implications.pairs import decide_pairs
from threesil.kernel.outcome import SZS
from threesil.kernel.theory import Theory
from threesil.measure.compare.contest import compare
from threesil.measure.evaluate import evaluate
from threesil.measure.results import read_results
from threesil.problems.sets import ProblemSet
from threesil.provers.request import Request
from threesil.reproduce.jobs import Evaluation
from threesil.reproduce.run import Session
from threesil.theories import get_theory
from threesil.work import clusters
from threesil.work import ray as module
from threesil.work.place import Job, Make, Place
from threesil.work.places import check_place, place_for
from waiting import HANG, wait_until


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingTool, match=r"threesil\[ray\]"):
        place_for("ray", 1)
    with pytest.raises(MissingTool, match=r"threesil\[ray\]"):
        check_place("ray")


def test_no_cluster_at_the_address() -> None:
    pytest.importorskip("ray")
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        place = f"ray://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(InputError, match="no Ray cluster at"):
        place_for(place, 1)


@pytest.mark.parametrize("place", ["rays", "ray://127.0.0.1:9"])
def test_nothing_is_begun_without_a_cluster(place: str, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    pytest.importorskip("torch")
    from threesil.learn.train import train

    (tmp_path / "groups.thy").write_text("Theory g: G.\nAxiom unit: e * x = x.\n")
    with pytest.raises(InputError, match=r"HOST:PORT|no Ray cluster at"):
        train(str(tmp_path / "groups.thy"), out=tmp_path / "run", on=place)
    assert not (tmp_path / "run").exists()
    job = Evaluation("aim", "dev", "plain")
    with pytest.raises(InputError, match=r"HOST:PORT|no Ray cluster at"):
        Session(tmp_path / "reproduced", on=place).run([job])
    assert not (tmp_path / "reproduced").exists()


class Starting:
    """In Ray's place: something happens while it starts."""

    def __init__(self, happens: Callable[[], None]) -> None:
        self.happens, self.done = happens, list[str]()

    def init(self, **_: object) -> None:
        self.happens()
        self.done.append("started")

    def shutdown(self) -> None:
        self.done.append("left")


@pytest.mark.parametrize("failures", [2, 99])
def test_a_cluster_that_does_not_start_is_tried_again(failures: int) -> None:
    starts: list[dict[str, Any]] = []

    def init(**options: Any) -> None:
        starts.append(options)
        if len(starts) <= failures:
            raise Exception("The current node timed out during startup.")

    constants = SimpleNamespace(ray_constants=SimpleNamespace(ENABLE_RAY_CLUSTER=True))
    ray = SimpleNamespace(init=init, shutdown=lambda: None, _private=constants)
    if failures > 10:
        with pytest.raises(InputError, match=r"does not start: The current node .* by hand"):
            clusters._begin_here(ray, num_cpus=1)
    else:
        clusters._begin_here(ray, num_cpus=1)
        assert len(starts) == failures + 1


def test_a_signal_waits_until_ray_has_started() -> None:
    """Ray's own code does not survive it; a second one is meant."""
    ray = Starting(lambda: signal.raise_signal(signal.SIGINT))
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        clusters._begin(ray)
    assert ray.done == ["started", "left"]
    assert signal.getsignal(signal.SIGINT) is before

    def twice() -> None:
        for _ in range(2):
            signal.raise_signal(signal.SIGINT)

    ray = Starting(twice)
    with pytest.raises(KeyboardInterrupt):
        clusters._begin(ray)
    assert ray.done == ["left"]


def test_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "version", lambda _: "2.0")
    with pytest.raises(InputError, match=r"threesil 1\.9.*install the same"):
        module.check_version("1.9")


LISTENERS = """
import ipaddress, psutil
from threesil.work.places import place_for

def make():
    return lambda number, give, stop: give(number)

with place_for("ray", 2) as place:
    assert list(place.ordered(make, range(4))) == [0, 1, 2, 3]
    this = psutil.Process()
    for process in [this, *this.children(recursive=True)]:
        for one in process.net_connections(kind="inet"):
            if one.status == psutil.CONN_LISTEN or one.type != 1:
                print(process.name(), one.laddr.ip.removeprefix("::ffff:"))
"""


@pytest.mark.slow
def test_a_cluster_of_this_machine_alone_listens_to_nobody_else() -> None:
    pytest.importorskip("ray")
    command = [sys.executable, "-c", LISTENERS]
    told = subprocess.run(command, capture_output=True, text=True, timeout=240)
    assert told.returncode == 0, told.stderr
    listening = [line.rpartition(" ") for line in told.stdout.splitlines()]
    assert len(listening) >= 4  # this process, the head's two, a worker
    assert {address for *_, address in listening} == {"127.0.0.1"}, told.stdout


def test_a_ray_that_lets_others_in_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Open(Starting):
        def __init__(self) -> None:
            super().__init__(lambda: None)
            self.__version__ = "9.9"
            self.util = SimpleNamespace(get_node_ip_address=lambda: "192.0.2.1")
            constants = SimpleNamespace(ENABLE_RAY_CLUSTER=True)
            self._private = SimpleNamespace(ray_constants=constants)

    ray = Open()
    monkeypatch.setattr(clusters, "_ray", lambda: ray)
    with pytest.raises(InputError, match="other machines in; start a cluster by hand"):
        place_for("ray", 1)
    assert ray.done == ["started", "left"]
    assert ray._private.ray_constants.ENABLE_RAY_CLUSTER


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
        request = Request(mode, 60.0, 300, untrained(theory))
        rows = []
        for name, on in (("threads", None), ("ray", place)):
            proofs = tmp_path / f"{theory.name}-{name}"
            out = tmp_path / f"{proofs}.jsonl"
            done = evaluate(given, request, workers=2, on=on, out=out, proofs=proofs)
            rows.append([replace(row, seconds=0.0, cpu_seconds=0.0) for row in done])
        assert rows[0] == rows[1]
        assert any(row.certified for row in rows[0])
        first, second = (
            {path.name: path.read_bytes() for path in (tmp_path / f"{theory.name}-{n}").iterdir()}
            for n in ("threads", "ray")
        )
        assert first == second


@pytest.mark.slow
def test_pairs_of_equations(cluster: Any, tmp_path: Path) -> None:
    """Proofs, models and normal forms come back, to the byte; all pairs are decided too."""
    path = tmp_path / "equations.txt"
    path.write_text("x * (y * z) = (x * y) * z\nx * y = y * x\nx * x = x\nx * y = x\nx = y\n")
    given = read_equations(path)
    pairs = [(i, j) for i in range(5) for j in range(5) if i != j]
    certificates = []
    for on in (None, f"ray://{cluster.address}"):
        proofs = tmp_path / f"proofs-{on is None}"
        rows = decide_pairs(given, pairs, seconds=5.0, on=on, proofs=proofs)
        assert len(rows) == len(pairs) and all(row.certified for row in rows)
        certificates.append({file.name: file.read_bytes() for file in proofs.iterdir()})
    assert certificates[0] == certificates[1]
    graph = explore(given, tmp_path / "graph", on=f"ray://{cluster.address}", seconds=1.0)
    assert (graph.open, graph.proved) == (0, sum(row.status is SZS.THEOREM for row in rows))
    assert check(given, tmp_path / "graph").open == 0


@pytest.mark.slow
def test_a_comparison(cluster: Any, tmp_path: Path) -> None:
    given = ProblemSet(AIM, tuple(easy_problems(AIM)[:3]))
    solvers, request = ("plain", "saturate"), Request(seconds=5.0)
    found = []
    for number, on in enumerate((None, f"ray://{cluster.address}")):
        compared = compare(given, solvers, request, tmp_path / str(number), on=on)
        assert compared.left == 0
        found.append(
            {e.name: {n: r.status for n, r in e.rows.items()} for e in compared.standing.entrants}
        )
    assert found[0] == found[1]


def there(cluster: Any) -> Place:
    return place_for(f"ray://{cluster.address}", 1)


def slowly() -> Make[int, int]:
    """A job that travels as it is: the workers don't have this module."""

    def make() -> Job[int, int]:
        def work(number: int, give: Callable[[int], None], stop: object) -> None:
            import time

            time.sleep(0.2)
            if number == -1:
                raise ValueError("less than nothing")
            give(number)

        return work

    return make


@pytest.mark.slow
def test_a_stop_ends_it(cluster: Any) -> None:
    stop = Stop()
    with there(cluster) as place:
        found = place.map(slowly(), range(10_000), stop)
        next(found)
        stop.set()
        assert len(list(found)) < 1000


@pytest.mark.slow
def test_a_failure_is_a_value(cluster: Any) -> None:
    with there(cluster) as place:
        found = {done.index: done for done in place.map(slowly(), [1, -1, 3])}
    assert (found[0].value, found[2].value) == (1, 3)
    assert isinstance(found[1].error, ValueError)


@pytest.mark.slow
def test_what_takes_long_is_given_back(cluster: Any) -> None:
    """A chunk of four seconds comes back in parts, each job once."""
    with there(cluster) as place:
        crew = place.begin(slowly())
        assert isinstance(crew, module._Crew)
        crew._pace = 1 / 20
        for index in range(20):
            crew.add(index, index)
        parts = []
        while crew.busy:
            if part := [done.get() for done in crew.results(1.0)]:
                parts.append(part)
    assert len(parts) >= 3 and max(map(len, parts)) <= 6
    assert sorted(number for part in parts for number in part) == list(range(20))


def met() -> Make[Theory, tuple[int, Theory]]:
    """Gives a theory back, and which object it is in the worker."""
    return lambda: lambda theory, give, stop: give((id(theory), theory))


@pytest.mark.slow
def test_a_theory_travels_once(cluster: Any) -> None:
    own = get_theory("groups").without((), "own")
    with there(cluster) as place:
        found = list(place.ordered(met(), [AIM, own] * 6))
    for theory in (AIM, own):
        seen = [number for number, one in found if one is theory]  # not a copy
        assert len(seen) == 6 and len(set(seen)) <= 2  # workers


def test_names_stand_for_theories() -> None:
    """Those without a name travel whole."""
    own = get_theory("groups").without((), "own")
    packed = module.packed([AIM, own, AIM], lambda one: "a" if one is AIM else None)
    assert len(packed) < len(pickle.dumps(AIM)) / 2
    first, second, third = module.unpacked(packed, {"a": AIM})
    assert first is third is AIM
    assert second is not own and (second.name, second.digest) == ("own", own.digest)


def with_mark(mark: str) -> list[str]:
    """The processes whose environment holds a mark."""
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if mark in process.environ().values() and process.status() != psutil.STATUS_ZOMBIE:
                found.append(f"{process.pid} {process.name()}")
    return found


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("after", ["a row", "a second"])
def test_ctrl_c_leaves_no_process(after: str, tmp_path: Path) -> None:
    """Neither in the middle of the work nor while Ray starts; what is done is kept."""
    pytest.importorskip("ray")
    out, mark = tmp_path / "rows.jsonl", uuid.uuid4().hex
    lines = [f"p{k}\t{'e * x = x' if k % 2 else 'x * y = y * x'}\n" for k in range(60)]
    (tmp_path / "p.tsv").write_text("".join(lines))
    command = [sys.executable, "-m", "threesil", "evaluate", str(tmp_path / "p.tsv")]
    command += ["--theory", "aim", "--solver", "plain", "--seconds", "1"]
    command += ["--out", str(out), "--on", "ray", "--workers", "1"]
    with subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "THREESIL_TEST_MARK": mark},
        start_new_session=True,
    ) as process:
        while not out.exists() or (after == "a row" and out.read_bytes().count(b"\n") < 3):
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(1.0)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, complaint = process.communicate(timeout=HANG)
    assert (process.returncode, b"Traceback" in complaint) == (130, False)
    wait_until(lambda: not with_mark(mark), "a process was left")
    assert out.read_bytes().endswith(b"\n")
    assert len(read_results(out)[1]) >= (2 if after == "a row" else 0)


@pytest.mark.slow
def test_a_node_that_dies_is_made_good(cluster: Any) -> None:
    """Nothing is lost, nothing counted twice. The last test here: the node stays away."""
    found = []
    with there(cluster) as place:
        for done in place.map(slowly(), range(60)):
            found.append(done.get())
            if len(found) == 10:
                cluster.remove_node(cluster.second, allow_graceful=False)
    assert sorted(found) == list(range(60))


@pytest.mark.slow
@pytest.mark.timeout(900)  # a busy machine hears late that a node is gone
@pytest.mark.parametrize("method", ["3sil", "expert"])
def test_training_is_the_same_to_the_bit(cluster: Any, tmp_path: Path, method: str) -> None:
    """Also if a node goes away after the first epoch."""
    pytest.importorskip("torch")
    from small_runs import assert_same_run, tiny
    from threesil.learn.train import train

    theory = "robinson" if method == "3sil" else "aim"
    (tmp_path / "problems").write_text(PROBLEMS[theory])
    node = cluster.add_node(num_cpus=1)
    changes = tiny(method, ME=3, m=3000, f=1500, level_size=0, expansions=200)

    def progress(metrics: dict[str, Any]) -> None:
        if metrics["epoch"] == 0:
            cluster.remove_node(node, allow_graceful=False)

    for on, name, hear in (
        (None, "here", lambda metrics: None),
        (f"ray://{cluster.address}", "away", progress),
    ):
        train(
            theory,
            method=method,
            problems=str(tmp_path / "problems"),
            changes=changes,
            out=tmp_path / name,
            on=on,
            progress=hear,
        )
    assert_same_run(tmp_path / "here", tmp_path / "away", get_theory(theory))


def test_methods_that_play_where_they_learn(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from threesil.learn.train import train

    with pytest.raises(InputError, match="leave it out"):
        train("robinson", method="ppo", problems="sampled", out=tmp_path / "run", on="ray")


PROBLEMS = {
    "robinson": "0 + 0\n1 + 0\n0 * 3\n2 + 1\nS(0 + 1)\n(0 + 0) * 0\n2 * 2\n",
    "aim": "a\te * x = x\nb\tx / e = x\nc\tx * T(y,x) = y * x\nd\tK(e,x) = e\n",
}
