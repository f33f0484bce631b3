"""The player: courses, page by page, with their questions and films."""
