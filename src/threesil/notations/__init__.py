"""Reading and writing: theories, problems, proofs and models, one file for each notation.

What is read and written by one file stands here; `reading` and `writing` have the rest. Nothing
here searches.
"""
