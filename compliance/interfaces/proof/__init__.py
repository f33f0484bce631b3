"""Proofs of single rows, `svc.proof/1`: made here for the API at /proof/v1 and for the console."""
