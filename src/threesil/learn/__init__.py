"""3SIL and its baselines, expert iteration, and learning a theory from its axioms."""
