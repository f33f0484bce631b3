"""How requests reach the application: bodies within limits and a deadline, threads by interface.

A request costs a thread only while it is being answered. Its body is received before, without one, and each interface
has threads of its own, so whoever sends slowly or asks for much of one interface takes nothing from another.
"""
