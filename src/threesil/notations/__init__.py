"""Reading and writing: theories, problems, proofs and models, one file for each notation.

reading, writing   what stands in one file for each direction
document    what a file says: a theory and problems
infix       equations and terms as people type them; `operators`, which signs there are
proof_json, model_json, system_json   certificates as JSON
names, renaming   how things are called, and called where names clash
lines, tokens     places in a text, and what stands there
"""
