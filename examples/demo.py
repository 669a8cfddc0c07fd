"""A first look: a few random steps in each theory, then proofs that search finds."""

from random import Random

from threesil import Episode, Outcome, Prover, Theory, get_theory
from threesil.engine import EQUALITY
from threesil.formats.infix import format_term
from threesil.formats.proof_text import format_proof
from threesil.formats.tree import draw_tree
from threesil.problems import open_set, parse_problem
from threesil.theory import Move

PROBLEMS = {
    "robinson": "(2 * S(1 + 0)) + 1",
    "polynomial": "(x + 1) * (x + y) = x ^ 2 + x * y + x + y",
    "aim": "x * T(y,x) = y * x",
}
THEOREM = r"T(T(T(x,T(x,y) \ e),T(x,y) \ e),y) = T((T(x,y) \ e) \ e,T(x,y) \ e)"
LEMMAS = ("id1", "prop_034cf5c5", "prop_c626af2d", "prop_1e558562", "prov9_47e1e09ded")
STEPS = 3


def walk(theory: Theory, text: str, random: Random) -> None:
    """Shows a problem and a few random steps on it."""
    print(f"\n=== {theory.title} ===\n\nproblem: {text}\n")
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


def show(result: Outcome) -> None:
    """A certified proof, and how long the search took."""
    assert result.proof is not None
    print(f"{result.rewrites} rewrites, certified, found in {1000 * result.seconds:.1f} ms")
    print(f"{format_proof(result.proof)}\n")


def main() -> None:
    random = Random(1)
    for name, problem in PROBLEMS.items():
        walk(get_theory(name), problem, random)

    print(f"\n=== A theorem of the paper ===\n\n{THEOREM}")
    show(Prover("aim").prove(THEOREM))

    print("=== Lemmas, each from the axioms, definitions and the lemmas before it ===\n")
    lemmas = open_set("lemmas", get_theory("aim"))
    for problem in lemmas.problems:
        if problem.name in LEMMAS:
            print(f"lemma {problem.name}")
            show(Prover(lemmas.theory_of(problem)).prove(problem))


if __name__ == "__main__":
    main()
