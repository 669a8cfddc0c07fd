"""The output readers on recorded outputs of the real programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from threesil.provers.base import ExternalProver
from threesil.provers.eprover import E
from threesil.provers.prover9 import Prover9
from threesil.provers.twee import Twee
from threesil.provers.vampire import Vampire
from threesil.provers.waldmeister import Waldmeister

P1, P2, P3 = "p9_004d1a75a7", "p9_007a23453d", "p9_01b8e3d942"

pytestmark = pytest.mark.data


@pytest.mark.parametrize(
    ("prover", "output", "status", "in_proof"),
    [
        (Prover9, f"{P1}.prover9", "Theorem", '# label("def_T").  [assumption]'),
        (Prover9, f"{P2}.prover9", "Theorem", "$F"),
        (Prover9, f"{P3}.prover9", "Theorem", "$F"),
        (Prover9, "bogus.prover9", "Timeout", None),
        (Prover9, "broken.prover9", "InputError", None),
        (E, f"{P1}.eprover", "Theorem", "prop_ba6418d1"),
        (E, f"{P2}.eprover", "Theorem", "$false"),
        (E, f"{P3}.eprover", "Timeout", None),
        (E, "bogus.eprover", "Timeout", None),
        (E, "broken.eprover", "InputError", None),
        (Vampire, f"{P1}.vampire", "Theorem", "'prop_66f8dd43'"),
        (Vampire, f"{P2}.vampire", "Theorem", "$false"),
        (Vampire, f"{P3}.vampire", "Theorem", "$false"),
        (Vampire, "bogus.vampire", "Timeout", None),
        (Vampire, "broken.vampire", "InputError", None),
        (Twee, f"{P1}.twee", "Theorem", "by axiom 1 (id1) R->L"),
        (Twee, f"{P2}.twee", "Theorem", "Goal 1"),
        (Twee, f"{P3}.twee", "Theorem", "Goal 1"),
        (Twee, f"{P1}.twee-tstp", "Theorem", None),
        (Twee, "bogus.twee-tstp", None, None),
        (Twee, "broken.twee", "InputError", None),
        (Waldmeister, f"{P1}.waldmeister", "Theorem", "inference(reduction"),
        (Waldmeister, f"{P3}.waldmeister", "Theorem", "$true"),
        (Waldmeister, "bogus.waldmeister", "Timeout", None),
        (Waldmeister, "broken.waldmeister", "InputError", None),
        (Waldmeister, "completed.waldmeister", "CounterSatisfiable", None),
    ],
)
def test_recorded_endings(
    data: Path,
    prover: type[ExternalProver],
    output: str,
    status: str | None,
    in_proof: str | None,
) -> None:
    text = (data / "provers" / f"{output}.out").read_text()
    reading = prover(Path("nowhere"), "any").read(text)
    assert reading.status == status
    if in_proof is not None:
        assert reading.proof is not None
        assert in_proof in reading.proof
        assert len(reading.proof) < len(text)
    elif status != "Theorem":
        assert reading.proof is None


@pytest.mark.parametrize("prover", [Prover9, E, Vampire, Twee, Waldmeister])
def test_outputs_that_were_cut_off(data: Path, prover: type[ExternalProver]) -> None:
    """Wherever an output ends, it says Theorem only if its whole does."""
    name = {"E": "eprover"}.get(prover.__name__, prover.__name__.lower())
    for path in (data / "provers").glob(f"*.{name}.out"):
        text = path.read_text()
        whole = prover(Path("nowhere"), "any").read(text).status
        for cut in range(0, len(text), max(1, len(text) // 20)):
            status = prover(Path("nowhere"), "any").read(text[:cut]).status
            assert status in (None, whole) or status in ("InputError", "Timeout")
