"""The tenant boundary: organizations, the company context and row-level security."""
