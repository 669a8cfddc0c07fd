"""The interface of a running server: checking, proving, cancelling, files."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest

from commands import Run
from threesil.notations.reading.certificates import stored_proofs
from threesil.proofs.export import FORMATS, MODEL_FORMATS, PROOF_FORMATS
from threesil.theories import get_theory
from threesil.web.routes import Format
from waiting import wait_until
from web.serving import ENDLESS, Server, http, serving

GROUPS = {"text": "i(x * y) = i(y) * i(x)", "theory": "groups"}
LADR = """formulas(assumptions). f(x) = x. end_of_list.
formulas(goals). f(f(x)) = x. end_of_list."""


def post(server: Server, path: str, body: object) -> httpx.Response:
    return http.post(f"{server.url}api/{path}", json=body)


def search(server: Server, body: object) -> list[dict[str, Any]]:
    answer = post(server, "prove", body)
    assert answer.headers["content-type"].startswith("text/event-stream"), answer.text
    lines = answer.text.splitlines()
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


def test_a_text_is_checked_with_its_place(server: Server) -> None:
    good = post(server, "check", {"text": "x * y = y", "theory": "groups"}).json()
    assert good["goals"][0]["understood"] == "for all x, y: x * y = y"
    bad = post(server, "check", {"text": "x * = y", "theory": "groups"})
    assert bad.status_code == 400
    error = bad.json()["error"]
    assert error["column"] == 5
    assert error["shown"][1].index("^") - error["shown"][0].index("x") == 4


def test_errors_name_the_line_and_files_their_own_theory(server: Server) -> None:
    text = "x * e = x\n\nx * = y"
    error = post(server, "check", {"text": text, "theory": "groups"}).json()["error"]
    assert (error["line"], error["column"]) == (3, 5)
    read = post(
        server, "check", {"text": "Axiom a: f(x) = x.\nTheorem t: f(y) = y.", "theory": "groups"}
    )
    assert read.json()["theory"] == "input"


@pytest.mark.parametrize(
    ("text", "theory"),
    [
        ("cnf(a, axiom, f(X) = X).\ncnf(g, negated_conjecture, f(f(a)) != a).", None),
        (LADR, None),
        ("Axiom a: f(x) = x.\nTheorem t: f(f(x)) = x.", None),
        ("stir(pour(x,y)) = pour(x,y)", "milk.thy"),
        ("x * e = x", "groups"),
        ("2 * S(1 + 0)", "robinson"),
    ],
)
def test_all_notations_are_proved(server: Server, text: str, theory: str | None) -> None:
    events = search(server, {"text": text, "theory": theory})
    assert events[0]["event"] == "job" and events[-1] == {
        "event": "done",
        "proved": 1,
        "refuted": 0,
        "of": 1,
    }
    (answer,) = [event for event in events if event["event"] == "answer"]
    assert answer["proved"] and answer["status"] == "Theorem"


def test_progress_names_the_search_in_turn(server: Server) -> None:
    turns = [event for event in search(server, GROUPS) if event["event"] == "turn"]
    assert turns[0]["status"] == "running" and turns[1]["solver"] == turns[0]["solver"]
    assert turns[1]["status"] != "running" and turns[-1]["status"] == "proved"


def test_a_proof_is_shown_as_it_was_certified(server: Server) -> None:
    (answer,) = [event for event in search(server, GROUPS) if event["event"] == "answer"]
    view = answer["shown"]["proof"]
    theorem = view["chains"][-1]
    assert theorem["rows"][0]["text"] == "i(x * y)" and theorem["rows"][-1]["text"] == "i(y) * i(x)"
    names = {chain["name"] for chain in view["chains"]} | set(get_theory("groups").by_name)
    for chain in view["chains"]:
        assert chain["rows"][-1]["reason"] is None
        for row, after in zip(chain["rows"], chain["rows"][1:], strict=False):
            assert row["reason"]["name"] in names
            (a, b), (c, d) = row["old"], after["new"]
            assert (
                row["text"][:a] == after["text"][:c] or row["text"][:a].rstrip("(") in after["text"]
            )
            assert a < b and c < d
            start, end = row["tree"]["old"]
            assert 0 <= start < end <= len(row["tree"]["labels"])


@pytest.mark.parametrize(
    ("theory", "text"),
    [
        ("robinson", "(2 + 3) * (3 + 2)"),  # 43 rewrites, which is long
        ("boolean", "n(x + y) = n(x) * n(y)"),
        ("milk.thy", "stir(pour(x,y)) = pour(x,y)"),
    ],
)
def test_what_is_saved_is_what_is_shown(server: Server, theory: str, text: str) -> None:
    events = search(server, {"text": text, "theory": theory})
    (answer,) = [event for event in events if event["event"] == "answer"]
    shown = answer["shown"]["proof"]
    path = f"{server.url}api/jobs/{events[0]['id']}/certificates/1"
    saved = http.get(f"{path}/json").json()
    assert shown["rewrites"] == sum(len(chain["steps"]) for chain in (*saved["lemmas"], saved))
    assert shown["lemmas"] == len(saved["lemmas"]) and answer["rewrites"] == shown["rewrites"]
    written = http.get(f"{path}/text").text
    assert all(row["text"] in written for chain in shown["chains"] for row in chain["rows"])


def test_ticks_come_every_second_whatever_else_does(server: Server) -> None:
    events = search(server, {"text": ENDLESS, "seconds": 4})
    ticks = [event["seconds"] for event in events if event["event"] == "tick"]
    assert len(ticks) >= 3 and ticks == sorted(ticks)


@pytest.mark.parametrize(
    ("asked", "status"),
    [
        ({"text": "x * y = y * x", "refute": True, "size": 6}, "CounterSatisfiable"),
        ({"text": "x * y = y * x", "refute": True, "size": 5}, "GaveUp"),
        ({"text": "x * i(x) = e", "refute": True, "size": 3}, "GaveUp"),
        ({"text": "x * i(x) = e", "refute": False}, "Theorem"),
    ],
)
def test_a_counter_model_alone_or_none_is_looked_for(
    server: Server, asked: dict[str, Any], status: str
) -> None:
    events = search(server, {"theory": "groups", **asked})
    (answer,) = [event for event in events if event["event"] == "answer"]
    assert answer["status"] == status


def test_without_counter_models_normal_forms_still_refute(server: Server) -> None:
    events = search(server, {"text": "x * y = y * x", "theory": "groups", "refute": False})
    (answer,) = [event for event in events if event["event"] == "answer"]
    assert answer["refuted"] and answer["shown"]["model"] is None and answer["shown"]["system"]


@pytest.mark.parametrize("form", PROOF_FORMATS)
def test_a_proof_is_written_in_every_notation(server: Server, form: str) -> None:
    job = search(server, {**GROUPS, "from_axioms": True})[0]["id"]
    answer = http.get(f"{server.url}api/jobs/{job}/certificates/1/{form}")
    assert answer.status_code == 200
    assert "attachment" in answer.headers["content-disposition"]
    if form == "json":
        (stored,) = stored_proofs(answer.text, "answer")
        assert stored.certified(get_theory("groups")).problem.start.head == "i"
    if form == "prover9":
        assert "formulas(goals)." in answer.text and 'label("lemma_1")' in answer.text
    assert len(answer.text) > 200


@pytest.mark.parametrize(
    ("theory", "text"),
    [("moufang", "x * y = y * x"), ("quandles", "x * y = y"), ("milk.thy", "x = y")],
)
def test_what_fails_comes_with_a_model_and_files(server: Server, theory: str, text: str) -> None:
    events = search(server, {"text": text, "theory": theory, "seconds": 20})
    (answer,) = [event for event in events if event["event"] == "answer"]
    assert answer["refuted"] and answer["status"] == "CounterSatisfiable"
    if (model := answer["shown"]["model"]) is not None:
        used = {table["symbol"] for table in model["tables"] if table["marks"]}
        assert used == {symbol for symbol in ("*", "pour") if symbol in text}
    job = events[0]["id"]
    for form in answer["formats"]:
        file = http.get(f"{server.url}api/jobs/{job}/certificates/1/{form}")
        assert file.status_code == 200 and len(file.text) > 50
    assert "json" in answer["formats"]


def test_the_page_and_the_command_line_have_the_same_notations() -> None:
    assert set(get_args(Format)) == set(FORMATS) == {*PROOF_FORMATS, *MODEL_FORMATS}


def test_known_jobs_can_be_read_and_others_not(server: Server) -> None:
    job = search(server, GROUPS)[0]["id"]
    read = http.get(f"{server.url}api/jobs/{job}").json()
    assert read["status"] == "done" and read["certificates"] == [1]
    assert http.get(f"{server.url}api/jobs/nothing").status_code == 400
    assert http.get(f"{server.url}api/jobs/{job}/certificates/2/text").status_code == 400
    assert http.get(f"{server.url}api/jobs/{job}/certificates/1/exe").status_code == 422


@contextmanager
def begun(server: Server) -> Iterator[tuple[str, Iterator[str]]]:
    """A search that goes on, as long as the block does: its id, and the lines that come."""
    with http.stream(
        "POST", f"{server.url}api/prove", json={"text": ENDLESS, "seconds": 100}
    ) as answer:
        lines = answer.iter_lines()
        line = next(one for one in lines if one.startswith("data: "))
        next(one for one in lines if '"turn"' in one)
        yield json.loads(line.removeprefix("data: "))["id"], lines


def _idle(server: Server) -> bool:
    used = server.busy()
    time.sleep(0.5)
    return server.busy() - used < 0.4


def test_a_client_that_goes_away_ends_its_job(server: Server) -> None:
    before = server.workers()
    with begun(server) as (job, _):
        path = f"{server.url}api/jobs/{job}"
        assert http.get(path).json()["status"] == "running"
    wait_until(lambda: http.get(path).json()["status"] == "cancelled")
    wait_until(lambda: before - server.workers())  # its process is gone
    wait_until(lambda: len(server.workers()) == len(before))  # and has been replaced
    wait_until(lambda: _idle(server))


def test_a_job_is_cancelled_at_once(server: Server) -> None:
    with begun(server) as (job, lines):
        http.post(f"{server.url}api/jobs/{job}/cancel")
        left = [line for line in lines if line.startswith("event: ")]
        assert left[-1] == "event: cancelled"


def test_the_page_answers_while_searches_run(server: Server) -> None:
    with begun(server), begun(server):
        assert post(server, "check", {"text": "x = x", "theory": "groups"}).status_code == 200
        assert http.get(f"{server.url}api/about").status_code == 200


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"text": "x * = y", "theory": "groups"}, "expected a term"),
        (
            {"text": "include('/etc/passwd').\ncnf(g, negated_conjecture, a != b)."},
            "no other file is read",
        ),
        ({"text": "x = x", "theory": "groups", "helpers": ["nobody"]}, "unknown prover"),
        ({"text": "x = x", "theory": "groups", "solver": "luck"}, "unknown solver"),
        ({"text": "\0\1\2" * 1000}, ""),
        ({"text": "x = x\n" * 500, "theory": "groups"}, "at most 200"),
    ],
)
def test_bad_input_gets_a_clear_answer(server: Server, body: dict[str, Any], said: str) -> None:
    last = search(server, body)[-1]
    assert last["event"] == "failed"
    assert said in last["error"]["message"]
    assert "/work" not in str(last) and "/tmp" not in str(last) and "root:" not in str(last)


def test_large_equations_get_an_answer(server: Server) -> None:
    side = "x" + " * x" * 5_000
    good = post(server, "check", {"text": f"{side} = x", "theory": "groups"}).json()
    assert len(good["goals"][0]["understood"]) < 5_000
    last = search(server, {"text": f"{side} = x", "theory": "groups", "seconds": 1})
    assert next(e for e in last if e["event"] == "answer")["status"] == "GaveUp"


def test_names_are_only_names(server: Server) -> None:
    text = (
        'Axiom "<script>alert(1)</script>": "<img src=x>"(x) = x.\nTheorem t: "<img src=x>"(y) = y.'
    )
    (answer,) = [e for e in search(server, {"text": text}) if e["event"] == "answer"]
    assert answer["shown"]["proof"]["axioms"][0]["name"] == "<script>alert(1)</script>"


def test_too_long_searches_and_too_many_are_refused(tmp_path: Path) -> None:
    with serving("--seconds", "5", "--workers", "1", where=tmp_path) as server:
        refused = post(server, "prove", {**GROUPS, "seconds": 6})
        assert refused.status_code == 400 and "at most 5" in refused.json()["error"]["message"]
        assert search(server, GROUPS)[-1]["event"] == "done"


def test_a_port_that_is_taken_is_named(server: Server, threesil: Run) -> None:
    port = server.url.rstrip("/").rpartition(":")[2]
    ended = threesil("serve", "--port", port)
    assert ended.code == 2 and "--port 0" in ended.err


def test_a_long_text_that_nobody_waits_for_is_given_up(server: Server) -> None:
    lines = [f"Axiom a{n}: f(x,g{n}(y,z)) = f(g{n}(x,y),z)." for n in range(29_000)]
    body = {"text": "\n".join([*lines, "Theorem t: f(x,y) = f(y,x)."])}
    before, used = server.workers(), server.busy()
    content = json.dumps(body).encode()
    where = httpx.URL(server.url)
    asks = f"POST /api/check HTTP/1.1\r\nhost: {where.host}:{where.port}\r\n"
    asks += f"content-type: application/json\r\ncontent-length: {len(content)}\r\n\r\n"
    with socket.create_connection((where.host, where.port)) as client:
        client.sendall(asks.encode() + content)
        wait_until(lambda: server.busy() - used > 0.2, "nobody reads it")
    wait_until(lambda: before - server.workers())
    assert post(server, "check", {"text": "x = x", "theory": "groups"}).status_code == 200
