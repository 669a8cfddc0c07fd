# Commutative Moufang loops. False: not_associative; the smallest that is no group has order 81. G. Bol,
# Gewebe und Gruppen, Math. Ann. 114 (1937), where the example is H. Zassenhaus's.
Theory commutative_moufang_facts: Commutative Moufang loops.
Goal equation.
Constants e.
Axiom left_unit: e * x = x.
Axiom right_unit: x * e = x.
Axiom left_division: x * (x \ y) = y.
Axiom left_division_2: x \ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
Axiom commutative: x * y = y * x.
Axiom moufang: (x * x) * (y * z) = (x * y) * (x * z).
Theorem not_associative: (x * y) * z = x * (y * z).
