"""Detects the language of a policy. Its file does not name one, and a screen reader has to know it.

By its script where few languages share one, else by the common short words of each language.
"""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Final

_SCRIPTS: Final = {
    "ARABIC": "ar", "HEBREW": "he", "GREEK": "el", "CYRILLIC": "ru", "HIRAGANA": "ja", "KATAKANA": "ja", "CJK": "zh",
    "HANGUL": "ko", "THAI": "th", "DEVANAGARI": "hi", "ARMENIAN": "hy", "GEORGIAN": "ka",
}  # fmt: skip
_SMALL_WORDS: Final = {
    "en": "the of and to in is you that it for are with be this not or by have from your will when",
    "de": "der die und das ist nicht von sie mit den ein eine auf im für werden wird dem des zu bei oder sind",
    "fr": "le la les et des est vous que une pour dans du pas sur avec votre ne au ou par sont ce qui",
    "es": "el los las que del por con una para su es se como más o al lo este sus no son usted en la",
    "pt": "os as que do da em um uma para com não por é se na no ao você dos ou são seu sua",
    "it": "il che di per una non sono del della con gli le si da nel è lo alla dei o più come",
    "nl": "de het een van en is dat niet op te zijn voor met je aan door als bij of wordt ook naar",
}
_RIGHT_TO_LEFT: Final = {"ar", "he"}
_READ: Final = 20_000
_TAG = re.compile(r"<[^>]*>|&[a-z#0-9]+;")
_WORDS = {word: [code for code, words in _SMALL_WORDS.items() if word in words.split()] for word in
          {word for words in _SMALL_WORDS.values() for word in words.split()}}  # fmt: skip


def written_in(html: str) -> str:
    """The tag of the language that the text is most likely written in; English in case of doubt."""
    return _written_in(html[:_READ])


@lru_cache(maxsize=64)
def _written_in(beginning: str) -> str:
    text = _TAG.sub(" ", beginning)
    letters = Counter(
        _SCRIPTS.get(unicodedata.name(each, "").partition(" ")[0].partition("-")[0], "")
        for each in text
        if each.isalpha()
    )
    if letters["ja"]:
        letters["ja"] += letters.pop("zh", 0)
    if letters and letters.most_common(1)[0][0]:
        return letters.most_common(1)[0][0]
    found = Counter(code for word in re.findall(r"\w+", text.lower()) for code in _WORDS.get(word, ()))
    return max(_SMALL_WORDS, key=lambda code: found[code])


def opening_tag(html: str) -> str:
    """The tag that begins a document of this text: with its language and its direction."""
    language = written_in(html)
    return f'<html lang="{language}" dir="{"rtl" if language in _RIGHT_TO_LEFT else "ltr"}">'
