"""Where work is done: threads, processes, a Ray cluster; one `map` for all of them.

place      the interface
places     the place that a user has asked for
threads, processes   two of the places, with what is special to them
machine    what differs between operating systems
"""
