"""Learning: 3SIL and its baselines, expert iteration, learning from axioms, critical pairs.

Others use `train` (`train` and `resume`, with `watching` for who looks on, and `task` for where
problems come from), `plots`, `growing` (theorems from equations alone), `held_out` and `speed`. The
methods are listed in `training`, the stages of learning from axioms in `stages`.
"""
