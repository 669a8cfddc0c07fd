"""The error of this room."""

from __future__ import annotations

from threesil.errors import ThreesilError


class NotReconstructed(ThreesilError):
    """A printed proof that could not be made one of ours, and the step that failed."""
