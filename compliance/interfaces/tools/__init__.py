"""Programs to download: the verifier, the witness and the sender of facts, each one file for the standard library."""
