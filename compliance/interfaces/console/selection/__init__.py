"""Rows that staff choose in a list, handed to an act or taken away: ticked ones, or all that the filters find."""
