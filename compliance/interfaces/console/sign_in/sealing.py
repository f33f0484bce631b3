"""Seals the secrets of second factors (`compliance.sealing`) before they are stored in the database.

The keys are SECOND_FACTOR_KEYS, newest first. After adding a new first key, run `manage.py reseal_second_factors`.
"""

from cryptography.fernet import InvalidToken, MultiFernet
from django.conf import settings

from compliance import sealing
from compliance.interfaces.console.errors import ConsoleError


class UnreadableSecretError(ConsoleError):
    """A stored secret that none of SECOND_FACTOR_KEYS opens."""


def seal(text: str) -> str:
    """`text` sealed under the newest key."""
    return _ring().encrypt(text.encode()).decode()


def unseal(sealed: str) -> str:
    """The text that was sealed. Raises UnreadableSecretError."""
    try:
        return _ring().decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise UnreadableSecretError("A second factor is sealed under none of SECOND_FACTOR_KEYS.") from error


def reseal(text: str) -> str:
    """The same secret sealed under the newest key, even if it was stored unsealed. Raises UnreadableSecretError."""
    return seal(unseal(text) if is_sealed(text) else text)


def is_sealed(text: str) -> bool:
    """Whether it is sealed; rows of early releases are not (`migrations/0002_seal_stored.py`)."""
    return sealing.is_sealed(text)


def _ring() -> MultiFernet:
    return sealing.ring(tuple(settings.SECOND_FACTOR_KEYS), b"compliance second factor 1")
