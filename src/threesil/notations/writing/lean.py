"""Proofs for Lean 4, without any library: a class for each theory, a theorem for each proof.

    class Aim (M : Type u) where
      mul : M → M → M
      b2 : ∀ x y : M, mul x (ld x y) = y
    namespace Aim
    variable {M : Type u} [Aim M]
    local infixl:70 (priority := high) " * " => mul
    theorem p1 (x y : M) : x * T y x = y * x :=
      calc x * T y x
        _ = x * (x \\ (y * x)) := congrArg (fun t => x * t) (T_def y x)
        _ = y * x := b2 x (y * x)
    end Aim

All of it is in the namespace `Threesil`. Proofs as terms are smaller, and harder to read:

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

A refutation says that a theory does not imply an equation. A table of its model is one number, a
digit for each value, so that the kernel reads it with its own arithmetic; `decide` goes through all
values:

    namespace refutation_1
    def mul (a0 a1 : Fin 3) : Fin 3 := threesil_digit 2 … ((0 * 3 + a0.val) * 3 + a1.val)
    theorem unit : ∀ (x : Fin 3), mul e x = x := by decide +kernel
    theorem refuted : ¬ ∀ (U : Type) (mul : U → U → U) (e : U),
        (∀ (x : U), mul e x = x) → ∀ (x y : U), mul x y = mul y x :=
      fun h => absurd (h (Fin 3) mul e unit 1 2) (by decide +kernel)
    end refutation_1
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from threesil.kernel.countermodel import Countermodel
from threesil.kernel.lemmas import Chain
from threesil.kernel.proof import Proof
from threesil.notations.renaming import Identifiers
from threesil.notations.writing.calc import Calc, Cited, Spelled
from threesil.notations.writing.curried import (
    HOLE,
    Calculus,
    Syntax,
    implication,
    refuted_problem,
)
from threesil.notations.writing.parts import Part, arguments, occurring, parts

_LEGAL = "[A-Za-z][A-Za-z0-9_]*"
# Words of the language, what a structure or the writer itself has names for.
_WORDS = """
    Prop Sort Type Eq Exists congrArg Nat True False
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
_TYPES = ("U", "M", "u")
_SYNTAX = Syntax(
    for_all="∀",
    exists="∃",
    arrow="→",
    congruence=f"(@congrArg U U {{left}} {{right}} (fun ({HOLE} : U) => {{body}}) {{proof}})",
    symmetry="(Eq.symm {proof})",
    transitivity="(Eq.trans\n  {first}\n  {second})",
    reflexivity="(@Eq.refl U {term})",
    witness="(@Exists.intro U {predicate} {value}\n  {proof})",
)
_SPACE = "Threesil"  # so that a theory may be called as one of Lean's own
_HOLE = "t"
_LONG = 200  # steps of a chain that Lean still reads as a block in good time
_OPERATORS = {"*": 70, "/": 70, "\\": 70, "⊓": 69, "⊔": 68, "+": 65, "-": 65, "◇": 65, "⋆": 65}
"""Symbols that stay operators, and how tightly they bind."""


def write_lean(proofs: Iterable[Proof]) -> str:
    """One file for all proofs; those in the same theory share its equations and their lemmas.

    Where one of these is very long, they are terms.
    """
    names = Identifiers("[A-Z][A-Za-z0-9_]*", [*RESERVED, _SPACE])
    made = []
    for part in parts(proofs):
        name = names.new("Theory", _camel(part.name))
        if max(len(chain.proof.derivation.steps) for chain in part.chains) > _LONG:
            made.append(_section(part, name, names.new("Proofs", f"{name}Proofs")))
        else:
            made.append(_theory(part, name))
    return "\n".join(["universe u", f"namespace {_SPACE}\n", *made, f"end {_SPACE}\n"])


def _camel(name: str) -> str:
    """`moufang loops` as MoufangLoops."""
    return "".join(word[:1].upper() + word[1:] for word in re.findall("[A-Za-z0-9]+", name))


def _theory(part: Part, name: str) -> str:
    names = Identifiers(_LEGAL, [*RESERVED, name, "M", _HOLE])
    words = {symbol: Spelled(names.of("op", symbol)) for symbol in part.symbols}
    infix = [s for s in part.symbols if s in _OPERATORS and s in part.signature.infix]
    operators = {symbol: Spelled(symbol, "infix") for symbol in infix}

    def calc(symbols: Mapping[str, Spelled]) -> Calc:
        return Calc(
            symbols,
            lambda variable: names.of("var", variable),
            lambda one: Cited(names.of("eq", one.name), occurring(one)),
            _HOLE,
            "M",
        )

    fields = [f"  {words[s].text} : {'M → ' * arity}M" for s, arity in part.symbols.items()]
    for axiom in part.axioms:
        said = calc(words).for_all(occurring(axiom)) + calc(words).equation(axiom.lhs, axiom.rhs)
        fields.append(f"  {names.of('eq', axiom.name)} : {said}")
    lines = [f"class {name} (M : Type u){' where' if fields else ''}", *fields]
    lines += [f"namespace {name}", f"variable {{M : Type u}} [{name} M]"]
    for symbol in infix:
        sign = symbol.replace("\\", "\\\\")
        binds = f"infixl:{_OPERATORS[symbol]} (priority := high)"
        lines.append(f'local {binds} " {sign} " => {words[symbol].text}')
    for chain in part.chains:
        lines += ["", _theorem(chain, names, calc(words | operators))]
    return "\n".join([*lines, "", f"end {name}", ""])


def _theorem(chain: Chain, names: Identifiers, calc: Calc) -> str:
    values = " ".join(map(calc.variable, arguments(chain)))
    given = f" ({values} : M)" if values else ""
    head = f"theorem {names.of('eq', chain.name)}{given} : {calc.claim(chain)} :="
    return f"{head}\n  {calc.chain(chain, '    ')}"


def write_lean_terms(proofs: Iterable[Proof]) -> str:
    """The same with proofs as terms, which are smaller."""
    names = Identifiers(_LEGAL, [*RESERVED, *_TYPES])
    made = []
    for part in parts(proofs):
        name = names.new("theory", part.name)
        made.append(_section(part, name, names.new("proofs", f"{name}_proofs")))
    return "\n".join(["universe u\n", *made])


def _section(part: Part, name: str, space: str) -> str:
    names = Identifiers(_LEGAL, [*RESERVED, *_TYPES, name, space])
    inside = Calculus(_SYNTAX, names)
    outside = _Outside(names, {axiom.name for axiom in part.axioms})
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


class _Outside(Calculus):
    """With the fields of a structure M; all other equations are theorems about M."""

    def __init__(self, names: Identifiers, fields: Collection[str]) -> None:
        super().__init__(_SYNTAX, names)
        self._fields = fields

    def symbol(self, name: str) -> str:
        return f"M.{super().symbol(name)}"

    def equation(self, name: str) -> str:
        own = super().equation(name)
        return f"M.{own}" if name in self._fields else f"({own} M)"


# Refutations

_HEAD = """set_option maxRecDepth 1000000
/-- The digit of a number in the base n + 1 at a place. -/
def threesil_digit (n number place : Nat) : Fin (n + 1) :=
  ⟨number / (n + 1) ^ place % (n + 1), Nat.mod_lt _ (Nat.succ_pos n)⟩
"""
_OWN = ("refuted", "Fin", "threesil_digit", "h")


def write_lean_models(models: Iterable[Countermodel]) -> str:
    """One file for all models, a namespace for each."""
    sections = (_refutation(model, f"refutation_{k}") for k, model in enumerate(models, 1))
    return "\n".join([_HEAD, *sections])


def _refutation(model: Countermodel, space: str) -> str:
    n, theory = model.tables.size, model.theory
    names = Identifiers(_LEGAL, [*RESERVED, *_TYPES, *_OWN, space])
    calculus = Calculus(_SYNTAX, names)
    symbols = [calculus.symbol(symbol) for symbol in theory.signature.symbols]
    problem, values = refuted_problem(model)
    for variable in problem.variables:  # named before they are bound
        calculus.variable(variable)
    lines = [f"namespace {space}"]
    for symbol, arity in theory.signature.symbols.items():
        lines.append(_table(calculus.symbol(symbol), model.tables.of[symbol], n, arity))
    equations = [calculus.equation(e.name) for e in theory.equations]
    for name, equation in zip(equations, theory.equations, strict=True):
        said = calculus.axiom(equation).replace(" : U), ", f" : Fin {n}), ")
        lines.append(f"theorem {name} : {said} := by decide +kernel")
    instance = " ".join(["h", f"(Fin {n})", *symbols, *equations, *map(str, values)])
    lines.append(f"theorem refuted : ¬ {implication(model, calculus)} :=")
    lines.append(f"  fun h => absurd ({instance}) (by decide +kernel)")
    return "\n".join([*lines, f"end {space}", ""])


def _table(name: str, table: Sequence[int], n: int, arity: int) -> str:
    number = sum(value * n**place for place, value in enumerate(table))
    args = " ".join(f"a{k}" for k in range(arity))
    place = "0"
    for k in range(arity):
        place = f"({place} * {n} + a{k}.val)"
    head = f"def {name} ({args} : Fin {n})" if arity else f"def {name}"
    return f"{head} : Fin {n} := threesil_digit {n - 1} {number} {place}"
