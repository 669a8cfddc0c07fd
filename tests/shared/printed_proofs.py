"""Proofs as E 2.6 and Prover9 2009-11A print them, and small ones in Twee's and Vampire's notation.

GROUP and its existential companion LARK are the theories; the outputs are kept as they came.
"""

# ruff: noqa: E501

from threesil.kernel.terms import app, var
from threesil.kernel.theory import Equation, Goal, Problem, Signature, Theory, moves_of, rewrites_of


def theory(name: str, symbols: dict[str, int], **equations: tuple) -> Theory:
    """A theory of named equations."""
    signature = Signature(symbols)
    named = tuple(Equation(key, *sides) for key, sides in equations.items())
    actions = (*moves_of(signature), *rewrites_of(named, Goal.EQUATION))
    return Theory(name, name, signature, named, actions, Goal.EQUATION)


def mul(s, t):
    return app("mul", s, t)


def inv(s):
    return app("inv", s)


def apply(s, t):
    return app("app", s, t)


X, Y, Z, E = var("x"), var("y"), var("z"), app("e")
GROUP = theory(
    "group",
    {"mul": 2, "inv": 1, "e": 0},
    left_unit=(mul(E, X), X),
    left_inverse=(mul(inv(X), X), E),
    assoc=(mul(mul(X, Y), Z), mul(X, mul(Y, Z))),
)
RIGHT_INVERSE = Problem("right_inverse", mul(X, inv(X)), E)
LARK = theory(
    "lark",
    {"app": 2, "lark": 0, "a": 0},
    lark=(apply(apply(app("lark"), X), Y), apply(X, apply(Y, Y))),
)
FIXED_POINT = Problem("fixed_point", apply(app("a"), X), X, exists=("x",))
GIVEN = GROUP.extended(
    [Equation("same", mul(app("c"), app("a")), mul(app("c"), app("b")))],
    symbols={"a": 0, "b": 0, "c": 0},
)
CANCELLED = Problem("cancelled", app("a"), app("b"))

E_GROUP = r"""
# SZS status Unsatisfiable
# SZS output start CNFRefutation
cnf(assoc, axiom, (mul(mul(X1,X2),X3)=mul(X1,mul(X2,X3))), file('group.p', assoc)).
cnf(left_inverse, axiom, (mul(inv(X1),X1)=e), file('group.p', left_inverse)).
cnf(left_unit, axiom, (mul(e,X1)=X1), file('group.p', left_unit)).
cnf(goal, negated_conjecture, (mul(a,inv(a))!=e), file('group.p', goal)).
cnf(c_0_4, axiom, (mul(mul(X1,X2),X3)=mul(X1,mul(X2,X3))), assoc).
cnf(c_0_5, axiom, (mul(inv(X1),X1)=e), left_inverse).
cnf(c_0_6, axiom, (mul(e,X1)=X1), left_unit).
cnf(c_0_7, plain, (mul(inv(X1),mul(X1,X2))=X2), inference(rw,[status(thm)],[inference(pm,[status(thm)],[c_0_4, c_0_5]), c_0_6])).
cnf(c_0_8, plain, (mul(inv(inv(X1)),e)=X1), inference(pm,[status(thm)],[c_0_7, c_0_5])).
cnf(c_0_9, plain, (mul(inv(inv(X1)),X2)=mul(X1,X2)), inference(pm,[status(thm)],[c_0_7, c_0_7])).
cnf(c_0_10, plain, (mul(X1,e)=X1), inference(rw,[status(thm)],[c_0_8, c_0_9])).
cnf(c_0_11, plain, (inv(inv(X1))=X1), inference(rw,[status(thm)],[inference(pm,[status(thm)],[c_0_9, c_0_10]), c_0_10])).
cnf(c_0_12, negated_conjecture, (mul(a,inv(a))!=e), goal).
cnf(c_0_13, plain, (mul(X1,inv(X1))=e), inference(pm,[status(thm)],[c_0_5, c_0_11])).
cnf(c_0_14, negated_conjecture, ($false), inference(cn,[status(thm)],[inference(rw,[status(thm)],[c_0_12, c_0_13])]), ['proof']).
# SZS output end CNFRefutation
"""

E_LARK = r"""
# SZS status Unsatisfiable
# SZS output start CNFRefutation
cnf(goal, negated_conjecture, (app(a,X1)!=X1), file('lark.p', goal)).
cnf(lark, axiom, (app(app(lark,X1),X2)=app(X1,app(X2,X2))), file('lark.p', lark)).
cnf(c_0_2, negated_conjecture, (app(a,X1)!=X1), goal).
cnf(c_0_3, axiom, (app(app(lark,X1),X2)=app(X1,app(X2,X2))), lark).
cnf(c_0_4, negated_conjecture, (app(app(lark,a),X1)!=app(X1,X1)), inference(pm,[status(thm)],[c_0_2, c_0_3])).
cnf(c_0_5, negated_conjecture, ($false), inference(er,[status(thm)],[c_0_4]), ['proof']).
# SZS output end CNFRefutation
"""

E_GIVEN = r"""
# SZS status Unsatisfiable
# SZS output start CNFRefutation
cnf(assoc, axiom, (mul(mul(X1,X2),X3)=mul(X1,mul(X2,X3))), file('given.p', assoc)).
cnf(left_inverse, axiom, (mul(inv(X1),X1)=e), file('given.p', left_inverse)).
cnf(left_unit, axiom, (mul(e,X1)=X1), file('given.p', left_unit)).
cnf(same, hypothesis, (mul(c,a)=mul(c,b)), file('given.p', same)).
cnf(goal, negated_conjecture, (a!=b), file('given.p', goal)).
cnf(c_0_5, axiom, (mul(mul(X1,X2),X3)=mul(X1,mul(X2,X3))), assoc).
cnf(c_0_6, axiom, (mul(inv(X1),X1)=e), left_inverse).
cnf(c_0_7, axiom, (mul(e,X1)=X1), left_unit).
cnf(c_0_8, plain, (mul(inv(X1),mul(X1,X2))=X2), inference(rw,[status(thm)],[inference(pm,[status(thm)],[c_0_5, c_0_6]), c_0_7])).
cnf(c_0_9, hypothesis, (mul(c,a)=mul(c,b)), same).
cnf(c_0_10, negated_conjecture, (a!=b), goal).
cnf(c_0_11, hypothesis, ($false), inference(sr,[status(thm)],[inference(rw,[status(thm)],[inference(pm,[status(thm)],[c_0_8, c_0_9]), c_0_8]), c_0_10]), ['proof']).
# SZS output end CNFRefutation
"""

E_FOF = r"""
# SZS status Theorem
# SZS output start CNFRefutation
fof(assoc, axiom, ![X1, X2, X3]:mul(mul(X1,X2),X3)=mul(X1,mul(X2,X3)), file('fofg.p', assoc)).
fof(left_inverse, axiom, ![X1]:mul(inv(X1),X1)=e, file('fofg.p', left_inverse)).
fof(left_unit, axiom, ![X1]:mul(e,X1)=X1, file('fofg.p', left_unit)).
fof(goal, conjecture, ![X1]:mul(X1,inv(X1))=e, file('fofg.p', goal)).
fof(c_0_4, plain, ![X12, X13, X14]:mul(mul(X12,X13),X14)=mul(X12,mul(X13,X14)), inference(variable_rename,[status(thm)],[assoc])).
fof(c_0_5, plain, ![X11]:mul(inv(X11),X11)=e, inference(variable_rename,[status(thm)],[left_inverse])).
fof(c_0_6, plain, ![X10]:mul(e,X10)=X10, inference(variable_rename,[status(thm)],[left_unit])).
cnf(c_0_7, plain, (mul(mul(X1,X2),X3)=mul(X1,mul(X2,X3))), inference(split_conjunct,[status(thm)],[c_0_4])).
cnf(c_0_8, plain, (mul(inv(X1),X1)=e), inference(split_conjunct,[status(thm)],[c_0_5])).
cnf(c_0_9, plain, (mul(e,X1)=X1), inference(split_conjunct,[status(thm)],[c_0_6])).
cnf(c_0_10, plain, (mul(inv(X1),mul(X1,X2))=X2), inference(rw,[status(thm)],[inference(pm,[status(thm)],[c_0_7, c_0_8]), c_0_9])).
cnf(c_0_11, plain, (mul(inv(inv(X1)),e)=X1), inference(pm,[status(thm)],[c_0_10, c_0_8])).
cnf(c_0_12, plain, (mul(inv(inv(X1)),X2)=mul(X1,X2)), inference(pm,[status(thm)],[c_0_10, c_0_10])).
fof(c_0_13, negated_conjecture, ~(![X1]:mul(X1,inv(X1))=e), inference(assume_negation,[status(cth)],[goal])).
cnf(c_0_14, plain, (mul(X1,e)=X1), inference(rw,[status(thm)],[c_0_11, c_0_12])).
fof(c_0_15, negated_conjecture, mul(esk1_0,inv(esk1_0))!=e, inference(skolemize,[status(esa)],[inference(variable_rename,[status(thm)],[inference(fof_nnf,[status(thm)],[c_0_13])])])).
cnf(c_0_16, plain, (inv(inv(X1))=X1), inference(rw,[status(thm)],[inference(pm,[status(thm)],[c_0_12, c_0_14]), c_0_14])).
cnf(c_0_17, negated_conjecture, (mul(esk1_0,inv(esk1_0))!=e), inference(split_conjunct,[status(thm)],[c_0_15])).
cnf(c_0_18, plain, (mul(X1,inv(X1))=e), inference(pm,[status(thm)],[c_0_8, c_0_16])).
cnf(c_0_19, negated_conjecture, ($false), inference(cn,[status(thm)],[inference(rw,[status(thm)],[c_0_17, c_0_18])]), ['proof']).
# SZS output end CNFRefutation
"""

PROVER9_GROUP = r"""
============================== PROOF =================================

% Proof 1 at 0.00 (+ 0.00) seconds: "goal".
% Length of proof is 9.
% Level of proof is 4.
% Maximum clause weight is 11.000.
% Given clauses 8.

1 x * x' = e # label("goal") # label(non_clause) # label(goal).  [goal].
2 e * x = x # label("left_unit").  [assumption].
3 x' * x = e # label("left_inverse").  [assumption].
4 (x * y) * z = x * (y * z) # label("assoc").  [assumption].
5 c1 * c1' != e # label("goal") # answer("goal").  [deny(1)].
6 x' * (x * y) = y.  [para(3(a,1),4(a,1,1)),rewrite([2(2)]),flip(a)].
10 x'' * y = x * y.  [para(6(a,1),6(a,1,2))].
13 x * x' = e.  [para(10(a,1),3(a,1))].
14 $F # answer("goal").  [resolve(13,a,5,a)].

============================== end of proof ==========================
"""

PROVER9_LARK = r"""
============================== PROOF =================================

% Proof 1 at 0.00 (+ 0.00) seconds: "goal".
% Length of proof is 4.
% Level of proof is 2.
% Maximum clause weight is 11.000.
% Given clauses 0.

1 (exists x app(A,x) = x) # label("goal") # label(non_clause) # label(goal).  [goal].
2 app(app(lark,x),y) = app(x,app(y,y)) # label("lark").  [assumption].
3 app(A,x) != x # label("goal") # answer("goal").  [deny(1)].
4 $F # answer("goal").  [resolve(3,a,2,a(flip))].

============================== end of proof ==========================
"""

TWEE_GROUP = r"""
The conjecture is true! Here is a proof.

Axiom 1 (left_inverse): mul(inv(X), X) = e.
Axiom 2 (left_unit): mul(e, X) = X.
Axiom 3 (assoc): mul(mul(X, Y), Z) = mul(X, mul(Y, Z)).

Lemma 4: mul(inv(X), mul(X, Y)) = Y.
Proof:
  mul(inv(X), mul(X, Y))
= { by axiom 3 (assoc) R->L }
  mul(mul(inv(X), X), Y)
= { by axiom 1 (left_inverse) }
  mul(e, Y)
= { by axiom 2 (left_unit) }
  Y

Goal 1 (goal): mul(sk_x, inv(sk_x)) = e.
Proof:
  mul(sk_x, inv(sk_x))
= { by lemma 4 R->L }
  mul(inv(inv(sk_x)), mul(inv(sk_x), mul(sk_x, inv(sk_x))))
= { by lemma 4 }
  mul(inv(inv(sk_x)), inv(sk_x))
= { by axiom 1 (left_inverse) }
  e

RESULT: Unsatisfiable (the axioms are contradictory).
"""

TWEE_LARK = r"""
The conjecture is true! Here is a proof.

Axiom 1 (lark): app(app(lark, X), Y) = app(X, app(Y, Y)).

Goal 1 (goal): app(a, X) = X.
The goal is true when:
  X = app(app(lark, a), app(lark, a))

Proof:
  app(a, app(app(lark, a), app(lark, a)))
= { by axiom 1 (lark) R->L }
  app(app(lark, a), app(lark, a))

RESULT: Unsatisfiable (the axioms are contradictory).
"""

VAMPIRE_GROUP = r"""
% Refutation found. Thanks to Tanya!
% SZS status Unsatisfiable for group
% SZS output start Proof for group
1. mul(e,X0) = X0 [input(axiom)]
2. e = mul(inv(X0),X0) [input(axiom)]
3. mul(mul(X0,X1),X2) = mul(X0,mul(X1,X2)) [input(axiom)]
4. e != mul(a,inv(a)) [input(negated_conjecture)]
6. mul(inv(X0),mul(X0,X1)) = mul(e,X1) [superposition 3,2]
8. mul(inv(X0),mul(X0,X1)) = X1 [forward demodulation 6,1]
10. mul(X0,X1) = mul(inv(inv(X0)),X1) [superposition 8,8]
14. e = mul(X0,inv(X0)) [superposition 10,2]
17. e != e [backward demodulation 4,14]
18. $false [trivial inequality removal 17]
% SZS output end Proof for group
"""
