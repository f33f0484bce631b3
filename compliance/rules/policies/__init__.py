"""Policies: who owes which version, until when, and which receipt settles it (docs/rules.md#policies).

`facts` is the input, `decide` the decision, `decisions` the output; `state` adds what depends on the clock when a row
is read; `signing` determines why a person may not sign at a moment. The record of the current cycle has
`next_change_at`, when its renewal opens.
"""
