"""Owed learning: what one learner owes for one course, which certificates they hold, and until when.

`facts` is the input, `decide` the decision, `decisions` the output; `outcome` adds what depends on the clock when a row
is read.
"""
