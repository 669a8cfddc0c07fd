"""What was solved, how fast, and who is better: results with their setting, comparisons, benchmarks,
conformance."""
