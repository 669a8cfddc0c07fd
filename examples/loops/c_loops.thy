# C-loops. F. Fenyves, Extra loops II, Publ. Math. Debrecen 16 (1969); J. D. Phillips, P. Vojtechovsky,
# C-loops: an introduction, Publ. Math. Debrecen 68 (2006).
# False: not_flexible and not_moufang; the smallest C-loop that is no group has order 10.
Theory c_loop_facts: C-loops.
Goal equation.
Constants e.
Axiom left_unit: e * x = x.
Axiom right_unit: x * e = x.
Axiom left_division: x * (x \ y) = y.
Axiom left_division_2: x \ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
Axiom c: x * (y * (y * z)) = ((x * y) * y) * z.
Theorem left_inverse_property: (x \ e) * (x * y) = y.
Theorem right_inverse_property: (y * x) * (x \ e) = y.
Theorem left_alternative: x * (x * y) = (x * x) * y.
Theorem right_alternative: (y * x) * x = y * (x * x).
Theorem squares_in_left_nucleus: (x * x) * (y * z) = ((x * x) * y) * z.
Theorem squares_in_middle_nucleus: (y * (x * x)) * z = y * ((x * x) * z).
Theorem not_associative: (x * y) * z = x * (y * z).
Theorem not_moufang: (x * y) * (z * x) = (x * (y * z)) * x.
