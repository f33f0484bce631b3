"""A compliance platform: it records facts, decides by pure rules, keeps all versions, and answers for any moment."""
