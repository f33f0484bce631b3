"""Reports compare a company at two moments, by team, course and record; as pages, as PDF and by letter."""
