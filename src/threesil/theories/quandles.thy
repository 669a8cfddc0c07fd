# Quandles: x * y is x moved by y, x / y moved back.
Theory quandles: Quandles.
Goal equation.
Axiom idempotent: x * x = x.
Axiom back: (x * y) / y = x.
Axiom forth: (x / y) * y = x.
Axiom distributes: (x * y) * z = (x * z) * (y * z).
Theorem idempotent_back: x / x = x.
Theorem moved_by_moved: x * (y * z) = ((x / z) * y) * z.
Theorem moved_by_moved_back: x * (y / z) = ((x * z) * y) / z.
Theorem distributes_back: (x / y) * z = (x * z) / (y * z).
Theorem back_distributes: (x * y) / z = (x / z) * (y / z).
Theorem back_distributes_back: (x / y) / z = (x / z) / (y / z).
