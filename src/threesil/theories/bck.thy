# Commutative BCK algebras: x * y is x less y. Axioms and goals: H. Yutani; K. Iseki, S. Tanaka, Math. Japon. (1977, 1978).
Theory bck: Commutative BCK algebras.
Goal equation.
Constants 0.
Axiom meet: x * (x * y) = y * (y * x).
Axiom exchange: (x * y) * z = (x * z) * y.
Axiom self: x * x = 0.
Axiom less_zero: x * 0 = x.
Definition m(x,y) := y * (y * x).
Theorem zero_less: 0 * x = 0.
Theorem below: (x * y) * x = 0.
Theorem below_second: (x * (x * y)) * y = 0.
Theorem thrice: x * (x * (x * y)) = x * y.
Theorem bck: ((x * y) * (x * z)) * (z * y) = 0.
Theorem meet_comm: m(x,y) = m(y,x).
Theorem meet_idempotent: m(x,x) = x.
Theorem meet_assoc: m(m(x,y),z) = m(x,m(y,z)).
