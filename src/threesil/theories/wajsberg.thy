# Wajsberg algebras, the algebras of Lukasiewicz's many-valued logic.
Theory wajsberg: Wajsberg algebras.
Goal equation.
Constants 1.
Axiom unit: i(1,x) = x.
Axiom transitive: i(i(x,y),i(i(y,z),i(x,z))) = 1.
Axiom join: i(i(x,y),y) = i(i(y,x),x).
Axiom contraposition: i(i(n(x),n(y)),i(y,x)) = 1.
Theorem reflexive: i(x,x) = 1.
Theorem top: i(x,1) = 1.
Theorem weakening: i(x,i(y,x)) = 1.
Theorem exchange: i(x,i(y,z)) = i(y,i(x,z)).
Theorem double_negation: n(n(x)) = x.
Theorem contrapositive: i(n(x),n(y)) = i(y,x).
Theorem negation: i(x,n(1)) = n(x).
Theorem join_idempotent: i(i(x,x),x) = x.
