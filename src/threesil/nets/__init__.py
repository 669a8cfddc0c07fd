"""The tree network: weights as files, and training in PyTorch."""

from threesil.nets.model import Model

__all__ = ["Model"]
