"""Errors of the proofs room. They stand outside `compliance.errors` because this folder runs copied out alone."""


class ProofError(ValueError):
    """Root of what this room raises on purpose. `str(error)` is one plain sentence."""


class UnhashableValue(ProofError):
    """A value has no text form to hash: a number that is not finite, text that is not Unicode, a naive instant."""


class NoteMalformed(ProofError):
    """A text is not a C2SP signed note, or a checkpoint does not have our lines."""


class NoteUnverified(ProofError):
    """A signed note carries no valid signature of the key that was asked for."""


class NotAPage(ProofError):
    """A file is neither a JSON page nor a proof: it cannot be read, is not JSON, or is another document."""


class TreeProofRefused(ProofError):
    """A proof does not lead from a leaf, or from an older root, to the root; or no such proof can be."""


class TilePathRefused(ProofError):
    """A path names no tile, or a tile or bundle does not have the form of the specification."""
