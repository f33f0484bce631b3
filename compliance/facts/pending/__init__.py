"""What was taken in: the ledger of fact ids, and the subjects that may now be decided differently."""
