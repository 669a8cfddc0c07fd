"""Random files for every reader: generated ones, and real ones cut, doubled and mixed."""

from __future__ import annotations

TARGETS = ()
