"""Where work is done: threads, processes, a Ray cluster; one `map` for all of them.

`place` is the interface, `places` finds the place that a user has asked for, `local` and `ray` are
the places; `child` is a process that may be killed, `machine` what differs between systems.
"""
