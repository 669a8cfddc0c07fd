"""Problem sets: files of them, single ones as text, random ones, theorems with their proofs."""

from threesil.problems.files import format_problem, load_problems, parse_problem
from threesil.problems.generate import random_walk, sample_problem
from threesil.problems.sets import (
    DATA,
    ProblemSet,
    UnknownTheory,
    data_directory,
    data_home,
    load_set,
    novel,
    open_set,
    sample_set,
    set_sizes,
)
from threesil.problems.theorems import random_theorems

__all__ = [
    "DATA",
    "ProblemSet",
    "UnknownTheory",
    "data_directory",
    "data_home",
    "format_problem",
    "load_problems",
    "load_set",
    "novel",
    "open_set",
    "parse_problem",
    "random_theorems",
    "random_walk",
    "sample_problem",
    "sample_set",
    "set_sizes",
]
