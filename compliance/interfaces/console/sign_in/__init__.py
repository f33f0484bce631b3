"""Who comes in: names, passwords, second factors, the lock-out, sessions that end (issue 8, 4)."""
