"""The file of all that is kept about one person: their right of access (GDPR, article 15)."""
