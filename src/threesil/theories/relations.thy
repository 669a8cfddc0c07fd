# Relation algebras, in Tarski's axioms. Goals: R. Maddux, Relation Algebras (2006); TPTP, domain REL.
Theory relations: Relation algebras.
Goal equation.
Constants 1.
Axiom join_comm: x + y = y + x.
Axiom join_assoc: x + (y + z) = (x + y) + z.
Axiom huntington: x = n(n(x) + n(y)) + n(n(x) + y).
Axiom comp_assoc: x * (y * z) = (x * y) * z.
Axiom comp_unit: x * 1 = x.
Axiom comp_join: (x + y) * z = (x * z) + (y * z).
Axiom converse_twice: v(v(x)) = x.
Axiom converse_join: v(x + y) = v(x) + v(y).
Axiom converse_comp: v(x * y) = v(y) * v(x).
Axiom tarski: (v(x) * n(x * y)) + n(y) = n(y).
Theorem complement_twice: n(n(x)) = x.
Theorem join_idempotent: x + x = x.
Theorem converse_of_identity: v(1) = 1.
Theorem comp_left_unit: 1 * x = x.
Theorem comp_join_left: x * (y + z) = (x * y) + (x * z).
Theorem converse_complement: v(n(x)) = n(v(x)).
Theorem tarski_right: (n(y * x) * v(x)) + n(y) = n(y).
Theorem sandwich: x + (x * (v(x) * x)) = x * (v(x) * x).
