"""Solvers side by side: every one on every problem under the same limits, then a report."""
