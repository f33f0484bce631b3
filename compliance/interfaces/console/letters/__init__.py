"""Letters to learners as staff see them: how each kind looks, and what became of those that were asked for lately."""
