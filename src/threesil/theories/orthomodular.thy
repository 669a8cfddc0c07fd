# Orthomodular lattices. Goals: G. Kalmbach, Orthomodular Lattices (1983); L. Beran (1985).
Theory orthomodular: Orthomodular lattices.
Goal equation.
Constants 0, 1.
Axiom meet_comm: m(x,y) = m(y,x).
Axiom join_comm: j(x,y) = j(y,x).
Axiom meet_assoc: m(m(x,y),z) = m(x,m(y,z)).
Axiom join_assoc: j(j(x,y),z) = j(x,j(y,z)).
Axiom meet_absorbs: m(x,j(x,y)) = x.
Axiom join_absorbs: j(x,m(x,y)) = x.
Axiom bottom: m(x,c(x)) = 0.
Axiom top: j(x,c(x)) = 1.
Axiom twice: c(c(x)) = x.
Axiom de_morgan: c(m(x,y)) = j(c(x),c(y)).
Axiom orthomodular: j(x,m(c(x),j(x,y))) = j(x,y).
Definition k(x,y) := m(m(j(x,y),j(x,c(y))),m(j(c(x),y),j(c(x),c(y)))).
Definition s(x,y) := j(c(x),m(x,y)).
Theorem de_morgan_dual: c(j(x,y)) = m(c(x),c(y)).
Theorem zero_is_complement: c(1) = 0.
Theorem top_joins: j(x,1) = 1.
Theorem orthomodular_dual: m(x,j(c(x),m(x,y))) = m(x,y).
Theorem sasaki_modus_ponens: m(x,s(x,y)) = m(x,y).
Theorem sasaki_of_itself: s(x,x) = 1.
Theorem commutator_comm: k(x,y) = k(y,x).
Theorem commutator_complement: k(x,c(y)) = k(x,y).
