"""Reports: two moments of a company side by side, by team and course and record by record; on paper and by letter."""
