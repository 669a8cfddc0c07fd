# Extra loops are Moufang loops and C-loops. F. Fenyves, Extra loops I and II, Publ. Math. Debrecen 15
# and 16 (1968, 1969). False: not_associative; the smallest that is no group has order 16.
Theory extra_facts: Extra loops.
Goal equation.
Constants e.
Axiom left_unit: e * x = x.
Axiom right_unit: x * e = x.
Axiom left_division: x * (x \ y) = y.
Axiom left_division_2: x \ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
Axiom extra: x * (y * (z * x)) = ((x * y) * z) * x.
Theorem moufang: (x * y) * (z * x) = (x * (y * z)) * x.
Theorem c_loop: x * (y * (y * z)) = ((x * y) * y) * z.
Theorem not_associative: (x * y) * z = x * (y * z).
