# Semigroups: one associative operation.
Theory semigroups: Semigroups.
Goal equation.
Axiom assoc: (x * y) * z = x * (y * z).
Theorem fourfold: ((x * y) * z) * u = x * (y * (z * u)).
Theorem halves: (x * y) * (z * u) = (x * (y * z)) * u.
Theorem cube: x * (x * x) = (x * x) * x.
Theorem powers_commute: (x * x) * (x * (x * x)) = (x * (x * x)) * (x * x).
Theorem flexible: x * (y * x) = (x * y) * x.
Theorem square_of_square: (x * x) * (x * x) = x * ((x * x) * x).
