"""A compliance platform: facts in, decided by pure rules, kept for ever, read back as at any moment."""
