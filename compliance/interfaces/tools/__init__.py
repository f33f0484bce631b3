"""What auditors take away: the verifier and the witness, each one file of the standard library."""
