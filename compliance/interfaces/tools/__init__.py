"""What is taken away: the verifier, the witness and the sender of facts, each one file of the standard library."""
