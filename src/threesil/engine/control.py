"""What ends native work early, and whether it checks itself.

Python's signals end every native call that runs in the main thread: what their handlers raise
comes out of the call. A `Stop` ends it from another thread.
"""

from __future__ import annotations

import os

from threesil._native import Stop, Stopped

__all__ = ["SELF_CHECK", "Stop", "Stopped", "checks_itself"]

SELF_CHECK = "THREESIL_SELF_CHECK"


def checks_itself(wanted: bool | None = None) -> bool:
    """Whether a new object of the engine verifies all it does: as wanted, or as the variable says.

    The environment variable THREESIL_SELF_CHECK is 1 for yes.
    """
    return os.environ.get(SELF_CHECK) == "1" if wanted is None else wanted
