"""Coming in: links, asking for one, invitations, sessions and devices, the language, signing out."""
