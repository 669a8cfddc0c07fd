# Left Bol loops. D. A. Robinson, Bol loops, Trans. Amer. Math. Soc. 123 (1966).
# False: not_moufang, R. P. Burn, Finite Bol loops, Math. Proc. Camb. Phil. Soc. 84 (1978): order 8.
Theory bol_facts: Left Bol loops.
Goal equation.
Constants e.
Axiom left_unit: e * x = x.
Axiom right_unit: x * e = x.
Axiom left_division: x * (x \ y) = y.
Axiom left_division_2: x \ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
Axiom bol: x * (y * (x * z)) = (x * (y * x)) * z.
Theorem left_inverse_property: (x \ e) * (x * y) = y.
Theorem left_alternative: x * (x * y) = (x * x) * y.
Theorem not_moufang: (x * y) * (z * x) = (x * (y * z)) * x.
Theorem not_right_inverse_property: (y * x) * (x \ e) = y.
