"""Films: scenes, the emails they show, and the style they are drawn with (contract "film"; design 8).

A film is 2 to 30 scenes of 1 to 60 seconds, ten minutes at most. It has no picture of its own: a player draws each
scene from its kind, its email or question, and its elements, with the caption below and the captions as transcript.
"""

from collections.abc import Mapping
from typing import Any, Final

from compliance.contentfile import identifiers, limits
from compliance.contentfile.faults import FaultCode, Path, shown
from compliance.contentfile.plain_style import is_plain
from compliance.contentfile.question import check_question
from compliance.contentfile.style import check_style
from compliance.contentfile.walk import Checker, Key, Shape, Walk, integer, is_valid_slug, one_of, text_id, text_ids

SCENE_KINDS: Final = ("title", "narration", "email", "chat", "screen", "question", "end")
ELEMENT_KEYS: Final[Mapping[str, str]] = {
    "text": "text",
    "message": "text",
    "field": "text",
    "button": "text",
    "image": "media",
    "box": "",
}
"""Element kinds and the one key that each needs; a box is drawn by the style alone."""


def check_film(walk: Walk, film: Mapping[str, Any], path: Path, prefix: str) -> None:
    """Check the members of a film block; its keys have been checked with the block."""
    walk.films.append(path)
    emails = _check_emails(walk, film["emails"], (*path, "emails"), prefix) if "emails" in film else {}
    if "scenes" in film:
        _check_scenes(walk, film["scenes"], (*path, "scenes"), prefix, emails)
    if "style" in film:
        _check_style(walk, film["style"], (*path, "style"))


def _check_emails(walk: Walk, value: Any, path: Path, prefix: str) -> dict[str, Path]:
    emails = walk.items(value, path, what="emails", least=0)
    if len(emails) > limits.FILM_EMAILS:
        walk.add(
            FaultCode.TOO_MANY_EMAILS,
            path,
            f"There are {len(emails)} emails; a film shows at most {limits.FILM_EMAILS}.",
        )
    seen: dict[str, Path] = {}
    for index, email in enumerate(emails):
        here = (*path, index)
        walk.check_object(email, here, _EMAIL, prefix, what="an email")
        _claim(walk, email, here, seen, FaultCode.DUPLICATE_EMAIL_ID, "email")
    return seen


def _claim(walk: Walk, value: Any, path: Path, seen: dict[str, Path], code: FaultCode, what: str) -> None:
    name = value.get("id") if isinstance(value, dict) else None
    if not isinstance(name, str):
        return
    if name in seen:
        walk.add(code, (*path, "id"), f"The {what} id {shown(name)} is taken; {what} ids are all different.")
    else:
        seen[name] = path


def _check_scenes(walk: Walk, value: Any, path: Path, prefix: str, emails: Mapping[str, Path]) -> None:
    scenes = walk.items(value, path, what="scenes", least=0)
    if isinstance(value, list) and len(scenes) < limits.SCENES_MIN:
        walk.add(
            FaultCode.TOO_FEW_SCENES, path, f"There are {len(scenes)} scenes; a film has at least {limits.SCENES_MIN}."
        )
    if len(scenes) > limits.SCENES_MAX:
        walk.add(
            FaultCode.TOO_MANY_SCENES, path, f"There are {len(scenes)} scenes; a film has at most {limits.SCENES_MAX}."
        )
    seen: dict[str, Path] = {}
    shown_emails: set[str] = set()
    seconds = 0
    for index, scene in enumerate(scenes):
        here = (*path, index)
        if not walk.check_object(scene, here, _SCENE, prefix, what="a scene"):
            continue
        _claim(walk, scene, here, seen, FaultCode.DUPLICATE_SCENE_ID, "scene")
        if type(scene.get("seconds")) is int and 1 <= scene["seconds"] <= limits.SCENE_SECONDS:
            seconds += scene["seconds"]
        _check_scene_kind(walk, scene, here)
        name = scene.get("email")
        if isinstance(name, str) and identifiers.is_slug(name):
            shown_emails.add(name)
            if name not in emails:
                walk.add(
                    FaultCode.UNKNOWN_EMAIL,
                    (*here, "email"),
                    f"No email of this film has the id {shown(name)}; add it to emails or correct the id.",
                )
    if seconds > limits.FILM_SECONDS:
        walk.add(
            FaultCode.FILM_TOO_LONG,
            path,
            f"The scenes take {seconds} seconds; a film takes at most {limits.FILM_SECONDS}.",
        )
    for name, here in emails.items():
        if name not in shown_emails:
            walk.add(FaultCode.UNUSED_EMAIL, here, f"No scene shows the email {shown(name)}; show it or remove it.")


def _check_scene_kind(walk: Walk, scene: Mapping[str, Any], path: Path) -> None:
    kind = scene.get("kind")
    if not isinstance(kind, str) or kind not in SCENE_KINDS:
        return
    needed = kind if kind in ("email", "question") else ""
    walk.kind_keys(scene, path, (needed,), ("email", "question"))
    if needed and needed not in scene:
        walk.add(FaultCode.MISSING_KEY, path, f"The key {shown(needed)} is missing in a scene of that kind; add it.")


def _elements(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    elements = walk.items(value, path, what="elements")
    if len(elements) > limits.ELEMENTS:
        walk.add(
            FaultCode.TOO_MANY_ELEMENTS,
            path,
            f"There are {len(elements)} elements; a scene draws at most {limits.ELEMENTS}.",
        )
    seen: dict[str, Path] = {}
    for index, element in enumerate(elements):
        here = (*path, index)
        if not walk.check_object(element, here, _ELEMENT, prefix, what="an element"):
            continue
        _claim(walk, element, here, seen, FaultCode.DUPLICATE_ELEMENT_ID, "element")
        kind = element.get("kind")
        if not isinstance(kind, str) or kind not in ELEMENT_KEYS:
            continue
        needed = ELEMENT_KEYS[kind]
        walk.kind_keys(element, here, (needed,), ("text", "media"))
        if needed and needed not in element:
            walk.add(
                FaultCode.MISSING_KEY, here, f"The key {shown(needed)} is missing in an element of that kind; add it."
            )


def _media(kind: str) -> Checker:
    def check(walk: Walk, value: Any, path: Path, prefix: str) -> None:
        if is_valid_slug(walk, value, path, FaultCode.INVALID_MEDIA_ID, "media"):
            walk.media.append((value, kind, path))

    return check


def _own_id(what: str) -> Key:
    def check(walk: Walk, value: Any, path: Path, prefix: str) -> None:
        is_valid_slug(walk, value, path, FaultCode.INVALID_ID, what)

    return Key(check)


def _class(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    if walk.string(value, path) and not identifiers.is_class(value):
        walk.add(
            FaultCode.INVALID_CLASS,
            path,
            f"{shown(value)} is no class name; write one name of a-z, 0-9 and hyphens that starts with a letter.",
        )


def _links(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    for index, link in enumerate(walk.items(value, path, what="links")):
        walk.check_object(link, (*path, index), _LINK, prefix, what="a link")


def _check_style(walk: Walk, value: Any, path: Path) -> None:
    if not walk.string(value, path):
        return
    if is_plain(value):
        return
    faults = walk.styles.get(value)
    if faults is None:
        # Parsing takes seconds a megabyte, so what is not plain is parsed once, and in all only so far.
        size = len(value.encode("utf-8", "surrogatepass"))
        if size <= limits.STYLE_BYTES and walk.style_bytes + size > limits.UNUSUAL_STYLE_BYTES_IN_ALL:
            walk.add(
                FaultCode.STYLE_TOO_LARGE,
                path,
                f"The styles of this course in unusual CSS pass {limits.UNUSUAL_STYLE_BYTES_IN_ALL:,} bytes here; "
                "write this one in plain rules.",
            )
            return
        faults = check_style(value)
        if size <= limits.STYLE_BYTES:
            walk.style_bytes += size
            walk.styles[value] = faults
    for fault in faults:
        walk.add(fault.code, path, fault.message)


_LINK: Final[Shape] = {"text": Key(text_id), "address": Key(text_id)}

_EMAIL: Final[Shape] = {
    "id": _own_id("email"),
    "from": Key(text_id),
    "address": Key(text_id),
    "subject": Key(text_id),
    "body": Key(text_ids),
    "links": Key(_links, required=False),
}

_ELEMENT: Final[Shape] = {
    "id": _own_id("element"),
    "kind": Key(one_of(*ELEMENT_KEYS)),
    "text": Key(text_id, required=False),
    "media": Key(_media("image"), required=False),
    "class": Key(_class, required=False),
}

_SCENE: Final[Shape] = {
    "id": _own_id("scene"),
    "kind": Key(one_of(*SCENE_KINDS)),
    "seconds": Key(integer(1, limits.SCENE_SECONDS, "seconds")),
    "caption": Key(text_id),
    "audio": Key(_media("audio"), required=False),
    "email": Key(_own_id("email").check, required=False),
    "question": Key(check_question, required=False),
    "elements": Key(_elements, required=False),
}
