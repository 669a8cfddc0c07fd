"""Proofs for Lean 4, without any library: a structure for each theory, a theorem for each proof.

    structure aim (U : Type u) where
      mul : U → U → U
      b2 : ∀ (x y : U), (mul x (ld x y)) = y
    namespace aim_proofs
    theorem p1 {U : Type u} (M : aim U) : ∀ (x y : U), (M.mul x (M.T y x)) = (M.mul y x) :=
      fun (x y : U) =>
      (Eq.trans (@congrArg U U (M.T y x) (M.ld x (M.mul y x)) (fun (_z : U) => (M.mul x _z))
        (M.eq_T y x)) (M.b2 x (M.mul y x)))
    end aim_proofs

A value of the structure is a type with operations that satisfy the equations. Every step is
written out, with what it is applied to, so that nothing is searched for.
"""

from __future__ import annotations

from collections.abc import Iterable

from threesil.kernel.proof import Proof
from threesil.notations.identifiers import Identifiers
from threesil.notations.writing.curried import HOLE, Calculus
from threesil.notations.writing.proof_parts import Part, parts

LEGAL = "[A-Za-z][A-Za-z0-9_]*"
# Words of the language, what a structure or the writer itself has names for.
_WORDS = """
    Prop Sort Type U M u Eq Exists congrArg Nat True False
    mk rec recOn casesOn below brecOn noConfusion noConfusionType injEq ext ext_iff
    ctorIdx toCtorIdx
    abbrev add_decl_doc alias and any as assert assert_exists assume at attribute axiom begin
    binder_predicate binderPred break builtin_initialize builtin_simproc by calc catch
    class coinductive constant continue csimp dbg_trace declare_simp_like_tactic
    declare_syntax_cat decreasing_by def default_instance delab_rule deriving do docs_to_verso
    elab elab_rules else end example exists export extends extern fail_if_success finally
    fixed for forall forIn from fun generalizing grind_pattern haveI have hiding if import in
    include include_str inductive infix infixl infixr init_quot initialize instance intro
    irreducible is_lean_prelude let letI lemma local macro macro_rules match match_expr matches
    max_prec meta mod_cast module mut mutual namespace nat_lit no_index nofun nomatch noncomputable
    nonrec notation obtain of omit opaque open or partial partial_fixpoint postfix prefix prelude
    private proof_wanted proofs protected public quot_precheck raw_nat_lit rec_on
    recommended_spelling
    register_builtin_option register_option reduceProxy repeat return run_cmd run_elab run_meta
    scoped section seal set_option show sorry stop_at structure suffices syntax tactic
    tactic_extension termination_by theorem then this throwError throwErrorAt try type_of unif_hint
    universe unless unsafe unseal using value_of variable variables where while with
    without_expected_type xor
"""
RESERVED = _WORDS.split()


def write_lean(proofs: Iterable[Proof]) -> str:
    """One file for all proofs; those in the same theory share its equations and their lemmas."""
    names = Identifiers(LEGAL, RESERVED)
    made = []
    for part in parts(proofs):
        name = names.of("theory", part.name)
        made.append(_section(part, name, names.of("proofs", f"{name}_proofs")))
    return "\n".join(["universe u\n", *made])


def _section(part: Part, name: str, space: str) -> str:
    names = Identifiers(LEGAL, [*RESERVED, name, space])
    fields = {axiom.name for axiom in part.axioms}

    def calculus(of: str) -> Calculus:
        """With the fields of a structure that is called `of`."""

        def equation(name: str) -> str:
            own = names.of("eq", name)
            return f"{of}{own}" if name in fields else f"({own} M)"

        return Calculus(
            symbol=lambda symbol: f"{of}{names.of('op', symbol)}",
            variable=lambda variable: names.of("var", variable),
            equation=equation,
            for_all="∀",
            exists="∃",
            congruence=lambda body, left, right, proof: (
                f"(@congrArg U U {left} {right} (fun ({HOLE} : U) => {body}) {proof})"
            ),
            symmetry=lambda proof: f"(Eq.symm {proof})",
            transitivity=lambda first, second: f"(Eq.trans\n  {first}\n  {second})",
            reflexivity=lambda term: f"(@Eq.refl U {term})",
            witness=lambda predicate, value, proof: (
                f"(@Exists.intro U {predicate} {value}\n  {proof})"
            ),
        )

    inside, outside = calculus(""), calculus("M.")
    where = " where" if part.symbols or part.axioms else ""
    lines = [f"structure {name} (U : Type u){where}"]
    for symbol, arity in part.symbols.items():
        lines.append(f"  {inside.symbol(symbol)} : {'U → ' * arity}U")
    for axiom in part.axioms:
        lines.append(f"  {inside.equation(axiom.name)} : {inside.axiom(axiom)}")
    lines.append(f"namespace {space}")
    for chain in part.chains:
        said, proof = outside.statement(chain), outside.proof(chain)
        head = f"theorem {names.of('eq', chain.name)} {{U : Type u}} (M : {name} U)"
        lines.append(f"{head} : {said} :=\n  {proof}")
    return "\n".join([*lines, f"end {space}", ""])
