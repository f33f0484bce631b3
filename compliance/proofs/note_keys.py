"""Ed25519 keys that sign notes: the only module here that needs `cryptography`, which is fast and constant-time."""

from collections.abc import Iterable
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from .signed_note import NoteSignature, VerifierKey, check_text, format_note


@dataclass(frozen=True, slots=True)
class NoteSigner:
    """A named private key; `repr` does not contain the secret."""

    key_name: str
    private_key: Ed25519PrivateKey

    @classmethod
    def from_seed(cls, key_name: str, seed: bytes) -> "NoteSigner":
        """Return the signer of a 32-byte seed."""
        return cls(key_name, Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def verifier_key(self) -> str:
        """The public half, which auditors get."""
        return self._key().line()

    def sign(self, text: str) -> str:
        """Return `text` as a signed note."""
        return signed_by_all(text, [self])

    def signature(self, text: str) -> NoteSignature:
        """Return the signature of `text`."""
        return NoteSignature(self.key_name, self._key().key_hash(), self.private_key.sign(check_text(text).encode()))

    def _key(self) -> VerifierKey:
        return VerifierKey(self.key_name, self.private_key.public_key().public_bytes_raw())


def signed_by_all(text: str, signers: Iterable[NoteSigner]) -> str:
    """Return `text` as a note with a signature of each of the signers: whoever has one of their keys can check it."""
    return format_note(text, [each.signature(text) for each in signers])
