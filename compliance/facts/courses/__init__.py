"""Courses, their published releases, lessons and certificate editions."""
