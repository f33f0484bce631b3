"""Pages of courses and of shares."""
