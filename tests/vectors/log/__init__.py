"""Vectors of trees, notes, checkpoints and proofs."""
