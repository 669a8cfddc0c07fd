"""Problem sets: files of them, single ones as text, random ones."""

from threesil.problems.files import load_problems, parse_problem
from threesil.problems.generate import random_walk, sample_problem
from threesil.problems.sets import DATA, data_directory, load_set, sample_set

__all__ = [
    "DATA",
    "data_directory",
    "load_problems",
    "load_set",
    "parse_problem",
    "random_walk",
    "sample_problem",
    "sample_set",
]
