"""The environment in one's hands: by the interface, and on the page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from web.serving import Server, http


def play(server: Server, **given: Any) -> dict[str, Any]:
    answer = http.post(f"{server.url}api/play", json=given)
    value: dict[str, Any] = answer.json()
    return value


def test_probabilities_are_those_of_the_legal_actions(server: Server) -> None:
    state = play(server, theory="aim", text="x * T(y,x) = y * x", actions=[1])
    assert state["cursor"] == [1] and state["state"] == "x * T(y,x) = y * x"
    assert sum(one["chance"] for one in state["legal"]) == pytest.approx(1)
    assert state["tree"]["labels"][state["tree"]["cursor"][0]] == "*"


@pytest.mark.parametrize(
    ("theory", "text"),
    [("aim", "x * T(y,x) = y * x"), ("robinson", "2 * S(1 + 0)"), ("polynomial", None)],
)
def test_the_policy_plays_and_what_it_solves_is_certified(
    server: Server, theory: str, text: str | None
) -> None:
    state = play(server, theory=theory, text=text, go="best", seed=1)
    assert state["solved"] and state["proof"]["rewrites"] >= 1
    again = play(server, theory=theory, text=text, actions=state["actions"], seed=1)
    assert again["proof"] == state["proof"]


@pytest.mark.parametrize(
    ("theory", "text"),
    [("aim", "x * T(y,x) = y * x"), ("robinson", "2 * S(1 + 0)"), ("polynomial", None)],
)
def test_a_solved_episode_can_be_taken_away(server: Server, theory: str, text: str | None) -> None:
    given = {"theory": theory, "text": text, "seed": 1}
    state = play(server, **given, go="best")
    assert state["formats"]
    for form in state["formats"]:
        asked = {**given, "actions": state["actions"]}
        answer = http.post(f"{server.url}api/play/{form}", json=asked)
        assert answer.status_code == 200, (form, answer.text)
        assert answer.text and "attachment" in answer.headers["content-disposition"]
    unsolved = http.post(f"{server.url}api/play/lean", json=given)
    assert "not solved" in unsolved.json()["error"]["message"]


def test_a_theory_without_weights_can_be_played(server: Server) -> None:
    state = play(server, theory="milk.thy", text="stir(stir(x)) = stir(x)", actions=[0])
    assert not state["weights"] and state["legal"][0]["chance"] is None
    (rewrite,) = [one for one in state["legal"] if one["name"] == "stir ->"]
    solved = play(
        server, theory="milk.thy", text="stir(stir(x)) = stir(x)", actions=[0, rewrite["action"]]
    )
    assert solved["solved"]


@pytest.mark.parametrize(
    "given",
    [
        {"theory": "aim", "text": "x * T(y,x) = y * x", "actions": [5000]},
        {"theory": "aim", "text": "x * T(y,x) = y * x", "actions": [-7]},
        {"theory": "aim", "text": "x * T(y,x) = y * x", "actions": [2**70]},
        {"theory": "groups", "text": "exists y: x * y = e"},
        {"theory": "groups", "text": "x = x", "go": "best"},
        {"theory": "groups", "text": "x *"},
    ],
)
def test_what_can_not_be_played_is_said(server: Server, given: dict[str, Any]) -> None:
    assert play(server, **given)["error"]["message"]


def test_an_episode_on_the_page(page: Any, server: Server) -> None:
    page.click("nav >> text=Play")
    page.wait_for_selector(".act")
    first = page.locator(".board section code").first.inner_text()
    assert page.locator("svg.tree .cursor rect").count()
    page.click("button:text('Hint')")
    assert page.locator(".act.hinted").count() == 1
    page.locator(".act").first.click()
    page.wait_for_selector("text=1 of 30 steps")
    page.keyboard.press("u")
    page.wait_for_selector("text=0 of 30 steps")
    assert page.locator(".board section code").first.inner_text() == first
    page.click("button:text('Let the policy play')")
    page.wait_for_selector(".answer.proved")
    assert "certified" in page.inner_text(".answer.proved")
    for title, part in {"Text": "= by", "Lean": "theorem", "JSON": '"steps"'}.items():
        with page.expect_download() as saved:
            page.click(f"[aria-label='Download as {title}']")
        assert part in Path(saved.value.path()).read_text()
    link = page.locator(".link a").get_attribute("href")
    page.goto("about:blank")
    page.goto(server.url + link)
    page.wait_for_selector(".answer.proved")


def test_the_keyboard_goes_on_where_it_was(page: Any) -> None:
    page.click("nav >> text=Play")
    page.locator(".act").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("text=1 of 30 steps")
    assert page.evaluate("document.activeElement.className") == "act"
    page.focus("button:text('Policy: one action')")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=2 of 30 steps")
    assert page.evaluate("document.activeElement.closest('.board') !== null")


def test_a_click_on_a_node_moves_there(page: Any) -> None:
    page.click("nav >> text=Play")
    page.wait_for_selector(".act")
    page.locator("svg.tree g.node").nth(2).click()
    page.wait_for_selector("text=2 of 30 steps")
