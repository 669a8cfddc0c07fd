# Moufang loops. R. H. Bruck, A Survey of Binary Systems (1958), chapter VII.
# False: not_commutative (the group S_3), not_associative: O. Chein, H. O. Pflugfelder, The smallest
# Moufang loop, Arch. Math. 22 (1971): order 12.
Theory moufang_facts: Moufang loops.
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
Theorem right_alternative: (y * x) * x = y * (x * x).
Theorem left_inverse_property: (x \ e) * (x * y) = y.
Theorem right_inverse_property: (y * x) * (x \ e) = y.
Theorem inverse_of_product: (x * y) \ e = (y \ e) * (x \ e).
Theorem middle_moufang: (x * y) * (z * x) = (x * (y * z)) * x.
Theorem right_moufang: ((z * x) * y) * x = z * ((x * y) * x).
Theorem not_commutative: x * y = y * x.
Theorem not_associative: (x * y) * z = x * (y * z).
