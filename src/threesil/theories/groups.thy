# Groups, by left unit and left inverses.
Theory groups: Groups.
Goal equation.
Constants e.
Axiom unit: e * x = x.
Axiom inverse: i(x) * x = e.
Axiom assoc: (x * y) * z = x * (y * z).
Definition c(x,y) := i(x * y) * (y * x).
Theorem right_unit: x * e = x.
Theorem right_inverse: x * i(x) = e.
Theorem inverse_twice: i(i(x)) = x.
Theorem inverse_product: i(x * y) = i(y) * i(x).
Theorem cancel_left: i(x) * (x * y) = y.
Theorem cancel_right: (y * x) * i(x) = y.
Theorem solution: exists z: x * z = y.
Theorem commutator_inverse: i(c(x,y)) = c(y,x).
Theorem commutator_unit: c(x,e) = e.
Theorem conjugate_product: (i(z) * (x * z)) * (i(z) * (y * z)) = i(z) * ((x * y) * z).
