"""Users of SCIM: employees. What a client states of them becomes facts; the rest is stored apart (`documents`)."""
