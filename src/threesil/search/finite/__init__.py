"""Finite structures: tables in which the equations of a theory hold and a problem fails.

finder    the search for them: `Finder`, `find`
task      what is looked for, and whether a problem fails in tables
"""
