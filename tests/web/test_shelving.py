"""Theories: by the interface, and on the page."""

from __future__ import annotations

from typing import Any

import pytest

from threesil.theories import all_theories
from threesil.theories.aim import AIM
from web.serving import Server, http


def get(server: Server, path: str, **given: object) -> Any:
    return http.get(f"{server.url}api/{path}", params=given).json()  # type: ignore[arg-type]


def test_theories_are_listed_with_their_counts(server: Server) -> None:
    found = get(server, "theories")
    assert [one["name"] for one in found["theories"]] == [theory.name for theory in all_theories()]
    aim = next(one for one in found["theories"] if one["name"] == "aim")
    assert aim["axioms"] + aim["definitions"] + aim["known"] == len(AIM.equations)
    assert found["files"] == ["milk.thy"]


def test_known_equations_come_with_proofs_from_the_axioms(server: Server) -> None:
    name = AIM.lemmas[-1].name
    proof = get(server, "theory/proof", name="aim", equation=name)["proof"]
    assert {axiom["kind"] for axiom in proof["axioms"]} <= {"axiom", "definition"}
    assert "error" in get(server, "theory/proof", name="aim", equation="lid")


@pytest.mark.parametrize(
    ("theory", "size", "found"), [("groups", 4, True), ("boolean", 3, False), ("milk.thy", 2, True)]
)
def test_models_of_a_size_are_found_or_ruled_out(
    server: Server, theory: str, size: int, found: bool
) -> None:
    answer = get(server, "theory/model", name=theory, size=size)
    assert (answer["model"] is not None) == found
    assert found or answer["reason"] == "there is none with 3 elements"


def test_sizes_and_names_are_bounded(server: Server) -> None:
    assert "error" in get(server, "theory/model", name="groups", size=1000)
    assert "error" in get(server, "theory", name="/etc/passwd")
    assert "error" in get(server, "theory", name="aim:../../etc/passwd")
    assert get(server, "theory", name=f"aim:{AIM.lemmas[3].name}")["known"] == 3


def test_a_theory_on_the_page(page: Any) -> None:
    page.click("nav >> text=Theories")
    page.click("th >> text='aim'")
    page.fill("#word", "prop_034")
    page.wait_for_selector("p:text-is('1 equation')")
    page.click("button:text-is('proof')")
    page.wait_for_selector("text=from the axioms alone, certified")
    page.fill("#size", "2")
    page.click("text=Find a model")
    page.wait_for_selector("table.cayley")


def test_goals_lead_to_their_proofs(page: Any) -> None:
    page.click("nav >> text=Theories")
    page.click("th >> text='groups'")
    page.click("text=there is z")
    page.wait_for_selector(".answer.proved")
    assert "With z =" in page.inner_text(".answer.proved")
