"""A training run on disk: the only place that knows the names of its files.

Others use `run` (the directory, typed), `facts`, `findings`, `metrics`, `measured` and `checkpoint`
(what is in it), `problem_lines`, and `weights` (bundled ones, those of a run or of a file).
"""
