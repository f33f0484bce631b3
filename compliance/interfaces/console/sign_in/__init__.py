"""Who comes in: invitations, passwords, second factors, passkeys, company accounts, the lock-out, sessions that end."""
