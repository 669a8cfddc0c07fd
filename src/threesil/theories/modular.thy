# Modular lattices. Goals: G. Birkhoff, Lattice Theory, chapter I; G. Graetzer, General Lattice Theory, chapter IV.
Theory modular: Modular lattices.
Goal equation.
Axiom meet_comm: m(x,y) = m(y,x).
Axiom join_comm: j(x,y) = j(y,x).
Axiom meet_assoc: m(m(x,y),z) = m(x,m(y,z)).
Axiom join_assoc: j(j(x,y),z) = j(x,j(y,z)).
Axiom meet_absorbs: m(x,j(x,y)) = x.
Axiom join_absorbs: j(x,m(x,y)) = x.
Axiom modular: m(j(x,y),j(x,z)) = j(x,m(y,j(x,z))).
Theorem meet_idempotent: m(x,x) = x.
Theorem join_idempotent: j(x,x) = x.
Theorem dual: j(m(x,y),m(x,z)) = m(x,j(y,m(x,z))).
Theorem modular_law: m(j(m(x,z),y),z) = j(m(x,z),m(y,z)).
Theorem shearing: m(x,j(y,z)) = m(x,j(m(y,j(x,z)),z)).
Theorem transposed: j(y,m(x,j(x,y))) = j(x,y).
Theorem transposed_back: m(x,j(m(x,y),y)) = m(x,y).
