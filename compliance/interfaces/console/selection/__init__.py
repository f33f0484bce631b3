"""Rows that staff choose in a list, for an act or a download: ticked rows, or all that the filters find."""
