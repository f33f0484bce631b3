"""Evidence packs: what an auditor takes away for a company and a period."""
