"""Letters to learners as staff see them: a sample of each kind, and the status of those requested lately."""
