# Commutative left Bol loops are Moufang loops. D. A. Robinson (1966).
Theory bol_commutative_facts: Commutative left Bol loops.
Goal equation.
Constants e.
Axiom left_unit: e * x = x.
Axiom right_unit: x * e = x.
Axiom left_division: x * (x \ y) = y.
Axiom left_division_2: x \ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
Axiom bol: x * (y * (x * z)) = (x * (y * x)) * z.
Axiom commutative: x * y = y * x.
Theorem moufang: x * (y * (x * z)) = ((x * y) * x) * z.
