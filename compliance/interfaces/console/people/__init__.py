"""People and teams: their pages, and the auditors whom a company lets in."""
