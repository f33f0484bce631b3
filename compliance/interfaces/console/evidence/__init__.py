"""Evidence packs, which auditors download for a company and a period."""
