# Semilattices: an operation that is associative, commutative and idempotent.
Theory semilattices: Semilattices.
Goal equation.
Axiom assoc: m(m(x,y),z) = m(x,m(y,z)).
Axiom comm: m(x,y) = m(y,x).
Axiom idempotent: m(x,x) = x.
Theorem below: m(x,m(x,y)) = m(x,y).
Theorem below_second: m(m(x,y),y) = m(x,y).
Theorem distributes: m(x,m(y,z)) = m(m(x,y),m(x,z)).
Theorem exchange: m(x,m(y,z)) = m(y,m(x,z)).
Theorem medial: m(m(x,y),m(z,u)) = m(m(x,z),m(y,u)).
Theorem bound: exists z: m(x,z) = m(y,z).
