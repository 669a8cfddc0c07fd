"""Learning: 3SIL and its baselines, expert iteration, learning from axioms, critical pairs.

Others use `train` (`train` and `resume`, with `watching` for who looks on), `config`, `plots`,
`derived` and `growing` (theorems from equations alone) and `speed`. The methods are listed in
`methods`, the stages of learning from axioms in `stages`.
"""
