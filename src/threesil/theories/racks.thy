# Racks: quandles without idempotence; x * y is x moved by y, x / y moved back. R. Fenn, C. Rourke (1992).
Theory racks: Racks.
Goal equation.
Axiom back: (x * y) / y = x.
Axiom forth: (x / y) * y = x.
Axiom distributes: (x * y) * z = (x * z) * (y * z).
Theorem moved_by_moved: x * (y * z) = ((x / z) * y) * z.
Theorem moved_by_moved_back: x * (y / z) = ((x * z) * y) / z.
Theorem distributes_back: (x / y) * z = (x * z) / (y * z).
Theorem back_distributes: (x * y) / z = (x / z) * (y / z).
Theorem back_distributes_back: (x / y) / z = (x / z) / (y / z).
Theorem moved_by_own_move: x * (y * y) = x * y.
Theorem kink_commutes: (x * x) * y = (x * y) * (x * y).
