"""Solvers side by side: every one on every problem under the same limits, then a report.

contest      runs the solvers, and writes the report
directory    the files of a comparison
imported     results that were measured elsewhere
standing     the shares that were solved, with intervals; `statistics`, paired tests
pages        the report as pages; `plots` and `set_plots`, its pictures
"""
