"""The learning methods by their names."""

from __future__ import annotations

from threesil.learn.agent import Method
from threesil.learn.three_sil import ThreeSIL

METHODS: dict[str, type[Method]] = {
    "3sil": ThreeSIL,
}
