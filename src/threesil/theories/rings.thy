# Rings, with unit not required.
Theory rings: Rings.
Goal equation.
Constants 0.
Axiom zero: 0 + x = x.
Axiom negative: neg(x) + x = 0.
Axiom add_assoc: (x + y) + z = x + (y + z).
Axiom add_comm: x + y = y + x.
Axiom mul_assoc: (x * y) * z = x * (y * z).
Axiom left_distributes: x * (y + z) = (x * y) + (x * z).
Axiom right_distributes: (x + y) * z = (x * z) + (y * z).
Theorem zero_left: 0 * x = 0.
Theorem zero_right: x * 0 = 0.
Theorem negative_twice: neg(neg(x)) = x.
Theorem negative_zero: neg(0) = 0.
Theorem negative_sum: neg(x + y) = neg(x) + neg(y).
Theorem negative_left: neg(x) * y = neg(x * y).
Theorem negative_right: x * neg(y) = neg(x * y).
Theorem negatives: neg(x) * neg(y) = x * y.
Theorem square_of_sum: (x + y) * (x + y) = ((x * x) + (x * y)) + ((y * x) + (y * y)).
