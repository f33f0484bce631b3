"""Ed25519 keys that sign and check notes: the one module here that needs `cryptography`."""

from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from .errors import NoteUnverified
from .signed_note import (
    ED25519_SIGNATURE_BYTES,
    NoteSignature,
    SignedNote,
    check_text,
    format_note,
    format_verifier_key,
    key_hash,
    parse_note,
    parse_verifier_key,
)


@dataclass(frozen=True, slots=True)
class NoteSigner:
    """A named private key; the secret never shows in `repr`."""

    key_name: str
    private_key: Ed25519PrivateKey

    @classmethod
    def from_seed(cls, key_name: str, seed: bytes) -> "NoteSigner":
        """Return the signer of a 32-byte seed."""
        return cls(key_name, Ed25519PrivateKey.from_private_bytes(seed))

    @property
    def verifier_key(self) -> str:
        """The public half, to be handed to auditors."""
        return format_verifier_key(self.key_name, self.private_key.public_key().public_bytes_raw())

    def sign(self, text: str) -> str:
        """Return `text` as a signed note."""
        public_key = self.private_key.public_key().public_bytes_raw()
        signature = self.private_key.sign(check_text(text).encode())
        return format_note(text, [NoteSignature(self.key_name, key_hash(self.key_name, public_key), signature)])


def verified_text(note: str, verifier_key: str) -> str:
    """Return the text of `note` when `verifier_key` signed it.

    Raises NoteMalformed for what is no note and NoteUnverified when no signature is the key's or one of the key's is
    not valid. Signatures of other keys are passed over, as C2SP asks.
    """
    parsed: SignedNote = parse_note(note)
    key_name, public_key = parse_verifier_key(verifier_key)
    expected = key_hash(key_name, public_key)
    ours = [each for each in parsed.signatures if each.key_name == key_name and each.key_hash == expected]
    if not ours:
        raise NoteUnverified("The note carries no signature of this key.")
    for each in ours:
        if len(each.signature) != ED25519_SIGNATURE_BYTES:
            raise NoteUnverified("The note's signature has the wrong length.")
        try:
            Ed25519PublicKey.from_public_bytes(public_key).verify(each.signature, parsed.text.encode())
        except InvalidSignature as fault:
            raise NoteUnverified("The note's signature is not valid.") from fault
    return parsed.text
