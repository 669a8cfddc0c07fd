"""A first look: a theorem proved, an equation refuted, a file of one's own, a proof for Lean."""

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from threesil import Episode, Outcome, Prover, Theory, get_theory
from threesil.engine import EQUALITY
from threesil.kernel.theory import Move
from threesil.notations.infix import format_term
from threesil.notations.reading import read
from threesil.notations.writing.text import format_model, format_proof
from threesil.notations.writing.tree import draw_tree
from threesil.problems.files import parse_problem
from threesil.proofs.export import export_certificates

THEOREM = r"T(T(T(x,T(x,y) \ e),T(x,y) \ e),y) = T((T(x,y) \ e) \ e,T(x,y) \ e)"
FALSE = "x * y = y * x"
MINE = """\
cnf(unit, axiom, mul(e,X) = X).
cnf(inverse, axiom, mul(inv(X),X) = e).
cnf(assoc, axiom, mul(mul(X,Y),Z) = mul(X,mul(Y,Z))).
cnf(squares, axiom, mul(X,X) = e).
cnf(commutative, conjecture, mul(X,Y) = mul(Y,X)).
"""
TERM = "(2 * S(1 + 0)) + 1"
STEPS = 3


def show(result: Outcome) -> None:
    """A certified proof, and how long the search took."""
    assert result.proof is not None
    counted = "1 rewrite" if result.rewrites == 1 else f"{result.rewrites} rewrites"
    print(f"{counted}, certified, found in {1000 * result.seconds:.1f} ms\n")
    print(format_proof(result.proof))


def walk(theory: Theory, text: str, random: Random) -> None:
    """Shows a problem and a few random steps on it."""
    episode = Episode(theory, parse_problem(text, theory))
    print(draw_tree(episode.term, theory.signature, episode.cursor, max_lines=40))
    for _ in range(STEPS):
        action = random.choice(episode.legal())
        print(f"\n{len(episode.legal())} valid actions, taken at random: {name(theory, action)}")
        episode.step(action)
        print(f"  {state(episode)}")


def name(theory: Theory, action: int) -> str:
    """An action as a person reads it."""
    what = theory.actions[action]
    if isinstance(what, Move):
        return f"cursor to argument {what.argument + 1}"
    return " or ".join(f"{equation} {direction.value}" for equation, direction in what.alternatives)


def state(episode: Episode) -> str:
    """The state on one line, and the subterm under the cursor."""
    signature = episode.theory.signature
    term = episode.term
    sides = term.args if term.head == EQUALITY else (term,)
    text = " = ".join(format_term(side, signature) for side in sides)
    if not episode.cursor:
        return text
    return f"{text}   cursor on {format_term(term.at(episode.cursor), signature)}"


def main() -> None:
    print(f"=== A theorem of the paper, about loops ===\n\n{THEOREM}\n")
    loops = Prover("aim")
    show(loops.prove(THEOREM))

    print(f"\n=== Not a theorem ===\n\n{FALSE}\n")
    refuted = loops.prove(FALSE)
    assert refuted.model is not None
    print(f"a loop in which it fails, checked, found in {1000 * refuted.seconds:.1f} ms\n")
    print(format_model(refuted.model))

    print(f"\n=== A file of one's own: where all squares are e, a group is abelian ===\n\n{MINE}")
    with TemporaryDirectory() as directory:
        path = Path(directory) / "squares.p"
        path.write_text(MINE)
        document = read(path)
    result = Prover(document.theory).prove(document.problems[0])
    show(result)

    print("\n=== The same proof for Lean 4 ===\n")
    assert result.proof is not None
    print(export_certificates([result.proof], "lean"))

    print(f"=== The paper's game: rewriting by hand, here at random ===\n\n{TERM}\n")
    walk(get_theory("robinson"), TERM, Random(1))

    print("\nYour turn: threesil prove 'x * T(y,x) = y * x', or threesil prove FILE.")


if __name__ == "__main__":
    main()
