"""Learning: 3SIL, its baselines, curriculum, history, and training runs on disk."""
