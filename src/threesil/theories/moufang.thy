# Moufang loops: a loop with one of the four equivalent identities.
Theory moufang: Moufang loops.
Goal equation.
Constants e.
Axiom left_unit: e * x = x.
Axiom right_unit: x * e = x.
Axiom left_division: x * (x \ y) = y.
Axiom left_division_2: x \ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
Axiom moufang: x * (y * (x * z)) = ((x * y) * x) * z.
Theorem flexible: x * (y * x) = (x * y) * x.
Theorem left_alternative: x * (x * y) = (x * x) * y.
Theorem inverses_agree: x \ e = e / x.
Theorem left_inverse_property: (x \ e) * (x * y) = y.
Theorem right_alternative: (y * x) * x = y * (x * x).
Theorem right_inverse_property: (y * x) * (x \ e) = y.
Theorem inverse_product: (x * y) \ e = (y \ e) * (x \ e).
Theorem middle: (x * y) * (z * x) = (x * (y * z)) * x.
Theorem right_moufang: ((z * x) * y) * x = z * ((x * y) * x).
