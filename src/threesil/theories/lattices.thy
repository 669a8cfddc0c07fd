# Lattices: meet and join, each commutative and associative, and absorption.
Theory lattices: Lattices.
Goal equation.
Axiom meet_comm: m(x,y) = m(y,x).
Axiom join_comm: j(x,y) = j(y,x).
Axiom meet_assoc: m(m(x,y),z) = m(x,m(y,z)).
Axiom join_assoc: j(j(x,y),z) = j(x,j(y,z)).
Axiom meet_absorbs: m(x,j(x,y)) = x.
Axiom join_absorbs: j(x,m(x,y)) = x.
Theorem meet_idempotent: m(x,x) = x.
Theorem join_idempotent: j(x,x) = x.
Theorem absorbs_right: m(j(y,x),x) = x.
Theorem meet_below_both: j(m(x,y),j(x,y)) = j(x,y).
Theorem meet_below_join: m(m(x,y),j(x,z)) = m(x,y).
Theorem semidistributive: j(m(x,y),m(x,z)) = m(x,j(m(x,y),m(x,z))).
Theorem modular_half: j(m(x,y),m(x,j(y,m(x,z)))) = m(x,j(y,m(x,z))).
Theorem monotone: j(m(x,z),m(j(x,y),z)) = m(j(x,y),z).
