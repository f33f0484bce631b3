"""Errors of the proofs room. They are not below `compliance.errors`, because this folder can run alone."""


class ProofError(ValueError):
    """Root of all errors that this room raises on purpose. `str(error)` is one plain sentence."""


class UnhashableValue(ProofError):
    """A value has no text form to hash: a number that is not finite, text that is not Unicode, a naive instant."""


class NoteMalformed(ProofError):
    """A text is not a C2SP signed note, or a checkpoint does not have the expected lines."""


class NoteUnverified(ProofError):
    """A signed note has no valid signature of the given key."""


class NotAPage(ProofError):
    """A file is neither a JSON page nor a proof: it cannot be read, is not JSON, or is another document."""


class TreeProofRefused(ProofError):
    """A proof does not lead from a leaf, or from an older root, to the root; or no such proof exists."""


class TilePathRefused(ProofError):
    """A path names no tile, or a tile or bundle does not have the form of the specification."""


class CheckpointRequestMalformed(ProofError):
    """The body of a request to a witness does not have the form of the specification, or is wrong in itself."""


class LogUnknown(ProofError):
    """A witness was asked for a log that it does not watch."""


class SizeConflict(ProofError):
    """A witness was asked to continue from another size than the one it cosigned last, which is `size`."""

    def __init__(self, size: int) -> None:
        """`size` is the number of leaves of the checkpoint that was cosigned last, 0 without one."""
        super().__init__(f"The checkpoint that was cosigned last has {size} leaves.")
        self.size = size


class LogForked(ProofError):
    """A log signed two roots for one size, which no honest log does."""


class WitnessFolderRefused(ProofError):
    """The folder of a witness is incomplete, or is that of another one."""


class PackUnreadable(ProofError):
    """A file is no ZIP, or cannot be read."""


class PackMalformed(ProofError):
    """A file of an evidence pack, or a line of one, does not have its form; with the place and the reason."""

    def __init__(self, place: str, sentence: str) -> None:
        super().__init__(f"{place}: {sentence}")
        self.place, self.sentence = place, sentence
