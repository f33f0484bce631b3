"""Sign-in of staff: invitations, passwords, second factors, passkeys, company accounts, the lock-out, sessions."""
