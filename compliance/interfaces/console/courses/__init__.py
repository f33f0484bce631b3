"""Courses and shares in the console: lists and pages with state, people, versions, history and acts."""
