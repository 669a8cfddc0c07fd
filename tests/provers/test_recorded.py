"""The output readers on recorded outputs of the real programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from samples import equation
from threesil.kernel.outcome import SZS
from threesil.provers.base import ExternalProver
from threesil.provers.process import Cause, Ended
from threesil.provers.programs import E, Prover9, Twee, Vampire, Waldmeister

P1, P2, P3 = "p9_004d1a75a7", "p9_007a23453d", "p9_01b8e3d942"

pytestmark = pytest.mark.data


@pytest.mark.parametrize(
    ("prover", "output", "status", "in_proof"),
    [
        (Prover9, f"{P1}.prover9", SZS.THEOREM, '# label("def_T").  [assumption]'),
        (Prover9, f"{P2}.prover9", SZS.THEOREM, "$F"),
        (Prover9, f"{P3}.prover9", SZS.THEOREM, "$F"),
        (Prover9, "bogus.prover9", SZS.TIMEOUT, None),
        (Prover9, "broken.prover9", SZS.INPUT_ERROR, None),
        (E, f"{P1}.eprover", SZS.THEOREM, "prop_ba6418d1"),
        (E, f"{P2}.eprover", SZS.THEOREM, "$false"),
        (E, f"{P3}.eprover", SZS.TIMEOUT, None),
        (E, "bogus.eprover", SZS.TIMEOUT, None),
        (E, "broken.eprover", SZS.INPUT_ERROR, None),
        (Vampire, f"{P1}.vampire", SZS.THEOREM, "'prop_66f8dd43'"),
        (Vampire, f"{P2}.vampire", SZS.THEOREM, "$false"),
        (Vampire, f"{P3}.vampire", SZS.THEOREM, "$false"),
        (Vampire, "bogus.vampire", SZS.TIMEOUT, None),
        (Vampire, "broken.vampire", SZS.INPUT_ERROR, None),
        (Twee, f"{P1}.twee", SZS.THEOREM, "by axiom 1 (id1) R->L"),
        (Twee, f"{P2}.twee", SZS.THEOREM, "Goal 1"),
        (Twee, f"{P3}.twee", SZS.THEOREM, "Goal 1"),
        (Twee, f"{P1}.twee-tstp", SZS.THEOREM, None),
        (Twee, "bogus.twee-tstp", None, None),
        (Twee, "broken.twee", SZS.INPUT_ERROR, None),
        (Waldmeister, f"{P1}.waldmeister", SZS.THEOREM, "inference(reduction"),
        (Waldmeister, f"{P3}.waldmeister", SZS.THEOREM, "$true"),
        (Waldmeister, "bogus.waldmeister", SZS.TIMEOUT, None),
        (Waldmeister, "broken.waldmeister", SZS.INPUT_ERROR, None),
        (Waldmeister, "completed.waldmeister", SZS.COUNTER_SATISFIABLE, None),
    ],
)
def test_recorded_endings(
    data: Path,
    prover: type[ExternalProver],
    output: str,
    status: SZS | None,
    in_proof: str | None,
) -> None:
    text = (data / "provers" / f"{output}.out").read_text()
    reading = prover(Path("nowhere"), "any").read(text)
    assert reading.status == status
    if in_proof is not None:
        assert reading.proof is not None
        assert in_proof in reading.proof
        assert len(reading.proof) < len(text)
    elif status != SZS.THEOREM:
        assert reading.proof is None


@pytest.mark.parametrize(
    ("prover", "output", "code", "status"),
    [
        (Prover9, f"{P1}.prover9", 0, SZS.THEOREM),
        (Prover9, "bogus.prover9", 4, SZS.TIMEOUT),
        (Prover9, "broken.prover9", 1, SZS.INPUT_ERROR),
        (E, f"{P1}.eprover", 0, SZS.THEOREM),
        (E, "bogus.eprover", 7, SZS.TIMEOUT),
        (E, "broken.eprover", 3, SZS.INPUT_ERROR),
        (Vampire, f"{P1}.vampire", 0, SZS.THEOREM),
        (Vampire, "bogus.vampire", 1, SZS.TIMEOUT),
        (Vampire, "broken.vampire", 4, SZS.INPUT_ERROR),
        (Twee, f"{P1}.twee", 0, SZS.THEOREM),
        (Twee, f"{P1}.twee-tstp", 0, SZS.UNKNOWN),  # its proof is not in the form we ask for
        (Twee, "broken.twee", 1, SZS.INPUT_ERROR),
        (Waldmeister, f"{P1}.waldmeister", 0, SZS.THEOREM),
        (Waldmeister, "bogus.waldmeister", 2, SZS.TIMEOUT),
        (Waldmeister, "broken.waldmeister", 1, SZS.INPUT_ERROR),
        (Waldmeister, "completed.waldmeister", 0, SZS.COUNTER_SATISFIABLE),
    ],
)
def test_recorded_outcomes(
    data: Path, prover: type[ExternalProver], output: str, code: int, status: SZS
) -> None:
    """With the exit codes that were recorded; a success with another code is none."""
    text = (data / "provers" / f"{output}.out").read_text()
    adapter, problem = prover(Path("nowhere"), "any"), equation("x * y = y * x")
    outcome = adapter.judge(problem, Ended(Cause.EXIT, code, text, 1.0, 1.0), 5)
    assert outcome.status is status
    assert (outcome.words is not None) == (status is SZS.THEOREM)
    if outcome.claimed:
        for wrong in (9, -11):
            ended = Ended(Cause.EXIT, wrong, text, 1.0, 1.0)
            assert adapter.judge(problem, ended, 5).status is SZS.ERROR


@pytest.mark.parametrize("prover", [Prover9, E, Vampire, Twee, Waldmeister])
def test_outputs_that_were_cut_off(data: Path, prover: type[ExternalProver]) -> None:
    """Wherever an output ends, it says Theorem only if its whole does."""
    name = {"E": "eprover"}.get(prover.__name__, prover.__name__.lower())
    for path in (data / "provers").glob(f"*.{name}.out"):
        text = path.read_text()
        whole = prover(Path("nowhere"), "any").read(text).status
        for cut in range(0, len(text), max(1, len(text) // 20)):
            status = prover(Path("nowhere"), "any").read(text[:cut]).status
            assert status in (None, whole) or status in (SZS.INPUT_ERROR, SZS.TIMEOUT)
