"""Walking a parsed document along declared shapes: closed key sets, required keys, strict types.

The values come from `source`, which has removed every `$schema` key and made whole numbers integers. A checker takes
the walk, the value, its path, and the id that text ids at this place start with ("" when there is none).
"""

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from compliance.contentfile import identifiers, limits
from compliance.contentfile.faults import FaultCode, MemberPart, Path, Report, quoted
from compliance.contentfile.style import StyleFault

Checker = Callable[["Walk", Any, Path, str], None]


@dataclass(frozen=True, slots=True)
class Key:
    """One key of a shape: how its value is checked, and whether it may be left out."""

    check: Checker
    required: bool = True


Shape = Mapping[str, Key]


@dataclass(slots=True)
class Walk:
    """What one pass over a document collects: faults, and the references that other files of a package resolve."""

    report: Report
    texts: dict[str, Path] = field(default_factory=dict)
    emails: dict[str, Path] = field(default_factory=dict)
    urls: dict[str, Path] = field(default_factory=dict)
    titles: dict[str, Path] = field(default_factory=dict)
    media: list[tuple[str, str, Path]] = field(default_factory=list)
    roles: list[tuple[list[Any], Path]] = field(default_factory=list)
    films: list[Path] = field(default_factory=list)
    ids: dict[str, Path] = field(default_factory=dict)
    question_ids: set[str] = field(default_factory=set)
    styles: dict[str, list[StyleFault]] = field(default_factory=dict)
    style_bytes: int = 0

    def add(self, code: FaultCode, path: Path, message: str, part: MemberPart = MemberPart.VALUE) -> None:
        """Add one fault."""
        self.report.add(code, path, message, part=part)

    def check_object(
        self,
        value: object,
        path: Path,
        shape: Shape,
        prefix: str,
        *,
        known: Iterable[str] = (),
        what: str = "this object",
    ) -> bool:
        """Check an object's keys and members; the caller checks the `known` keys. False if the value is no object."""
        if not isinstance(value, dict):
            self.add(FaultCode.WRONG_TYPE, path, f"An object is expected here, not {quoted(value)}.")
            return False
        for name in value:
            if name not in shape and name not in known:
                self.add(
                    FaultCode.UNKNOWN_KEY,
                    (*path, name),
                    f"The key {quoted(name)} does not belong in {what}; remove it{_meant(name, [*shape, *known])}.",
                    MemberPart.KEY,
                )
        for name, key in shape.items():
            if name in value:
                key.check(self, value[name], (*path, name), prefix)
            elif key.required:
                self.add(FaultCode.MISSING_KEY, path, f"The key {quoted(name)} is missing in {what}; add it.")
        return True

    def items(
        self, value: object, path: Path, *, what: str, least: int = 1, most: tuple[int, FaultCode, str] | None = None
    ) -> list[Any]:
        """The items of an array; an empty list for anything else (reported).

        `most` is how many there may be, the code of the fault, and the beginning of its sentence: "a film has".
        """
        if not isinstance(value, list):
            self.add(FaultCode.WRONG_TYPE, path, f"An array of {what} is expected here, not {quoted(value)}.")
            return []
        if least and not value:
            self.add(
                FaultCode.EMPTY_LIST, path, f"This list needs at least one of its {what}; add it or leave the key out."
            )
        if most is not None and len(value) > most[0]:
            self.add(most[1], path, f"There are {len(value)} {what}; {most[2]} at most {most[0]}.")
        return value

    def claim(self, value: object, path: Path, taken: dict[str, Path], code: FaultCode, sentence: str) -> None:
        """Claim the id of the object at `path`; reported if it is taken. `sentence` has {} in place of the id."""
        name = value.get("id") if isinstance(value, dict) else None
        if isinstance(name, str):
            if name in taken:
                self.add(code, (*path, "id"), sentence.format(quoted(name)))
            taken.setdefault(name, path)

    def string(self, value: object, path: Path) -> bool:
        """Whether the value is a string; reported if not."""
        if isinstance(value, str):
            return True
        self.add(FaultCode.WRONG_TYPE, path, f"A string is expected here, not {quoted(value)}.")
        return False

    def kind_keys(self, value: Mapping[str, Any], path: Path, allowed: Iterable[str], among: Iterable[str]) -> None:
        """Report keys that belong to another kind of the same object."""
        allowed = set(allowed)
        for name in among:
            if name in value and name not in allowed:
                self.add(
                    FaultCode.KEY_NOT_FOR_KIND,
                    (*path, name),
                    f"The key {quoted(name)} does not go with the kind {quoted(value.get('kind'))}; "
                    "remove it or change the kind.",
                    MemberPart.KEY,
                )


def _sentence(value: object) -> str:
    text = quoted(value)
    return text[:1].upper() + text[1:]


def _meant(name: str, names: Iterable[str]) -> str:
    if len(name) > 40:
        return ""
    close = difflib.get_close_matches(name, list(names), n=1, cutoff=0.7)
    return f", or did you mean {quoted(close[0])}?" if close else ""


def text_id(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    """A text id that starts with the id of its lesson or page."""
    if type(value) is str and identifiers.is_text_id(value) and value.startswith(prefix):
        walk.texts.setdefault(value, path)  # the common case: thousands in a course
        return
    if not walk.string(value, path):
        return
    if not identifiers.is_text_id(value):
        reason = identifiers.what_is_wrong(value, limits.TEXT_ID_LENGTH, "._")
        walk.add(
            FaultCode.INVALID_TEXT_ID,
            path,
            f"{quoted(value)} is no text id: {reason}. Write segments of a-z, 0-9, _ and - joined by dots.",
        )
    else:
        walk.add(FaultCode.TEXT_ID_PREFIX, path, f"The text id {quoted(value)} must start with {quoted(prefix)}.")


def email_text_id(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    """A text id whose words are an email address."""
    text_id(walk, value, path, prefix)
    if isinstance(value, str):
        walk.emails.setdefault(value, path)


def url_text_id(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    """A text id whose words are a web address."""
    text_id(walk, value, path, prefix)
    if isinstance(value, str):
        walk.urls.setdefault(value, path)


def title_text_id(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    """A text id whose words are recorded with each version as the title of its course or of a lesson."""
    text_id(walk, value, path, prefix)
    if isinstance(value, str):
        walk.titles.setdefault(value, path)


def text_ids(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    """At least one text id."""
    for index, item in enumerate(walk.items(value, path, what="text ids")):
        text_id(walk, item, (*path, index), prefix)


def boolean(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    """True or false; 0 and 1 are neither."""
    if value is not True and value is not False:
        walk.add(FaultCode.WRONG_TYPE, path, f"Either true or false is expected here, not {quoted(value)}.")


def integer(least: int, most: int, unit: str) -> Checker:
    """An integer in a range, never a boolean. `source` has made 5.0 the integer 5, as in JSON Schema."""

    def check(walk: Walk, value: Any, path: Path, prefix: str) -> None:
        if type(value) is not int:
            walk.add(FaultCode.WRONG_TYPE, path, f"A whole number of {unit} is expected here, not {quoted(value)}.")
        elif not least <= value <= most:
            walk.add(
                FaultCode.OUT_OF_RANGE, path, f"{_sentence(value)} is out of range; write {least} to {most:,} {unit}."
            )

    return check


def one_of(*allowed: str) -> Checker:
    """One of a few fixed words."""

    def check(walk: Walk, value: Any, path: Path, prefix: str) -> None:
        if not isinstance(value, str) or value not in allowed:
            walk.add(
                FaultCode.UNKNOWN_VALUE,
                path,
                f"{_sentence(value)} is not allowed here; write one of {', '.join(allowed)}.",
            )

    return check


def constant(expected: str, code: FaultCode) -> Checker:
    """Exactly this string."""

    def check(walk: Walk, value: Any, path: Path, prefix: str) -> None:
        if value != expected or not isinstance(value, str):
            walk.add(code, path, f"Write {quoted(expected)} here, not {quoted(value)}.")

    return check


def slug(code: FaultCode, what: str, longest: int = limits.LESSON_ID_LENGTH) -> Checker:
    """An id of lower-case letters, digits and hyphens."""

    def check(walk: Walk, value: Any, path: Path, prefix: str) -> None:
        is_valid_slug(walk, value, path, code, what, longest)

    return check


def media_id(kind: str) -> Checker:
    """The id of a media file of this kind, which the manifest resolves."""

    def check(walk: Walk, value: Any, path: Path, prefix: str) -> None:
        if is_valid_slug(walk, value, path, FaultCode.INVALID_MEDIA_ID, "media"):
            walk.media.append((value, kind, path))

    return check


def is_valid_language(walk: Walk, value: str, path: Path, part: MemberPart = MemberPart.VALUE) -> bool:
    """Whether the value is a language tag; reported if not."""
    if identifiers.is_language(value):
        return True
    message = f"{quoted(value)} is no language; write a tag such as en, de or pt-BR."
    walk.add(FaultCode.INVALID_LANGUAGE, path, message, part)
    return False


def is_valid_slug(
    walk: Walk, value: object, path: Path, code: FaultCode, what: str, longest: int = limits.LESSON_ID_LENGTH
) -> bool:
    """Whether the value is an id of this form; reported if not."""
    if not isinstance(value, str):
        walk.string(value, path)
        return False
    if identifiers.is_slug(value, longest):
        return True
    reason = identifiers.what_is_wrong(value, longest)
    walk.add(code, path, f"{quoted(value)} is no {what} id: {reason}. Write a-z, 0-9 and hyphens.")
    return False
