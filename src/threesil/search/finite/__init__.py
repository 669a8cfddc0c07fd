"""Finite structures: tables in which the equations of a theory hold and a problem fails.

finder    the search for them: `Finder`, `find`
"""
