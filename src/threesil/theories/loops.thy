# Loops: a multiplication with a unit, and division on both sides.
Theory loops: Loops.
Goal equation.
Constants e.
Axiom left_unit: e * x = x.
Axiom right_unit: x * e = x.
Axiom left_division: x * (x \ y) = y.
Axiom left_division_2: x \ (x * y) = y.
Axiom right_division: (y / x) * x = y.
Axiom right_division_2: (y * x) / x = y.
Definition T(x,y) := y \ (x * y).
Definition L(x,y,z) := (z * y) \ (z * (y * x)).
Definition R(x,y,z) := ((x * y) * z) / (y * z).
Definition a(x,y,z) := (x * (y * z)) \ ((x * y) * z).
Definition k(x,y) := (y * x) \ (x * y).
Theorem divided_by_itself: x \ x = e.
Theorem itself_divided: x / x = e.
Theorem back_and_forth: x / (y \ x) = y.
Theorem forth_and_back: (x / y) \ x = y.
Theorem inner_unit: T(e,x) = e.
Theorem inner_by_unit: T(x,e) = x.
Theorem conjugate: x * T(y,x) = y * x.
Theorem associator: (x * (y * z)) * a(x,y,z) = (x * y) * z.
Theorem commutator: (y * x) * k(x,y) = x * y.
Theorem left_inner: (z * y) * L(x,y,z) = z * (y * x).
Theorem right_inner: R(x,y,z) * (y * z) = (x * y) * z.
Theorem left_solution: exists z: x * z = y.
Theorem right_solution: exists z: z * x = y.
