"""Understand: dashboards, the matrix of people and courses, exports of what pages list."""
