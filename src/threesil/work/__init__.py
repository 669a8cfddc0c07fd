"""Where work is done: threads, processes, a Ray cluster."""
