"""When two spellings of a name are one name."""

import unicodedata


def same_name(one: str, other: str) -> bool:
    """Whether two names differ in nothing but case, accents, spaces and how their letters are encoded.

    A name that is typed as a signature is compared with the name that the person is known by: whoever writes "ana reis"
    for "Ana Réis" has not written another name.
    """
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    letters = unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())
    return " ".join("".join(each for each in letters if not unicodedata.combining(each)).split())
