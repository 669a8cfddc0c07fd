"""Which equations of a list imply which: pairs that are listed, or all of them.

Others use `equations` (lists of them, and of pairs), `pairs` (those that are listed), `explore` and
`graph` (all).
"""
