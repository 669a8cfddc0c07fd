# Monoids: an associative operation with a unit.
Theory monoids: Monoids.
Goal equation.
Constants e.
Axiom left_unit: e * x = x.
Axiom right_unit: x * e = x.
Axiom assoc: (x * y) * z = x * (y * z).
Theorem unit_inside: (x * e) * y = x * y.
Theorem units_vanish: (e * x) * (e * (y * e)) = x * y.
Theorem fourfold: ((x * y) * z) * u = x * (y * (z * u)).
Theorem idempotent: exists x: x * x = x.
Theorem invertible: exists x, y: x * y = e.
