"""Whether two spellings are the same name."""

import unicodedata


def same_name(one: str, other: str) -> bool:
    """Whether two names differ only in case, accents, spaces and the encoding of their letters.

    Used to compare a name that is typed as a signature with the person's recorded name: "ana reis" and "Ana Réis" are
    the same name.
    """
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    letters = unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold())
    return " ".join("".join(each for each in letters if not unicodedata.combining(each)).split())
