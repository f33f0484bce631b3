"""The rows of the people register: employees and invitations, by valid time (docs/rules.md#people).

`facts` is the input, `decide` the decision, `decisions` the output; `status` adds what depends on the clock when a row
is read, and `validation` determines which facts the rules refuse, and why. A change of a person also changes each
invitation that led to one of their stays.
"""
