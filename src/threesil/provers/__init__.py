"""Other provers: how they are run, how their proofs become ours, how they and we help each other.

prove     proving what people type or have in files, as a request says
request   who may try problems, and what each may cost
solvers   every solver by its name; those that are kept warm
registry  which other provers there are, and where they are found
base      one of them: what it is asked, and what it answers
lemmas    what a policy shows about a goal, for other provers
team      solvers made of solvers
reconstruct  proofs of ours that follow those of other provers
printed   files with what other provers printed
"""
