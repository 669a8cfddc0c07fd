"""Classical theorems about equations: each with the time it takes and the lemmas of its proof.

Twenty-eight problems of the TPTP (TPTP names the directory that has Problems/ and Axioms/), then
the goals of the bundled theories. Usage: classics.py [SECONDS]
"""

import os
import sys
from pathlib import Path

from threesil.kernel.lemmas import in_order
from threesil.kernel.outcome import Outcome
from threesil.problems.sets import open_set
from threesil.problems.targets import Target, read_targets
from threesil.provers.prove import prove
from threesil.provers.request import Request
from threesil.theories import all_theories, benchmark_of

CLASSICS = {
    "GRP001-4": "groups: if x² = e, they commute",
    "GRP002-2": "groups: if x³ = e, [[x, y], y] = e",
    "GRP002-4": "the same, from fewer axioms",
    "GRP014-1": "groups: the product of a single axiom is associative",
    "GRP200-1": "loops: the first Moufang law gives the second",
    "GRP205-1": "loops: the third Moufang law gives the fourth",
    "GRP206-1": "loops: the fourth Moufang law gives the first",
    "RNG008-3": "rings: if x² = x, they commute",
    "RNG008-7": "the same, from fewer axioms",
    "RNG009-7": "rings: if x³ = x, they commute",
    "LAT006-1": "lattices: Sholander's basis, part 2",
    "LAT007-1": "lattices: Sholander's basis, part 5",
    "LAT021-1": "lattices: Bowden's inequality gives distributivity",
    "LAT032-1": "lattices: joins distribute, so meets do",
    "LAT039-1": "lattices: distributive ones are modular",
    "LAT045-1": "lattices: modular ortholattices are orthomodular",
    "BOO007-2": "Boolean algebras: products are associative",
    "BOO014-2": "Boolean algebras: De Morgan's law",
    "BOO067-1": "ternary Boolean algebras: a single axiom, part 1",
    "BOO075-1": "Boolean algebras: Sh-1 is a single axiom, part 1",
    "ROB002-1": "Robbins algebras: Boolean if --x = x",
    "ROB023-1": "Robbins algebras: Boolean if x + x = x",
    "ROB030-1": "Robbins algebras: absorbed within a negation",
    "COL001-1": "combinators: a weak fixed point for S and K",
    "COL003-12": "combinators: a strong fixed point for B and W",
    "COL060-1": "combinators: Q from B and T",
    "LCL109-6": "Wajsberg algebras: a theorem on their lattice",
    "LCL138-1": "Wajsberg algebras: a lemma",
}


def main() -> None:
    request = Request(seconds=float(sys.argv[1]) if len(sys.argv) > 1 else 60.0)
    tptp = os.environ.get("TPTP")
    if tptp is None:
        print("TPTP names no directory: its problems are left out\n", file=sys.stderr)
    else:
        print("| problem | | CPU seconds | lemmas | rewrites |\n|---|---|---|---|---|")
        for name, what in CLASSICS.items():
            targets = read_targets([str(Path(tptp) / "Problems" / name[:3] / f"{name}.p")])
            (outcome,) = (answer.outcome for answer in prove(targets, request))
            print(f"| {name} | {what} | {' | '.join(cells(outcome))} |", flush=True)
        print()
    print("| theory | goals | proved | CPU seconds, all | the longest |\n|---|---|---|---|---|")
    for theory in all_theories():
        if benchmark_of(theory).goals:
            goals = open_set(f"{theory.name}-goals").problems
            outcomes = [answer.outcome for answer in prove([Target(theory, goals)], request)]
            spent = [outcome.cpu_seconds for outcome in outcomes]
            counts = f"{len(goals)} | {sum(outcome.proved for outcome in outcomes)}"
            print(f"| {theory.name} | {counts} | {sum(spent):.2f} | {max(spent):.2f} |", flush=True)


def cells(outcome: Outcome) -> tuple[str, str, str]:
    """CPU seconds, lemmas, rewrites; how it ended where there is no proof."""
    if outcome.proof is None:
        return f"{outcome.cpu_seconds:.2f} ({outcome.status})", "", ""
    proofs = in_order(outcome.proof)
    rewrites = sum(len(proof.derivation.steps) for proof in proofs)
    return f"{outcome.cpu_seconds:.3f}", str(len(proofs) - 1), str(rewrites)


if __name__ == "__main__":
    main()
