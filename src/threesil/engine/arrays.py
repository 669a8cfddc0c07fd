"""Arrays on their way into the core: whole numbers that keep their value, or an error.

`np` is NumPy, loaded when something of it is first used: that takes longer than an easy proof.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from typing import TypeVar

    import numpy as np
    from numpy.typing import NDArray

    _Integer = TypeVar("_Integer", np.int32, np.uint16, np.uint32, np.uint64)
else:

    class _Later:
        def __getattr__(self, name: str) -> Any:
            import numpy

            return getattr(numpy, name)

    np = _Later()

__all__ = ["Parameters", "integers", "np", "reals"]

Parameters: TypeAlias = "NDArray[np.float32] | array[float]"
"""of a network, (P,): those of a file are read without NumPy"""


def integers(
    values: Sequence[int] | NDArray[Any], kind: type[_Integer], what: str
) -> NDArray[_Integer]:
    """The values as a contiguous array, (N,), of one kind; what that would change is refused."""
    given = np.asarray(values)
    if given.ndim != 1:
        raise ValueError(f"{what}: expected one dimension, not {given.ndim}")
    if given.size and given.dtype.kind not in "iu":
        raise TypeError(f"{what}: expected whole numbers, not {given.dtype}")
    bounds = np.iinfo(kind)
    if given.size and (int(given.min()) < bounds.min or int(given.max()) > bounds.max):
        raise ValueError(f"{what}: expected numbers from {bounds.min} to {bounds.max}")
    return np.ascontiguousarray(given, dtype=kind)


def reals(values: NDArray[Any] | Parameters, what: str) -> NDArray[np.float32]:
    """The values as a contiguous array of single-precision numbers."""
    if isinstance(values, array) and values.typecode == "f":
        return values  # type: ignore[return-value]  # to the core any buffer is an array
    given = np.asarray(values)
    if given.dtype.kind not in "fiu":
        raise TypeError(f"{what}: expected real numbers, not {given.dtype}")
    return np.ascontiguousarray(given, dtype=np.float32)
