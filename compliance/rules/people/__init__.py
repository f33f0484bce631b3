"""The rows of the people register: employees and invitations, by valid time (docs/rules.md#people).

`facts` in, `decide` decides, `decisions` out; `status` is what the clock adds when a row is read, and `validation`
says which facts of a file the rules refuse, and why. A change of a person also changes each invitation that led to one
of their stays.
"""
