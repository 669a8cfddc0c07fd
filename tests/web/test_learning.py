"""Learning a theory: a training that the interface begins, watches, stops and resumes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from threesil.errors import InputError
from threesil.runs.run import Run
from threesil.web.learning import teachable
from threesil.web.tasks import theory_of
from threesil.web.training import Trainings
from waiting import HANG, wait_until
from web.serving import Server, http, serving

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

TEA = """Theory tea: A silly theory of tea and milk.
Constants tea, milk.
Axiom stir: stir(stir(x)) = stir(x).
Axiom pour: pour(x,y) = stir(mix(x,y)).
Axiom mixed: stir(mix(x,y)) = stir(mix(y,x)).
Theorem order: stir(pour(tea,milk)) = pour(milk,tea).
"""
LADR = """formulas(assumptions). x * (y * z) = (x * y) * z. x * x = x. end_of_list.
formulas(goals). x * (x * y) = x * y. end_of_list."""
TPTP = "cnf(a, axiom, f(f(X)) = X).\ncnf(g, negated_conjecture, f(f(f(a))) != f(a))."
SHORT = 0.1  # minutes: hardly more than it takes to make theorems


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server without any run, and without the directory for them."""
    with serving(where=tmp_path) as running:
        yield running


def post(server: Server, path: str, **body: object) -> Any:
    answer = http.post(f"{server.url}api/{path}", json=body)
    assert "/tmp" not in answer.text
    return answer.json()


def look(server: Server, name: str) -> Any:
    return http.get(f"{server.url}api/run", params={"name": name}).json()


def wait_for(server: Server, name: str, status: str) -> Any:
    def known() -> bool:
        training = look(server, name)["training"]
        assert training["status"] in ("running", status), training
        return bool(training["status"] == status)

    wait_until(known, f"{name} is never {status}")
    return look(server, name)


def wait_for_run(server: Server, name: str) -> None:
    """Until there is something to resume."""
    wait_until(lambda: "stages" in look(server, name), "it never begins")


def test_a_theory_is_learned_and_used(server: Server) -> None:
    name = post(server, "train", text=TEA, minutes=SHORT)["name"]
    assert name == "tea-1"
    run = wait_for(server, name, "done")
    assert run["done"] and all(run["stages"].values())
    assert run["counts"]["train"] and run["counts"]["lemmas"] is not None
    assert not run["shares"] or run["shares"][0]["problems"] == run["counts"]["test"]
    assert any("for training" in words for words in run["training"]["said"])
    assert run["of"] is None  # minutes have ended it, no number of epochs
    listed = http.get(f"{server.url}api/runs").json()["runs"]
    assert [one["name"] for one in listed] == [name]
    kept = http.get(f"{server.url}api/run/theory", params={"name": name}).json()
    assert kept == {"theory": None, "text": TEA}
    body = {"text": TEA, "weights": name, "seconds": 10}
    assert '"proved": 1' in http.post(f"{server.url}api/prove", json=body).text
    wait_until(lambda: not _trainers(server), "its process stays")


def test_a_training_is_stopped_and_resumed(server: Server) -> None:
    name = post(server, "train", text=TPTP, minutes=5)["name"]
    wait_for_run(server, name)
    post(server, "train/stop", name=name)
    run = look(server, name)
    assert run["training"]["status"] == "stopped" and not run["done"]
    assert not _trainers(server)
    again = post(server, "train", text=LADR, minutes=5)["name"]  # another one may begin
    refused = post(server, "train/resume", name=name)
    assert f"{again} is being trained; one at a time" in refused["error"]["message"]
    post(server, "train/stop", name=again)
    post(server, "train/resume", name=name)
    wait_until(lambda: look(server, name)["training"]["what"] != "starting", "it does not resume")
    assert look(server, name)["training"]["status"] == "running"
    post(server, "train/stop", name=name)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("stopped", [False, True])
def test_a_training_ends_with_its_server_and_is_resumed_by_the_next(
    tmp_path: Path, how: signal.Signals, stopped: bool
) -> None:
    """However the server ends, and if somebody stops the training meanwhile."""
    with serving(where=tmp_path) as server:
        name = post(server, "train", text=TEA, minutes=5)["name"]
        wait_for_run(server, name)
        all_of_it = [server.process, *server.process.children(recursive=True)]
        if stopped:
            with http.stream("POST", f"{server.url}api/train/stop", json={"name": name}):
                server.process.send_signal(how)
        else:
            server.process.send_signal(how)
        wait_until(lambda: not any(map(_is_alive, all_of_it)), "something stays")
    run = Run(tmp_path / "runs" / name)
    assert run.exists and not run.finished
    with serving(where=tmp_path) as server:
        assert look(server, name)["training"] is None
        post(server, "train/resume", name=name)
        wait_until(lambda: look(server, name)["training"]["what"] != "starting", "it hangs")
        assert look(server, name)["training"]["status"] == "running"


def _is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def _trainers(server: Server) -> list[int]:
    """The processes that have PyTorch loaded."""
    found = []
    for pid in server.workers():
        try:
            maps = psutil.Process(pid).memory_maps()
        except psutil.Error:
            continue
        if any("libtorch" in one.path for one in maps):
            found.append(pid)
    return found


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"text": "Axiom a: f(x = x."}, "this bracket is never closed"),
        ({"text": "x = x", "theory": "nothing"}, "there is no theory"),
        ({"text": TEA, "minutes": 11}, "less than or equal to 10"),
        ({"text": TEA, "minutes": 1e9}, "less than or equal to 10"),
        ({"text": TEA, "minutes": -1}, "greater than 0"),
        ({"text": TEA, "assume": ["tea = milk"]}, "write them into the theory"),
        ({"text": "formulas(goals). x = y. end_of_list."}, "no equation"),
        ({"text": "include('/etc/passwd').\ncnf(a, axiom, f(X) = X)."}, "no other file is read"),
    ],
)
def test_what_can_not_be_learned_is_refused(server: Server, body: Any, said: str) -> None:
    assert said in post(server, "train", **body)["error"]["message"]
    assert not http.get(f"{server.url}api/runs").json()["runs"]


def test_a_run_that_is_not_there_is_not_resumed(server: Server) -> None:
    assert "no 'tea-1'" in post(server, "train/resume", name="tea-1")["error"]["message"]
    assert post(server, "train/stop", name="tea-1") == {"name": "tea-1"}
    assert "error" in look(server, "tea-1")


def test_a_server_without_pytorch_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"pip install 'threesil\[train\]'"):
        Trainings().check()


@pytest.mark.parametrize(
    ("task", "name", "file"),
    [
        ({"text": TEA}, "tea", "input.thy"),
        ({"text": LADR, "theory": "groups"}, "input", "input.in"),
        ({"text": TPTP}, "input", "input.p"),
        ({"text": "x * y = x", "theory": "groups"}, "groups", None),
        ({"text": "", "theory": "robinson"}, "robinson", None),
        ({"text": "f(x) = x", "theory": {"name": "a/b.p", "text": TPTP}}, "b", "b.p"),
    ],
)
def test_a_theory_is_taken_from_a_name_or_a_file(task: Any, name: str, file: str | None) -> None:
    def theory(of: Any) -> Any:
        found = theory_of(of)
        assert found is not None
        return found

    found = teachable(task, theory)
    assert (found["name"], found["text"] is None) == (name, file is None)
    assert file is None or found["theory"] == file


def test_a_page_learns(browser: Any, server: Server) -> None:
    page = browser.new_page()
    page.goto(server.url)
    # A minute is the shortest that the page offers: it is made shorter on its way.
    page.route(
        "**/api/train",
        lambda route: route.continue_(
            post_data=route.request.post_data.replace('"minutes":1}', f'"minutes":{SHORT}}}')
        ),
    )
    page.select_option("#theory", "")
    page.fill("#text", TEA)
    page.click("text=Learn this theory")
    page.check("text=1 minute")
    page.click("text=Start")
    page.wait_for_selector("h1:text('tea-1')")
    page.wait_for_selector(".stages .now")
    assert page.locator("button:text('Stop')").count() == 1
    page.click("text=Stop")
    page.wait_for_selector("text=It is not finished")
    page.click("text=Resume")
    page.wait_for_selector("text=Prove with it", timeout=1000 * HANG)
    page.click("text=Prove with it")
    page.wait_for_selector(".answer.proved")
    assert page.input_value("#weights") == "tea-1"
    page.close()
