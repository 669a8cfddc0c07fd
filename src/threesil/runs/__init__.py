"""A training run on disk: the only place that knows the names of its files."""
