"""What was solved, how fast, and who is better: results, comparisons, benchmarks, conformance.

Others use `evaluate`, `results` and `setting` (rows, and how they were made), `outcome_json`,
`speed`, `conform`, and of `compare`: `contest`, `directory`, `imported`, `standing`, `statistics`,
`pages`, `plots` and `set_plots`.
"""
