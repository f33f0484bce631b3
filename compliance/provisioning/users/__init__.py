"""Users of SCIM: employees. What a client says of them becomes facts; what has no fact is kept beside (`documents`)."""
