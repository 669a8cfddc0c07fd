"""Other provers: how they are run, how their proofs become ours, how they and we help each other.

prove     proving what people type or have in files, as a request says
request   who may try problems, and what each may cost
solvers   every solver by its name; those that are kept warm
registry  which other provers there are, and where they are found
lemmas    what a policy shows about a goal, for other provers
printed   files with what other provers printed

For those who run a prover or follow its proof themselves: `base`, `team`, `reconstruct`.
"""
