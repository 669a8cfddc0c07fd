# Conjugacy closed loops with the inverse property are extra loops. E. G. Goodaire, D. A. Robinson, A
# class of loops which are isomorphic to all loop isotopes, Canad. J. Math. 34 (1982).
Theory cc_facts: Conjugacy closed loops with the inverse property.
Goal equation.
Constants e.
Axiom left_unit: e * x = x.
Axiom right_unit: x * e = x.
Axiom left_division: x * (x \ y) = y.
Axiom left_division_2: x \ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
Axiom left_cc: x * (y * z) = ((x * y) / x) * (x * z).
Axiom right_cc: (z * y) * x = (z * x) * (x \ (y * x)).
Axiom left_inverse_property: (x \ e) * (x * y) = y.
Axiom right_inverse_property: (y * x) * (x \ e) = y.
Theorem extra: x * (y * (z * x)) = ((x * y) * z) * x.
