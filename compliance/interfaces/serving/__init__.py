"""How requests reach the application: bodies within limits and a deadline, threads by interface.

A request occupies a thread only while it is being answered. Its body is received before that, without a thread, and
each interface has threads of its own: slow senders, and heavy use of one interface, take nothing from another.
"""
