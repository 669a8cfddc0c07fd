"""Where work is done: threads, processes, a Ray cluster; one `map` for all of them.

`place` is the interface, `places` finds the place that a user has asked for; `threads`, `processes`
and `ray` are the places. `machine` has what differs between operating systems.
"""
