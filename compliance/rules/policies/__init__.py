"""Policies: who owes which version, until when, and which receipt settles it (docs/rules.md#policies).

`facts` in, `decide` decides, `decisions` out; `state` is what the clock adds when a row is read; `signing` says why a
person may not sign at a moment. The record of the cycle that is under way has `next_change_at`, when its renewal opens.
"""
