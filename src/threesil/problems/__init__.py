"""Problem sets: files of them, single ones as text, random ones."""

from threesil.problems.files import load_problems, parse_problem
from threesil.problems.generate import random_walk, sample_problem

__all__ = ["load_problems", "parse_problem", "random_walk", "sample_problem"]
