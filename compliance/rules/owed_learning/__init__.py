"""Owed learning: what one learner owes of one course, which certificates they hold, and until when.

`facts` in, `decide` decides, `decisions` out; `outcome` is what the clock adds when a row is read.
"""
