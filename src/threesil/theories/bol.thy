# Left Bol loops. Goals: D. A. Robinson, Bol loops, Trans. Amer. Math. Soc. 123 (1966).
Theory bol: Left Bol loops.
Goal equation.
Constants e.
Axiom left_unit: e * x = x.
Axiom right_unit: x * e = x.
Axiom left_division: x * (x \ y) = y.
Axiom left_division_2: x \ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
Axiom bol: x * (y * (x * z)) = (x * (y * x)) * z.
Theorem inverses_agree: x \ e = e / x.
Theorem left_inverse_property: (x \ e) * (x * y) = y.
Theorem left_alternative: x * (x * y) = (x * x) * y.
Theorem left_division_by_inverse: x \ y = (x \ e) * y.
Theorem left_power: x * (x * (x * y)) = (x * (x * x)) * y.
Theorem cube: x * (x * x) = (x * x) * x.
Theorem square_of_inverse: (x * x) \ e = (x \ e) * (x \ e).
Theorem inverse_of_sandwich: (x * (y * x)) \ e = (x \ e) * ((y \ e) * (x \ e)).
