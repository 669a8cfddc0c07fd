"""Prove the known equations of a theory and write the file of proofs that comes with it.

    python tools/prove_known.py aim --seconds 5 src/threesil/theories/proofs/aim.jsonl.gz

Each is proved in the theory before it, and from the axioms alone, with several searches. The
proof is kept that has the fewest rewrites together with those of the known equations it cites.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from threesil.engine import Budget, Completion, OrderChoice, Status
from threesil.kernel.lemmas import in_order, length
from threesil.kernel.proof import Proof, certify
from threesil.kernel.theory import Problem, Theory
from threesil.notations.proof_json import proof_to_json
from threesil.proofs.shorten import shortened
from threesil.search.solvers import make_solver
from threesil.theories import get_theory


def found(theory: Theory, problem: Problem, seconds: float) -> Iterator[tuple[str, Proof]]:
    """What each search finds, and its name."""
    proof = make_solver("best", theory).solve(problem, Budget(None, seconds)).proof
    if proof is not None:
        yield "best", proof
    for often_last in (True, False):
        order = OrderChoice(frequent_last=often_last, light_unary=often_last)
        answer = Completion(theory, order=order).prove(problem, Budget(None, seconds))
        if answer.status is Status.PROVED and answer.derivation is not None:
            lemmas: list[Proof] = []
            for lemma, derivation in answer.lemmas:
                lemmas.append(certify(theory, lemma, derivation, lemmas))
            yield "completion", certify(theory, problem, answer.derivation, lemmas)


def rests_on(proof: Proof, chosen: Mapping[str, Proof]) -> set[str]:
    """The known equations that a proof needs, directly or through their own proofs."""
    names, waiting = set[str](), [proof]
    while waiting:
        for equation in waiting.pop().known:
            if equation.name not in names:
                names.add(equation.name)
                waiting.append(chosen[equation.name])
    return names


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("theory")
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU seconds of each search")
    given = parser.parse_args()
    theory = get_theory(given.theory)
    chosen: dict[str, Proof] = {}
    for known in theory.lemmas:
        problem = Problem(known.name, known.lhs, known.rhs)
        ranked = []
        for part in (theory.before(known.name), theory.before(theory.lemmas[0].name)):
            begin = time.thread_time()
            for by, proof in found(part, problem, given.seconds):
                spent = time.thread_time() - begin
                short = shortened(proof, Budget(None, given.seconds))
                if part.digest != theory.before(known.name).digest:
                    short = in_theory(theory.before(known.name), short)
                cited = rests_on(short, chosen)
                whole = length(short) + sum(length(chosen[name]) for name in cited)
                size = whole, length(short), len(in_order(short))
                ranked.append((size, len(ranked), f"{by} in {part.name}, {spent:.2f} s", short))
                begin = time.thread_time()
        if not ranked:
            raise SystemExit(f"{known.name} is not proved within {given.seconds} s")
        (whole, own, lemmas), _, how, chosen[known.name] = min(ranked)
        counted = f"{own} rewrites, {lemmas - 1} lemmas, {whole} in all"
        print(f"{known.name}\t{counted}\t{how}", flush=True)
    rows = [json.dumps(proof_to_json(proof), separators=(",", ":")) for proof in chosen.values()]
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_bytes(gzip.compress("".join(row + "\n" for row in rows).encode(), mtime=0))


def in_theory(theory: Theory, proof: Proof) -> Proof:
    """The proof in a theory that has all its equations."""
    made: dict[int, Proof] = {}
    for one in in_order(proof):
        lemmas = [made[id(lemma)] for lemma in one.lemmas]
        made[id(one)] = certify(theory, one.problem, one.derivation, lemmas)
    return made[id(proof)]


if __name__ == "__main__":
    main()
