"""A first look: one problem of each theory, a few random steps, and two certified proofs."""

from random import Random

from threesil import Derivation, Direction, Episode, Prover, Step, Theory, all_theories, certify
from threesil.engine import EQUALITY
from threesil.formats.infix import format_term, parse_term
from threesil.formats.proof_text import format_proof
from threesil.formats.tree import draw_tree
from threesil.problems import parse_problem
from threesil.theory import Move

PROBLEMS = {
    "robinson": "(2 * S(1 + 0)) + 1",
    "polynomial": "(x + 1) * (x + y) = x ^ 2 + x * y + x + y",
    "aim": r"T(T(T(x,T(x,y) \ e),T(x,y) \ e),y) = T((T(x,y) \ e) \ e,T(x,y) \ e)",
}
STEPS = 4


def describe(theory: Theory, action: int) -> str:
    """An action as a person reads it."""
    number = action + theory.first_action
    what = theory.actions[action]
    if isinstance(what, Move):
        return f"{number}: cursor to argument {what.argument + 1}"
    names = " or ".join(f"{name} {direction.value}" for name, direction in what.alternatives)
    return f"{number}: {names}"


def walk(theory: Theory, text: str, random: Random) -> None:
    """Shows a problem and a few random steps on it."""
    problem = parse_problem(text, theory)
    print(f"\n=== {theory.title} ===\n\nproblem: {text}\n")
    episode = Episode(theory, problem)
    print(draw_tree(episode.term, theory.signature, episode.cursor, max_lines=40))
    for step in range(STEPS):
        legal = episode.legal()
        shown = ", ".join(describe(theory, action) for action in legal[:6])
        more = f", and {len(legal) - 6} more" if len(legal) > 6 else ""
        print(f"\nvalid actions: {shown}{more}")
        action = random.choice(legal)
        print(f"step {step + 1}, at random: {describe(theory, action)}")
        episode.step(action)
        print(f"  {state(episode)}")


def state(episode: Episode) -> str:
    """The state on one line, and the subterm under the cursor."""
    signature = episode.theory.signature
    term = episode.term
    sides = term.args if term.head == EQUALITY else (term,)
    text = " = ".join(format_term(side, signature) for side in sides)
    if not episode.cursor:
        return text
    return f"{text}   cursor on {format_term(term.at(episode.cursor), signature)}"


def prove_by_hand(theory: Theory) -> None:
    """A proof in two rewrites, given step by step and checked by the kernel."""
    problem = parse_problem("x * T(y,x) = y * x", theory)

    x, y, yx = (parse_term(text, theory.signature) for text in ("x", "y", "y * x"))
    middle = parse_term(r"x * (x \ (y * x))", theory.signature)
    unfold = Step((1,), "T", Direction.LEFT_TO_RIGHT, {"u": y, "x": x}, middle)
    cancel = Step((), "b2", Direction.LEFT_TO_RIGHT, {"x": x, "y": yx}, yx)
    proof = certify(theory, problem, Derivation(problem.start, (unfold, cancel)))
    print(f"\n=== A proof of {problem.name}, certified ===\n")
    print(format_proof(proof))


def prove_by_search(theory: Theory, text: str) -> None:
    """The same problem as above, proved by search."""
    result = Prover(theory).prove(text)
    print(f"\n=== A proof of {text}, found in {1000 * result.seconds:.0f} ms ===\n")
    assert result.proof is not None
    print(format_proof(result.proof))


def main() -> None:
    random = Random(1)
    for theory in all_theories():
        walk(theory, PROBLEMS[theory.name], random)
    prove_by_hand(theory)
    prove_by_search(theory, PROBLEMS[theory.name])


if __name__ == "__main__":
    main()
