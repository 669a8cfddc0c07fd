# Boolean algebras by Huntington's postulates: commutative, distributive, units, complements.
Theory boolean: Boolean algebras.
Goal equation.
Constants 0, 1.
Axiom join_comm: x + y = y + x.
Axiom meet_comm: x * y = y * x.
Axiom join_distributes: x + (y * z) = (x + y) * (x + z).
Axiom meet_distributes: x * (y + z) = (x * y) + (x * z).
Axiom zero: x + 0 = x.
Axiom one: x * 1 = x.
Axiom excluded_middle: x + n(x) = 1.
Axiom contradiction: x * n(x) = 0.
Theorem join_idempotent: x + x = x.
Theorem meet_idempotent: x * x = x.
Theorem top: x + 1 = 1.
Theorem bottom: x * 0 = 0.
Theorem absorption: x + (x * y) = x.
Theorem double_complement: n(n(x)) = x.
Theorem join_assoc: (x + y) + z = x + (y + z).
Theorem meet_assoc: (x * y) * z = x * (y * z).
Theorem de_morgan_join: n(x + y) = n(x) * n(y).
Theorem de_morgan_meet: n(x * y) = n(x) + n(y).
