"""The pages of people and teams, and of the auditors to whom a company gives access."""
