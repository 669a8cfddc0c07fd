"""What was solved, how fast, and who is better: results, comparisons, benchmarks, conformance."""
