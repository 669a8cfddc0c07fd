"""Our solvers, one file each; the schedule that gives them turns.

solver      the protocol of everything that tries a problem
searcher    what our searches have in common
solvers     our solvers by their names
prover      proving one equation after the other, from Python
best        the searches in turn; `schedule`, how turns are given
single      searches without a policy: over terms, saturation, completion, learned selection
guided      the search that a policy guides
weights     what a search uses of what was learned; `learned`, what a run knows of a theory
refute      counter-models; `finite`, how they are found
deciding    convergent systems from completions that end; `completing`, completion without a goal
"""
