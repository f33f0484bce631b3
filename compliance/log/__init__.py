"""The deployment's log: every capture of every company is one entry of a tree that only grows (C2SP tlog-tiles)."""
