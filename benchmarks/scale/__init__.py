"""`make scale`: real servers that die, freeze and come back under load, and what users see of it, in one table."""
