"""Finite models: tables in which the equations of a theory hold and a problem fails."""

from threesil.search.finite.finder import Finder, Sought, find

__all__ = ["Finder", "Sought", "find"]
