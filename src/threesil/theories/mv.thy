# MV algebras. Goals: R. Cignoli, I. D'Ottaviano, D. Mundici, Algebraic Foundations of Many-Valued Reasoning (2000).
Theory mv: MV algebras.
Goal equation.
Constants 0.
Axiom assoc: (x + y) + z = x + (y + z).
Axiom comm: x + y = y + x.
Axiom zero: x + 0 = x.
Axiom twice: n(n(x)) = x.
Axiom one: x + n(0) = n(0).
Axiom lukasiewicz: n(n(x) + y) + y = n(n(y) + x) + x.
Definition t(x,y) := n(n(x) + n(y)).
Definition j(x,y) := n(n(x) + y) + y.
Definition m(x,y) := n(j(n(x),n(y))).
Theorem excluded_middle: x + n(x) = n(0).
Theorem contradiction: t(x,n(x)) = 0.
Theorem join_idempotent: j(x,x) = x.
Theorem join_comm: j(x,y) = j(y,x).
Theorem join_assoc: j(j(x,y),z) = j(x,j(y,z)).
Theorem join_absorbs: j(x,m(x,y)) = x.
Theorem meet_absorbs: m(x,j(x,y)) = x.
Theorem product_over_join: t(x,j(y,z)) = j(t(x,y),t(x,z)).
Theorem prelinear: j(n(x) + y,n(y) + x) = n(0).
