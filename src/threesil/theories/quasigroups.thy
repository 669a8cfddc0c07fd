# Quasigroups: multiplication with division on both sides, without a unit.
Theory quasigroups: Quasigroups.
Goal equation.
Axiom left_division: x * (x \ y) = y.
Axiom left_division_2: x \ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
Theorem back_and_forth: x / (y \ x) = y.
Theorem forth_and_back: (x / y) \ x = y.
Theorem left_unit_of_right_unit: (x / x) * x = x.
Theorem right_unit_of_each: x * (x \ x) = x.
Theorem solution: exists z: x * z = y.
Theorem right_solution: exists z: z * x = y.
Theorem two_solutions: exists y, z: x * y = z * x.
