"""Our solvers, one file each; the schedule that gives them turns."""
