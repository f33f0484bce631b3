"""Films: scenes, the emails they show, and the style they are drawn with.

A film has 2 to 30 scenes of 1 to 60 seconds, ten minutes at most. It holds no video: a player draws each scene from its
kind, its email or question, and its elements, with the caption below and the captions as transcript.
"""

from collections.abc import Mapping
from typing import Any, Final

from compliance.contentfile import identifiers, limits
from compliance.contentfile.faults import FaultCode, Path, quoted
from compliance.contentfile.plain_style import is_plain
from compliance.contentfile.question import check_question
from compliance.contentfile.style import check_style
from compliance.contentfile.walk import Key, Shape, Walk, integer, media_id, one_of, slug, text_id, text_ids

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
_TAKEN: Final = "The {0} id {{}} is taken; {0} ids are all different."


def check_film(walk: Walk, film: Mapping[str, Any], path: Path, prefix: str) -> None:
    """Check the members of a film block; its keys have been checked with the block."""
    walk.films.append(path)
    emails = _check_emails(walk, film["emails"], (*path, "emails"), prefix) if "emails" in film else {}
    if "scenes" in film:
        _check_scenes(walk, film["scenes"], (*path, "scenes"), prefix, emails)
    if "style" in film:
        _check_style(walk, film["style"], (*path, "style"))


def _check_emails(walk: Walk, value: Any, path: Path, prefix: str) -> dict[str, Path]:
    most = (limits.FILM_EMAILS, FaultCode.TOO_MANY_EMAILS, "a film shows")
    emails = walk.items(value, path, what="emails", least=0, most=most)
    seen: dict[str, Path] = {}
    for index, email in enumerate(emails):
        here = (*path, index)
        walk.check_object(email, here, _EMAIL, prefix, what="an email")
        walk.claim(email, here, seen, FaultCode.DUPLICATE_EMAIL_ID, _TAKEN.format("email"))
    return seen


def _check_scenes(walk: Walk, value: Any, path: Path, prefix: str, emails: Mapping[str, Path]) -> None:
    most = (limits.SCENES_MAX, FaultCode.TOO_MANY_SCENES, "a film has")
    scenes = walk.items(value, path, what="scenes", least=0, most=most)
    if isinstance(value, list) and len(scenes) < limits.SCENES_MIN:
        walk.add(
            FaultCode.TOO_FEW_SCENES, path, f"There are {len(scenes)} scenes; a film has at least {limits.SCENES_MIN}."
        )
    seen: dict[str, Path] = {}
    used_emails: set[str] = set()
    seconds = 0
    for index, scene in enumerate(scenes):
        here = (*path, index)
        if not walk.check_object(scene, here, _SCENE, prefix, what="a scene"):
            continue
        walk.claim(scene, here, seen, FaultCode.DUPLICATE_SCENE_ID, _TAKEN.format("scene"))
        if type(scene.get("seconds")) is int and 1 <= scene["seconds"] <= limits.SCENE_SECONDS:
            seconds += scene["seconds"]
        _check_scene_kind(walk, scene, here)
        name = scene.get("email")
        if isinstance(name, str) and identifiers.is_slug(name):
            used_emails.add(name)
            if name not in emails:
                walk.add(
                    FaultCode.UNKNOWN_EMAIL,
                    (*here, "email"),
                    f"No email of this film has the id {quoted(name)}; add it to emails or correct the id.",
                )
    if seconds > limits.FILM_SECONDS:
        walk.add(
            FaultCode.FILM_TOO_LONG,
            path,
            f"The scenes take {seconds} seconds; a film takes at most {limits.FILM_SECONDS}.",
        )
    for name, here in emails.items():
        if name not in used_emails:
            walk.add(FaultCode.UNUSED_EMAIL, here, f"No scene shows the email {quoted(name)}; show it or remove it.")


def _check_scene_kind(walk: Walk, scene: Mapping[str, Any], path: Path) -> None:
    kind = scene.get("kind")
    if not isinstance(kind, str) or kind not in SCENE_KINDS:
        return
    needed = kind if kind in ("email", "question") else ""
    walk.kind_keys(scene, path, (needed,), ("email", "question"))
    if needed and needed not in scene:
        walk.add(FaultCode.MISSING_KEY, path, f"The key {quoted(needed)} is missing in a scene of that kind; add it.")


def _elements(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    most = (limits.ELEMENTS, FaultCode.TOO_MANY_ELEMENTS, "a scene draws")
    elements = walk.items(value, path, what="elements", most=most)
    seen: dict[str, Path] = {}
    for index, element in enumerate(elements):
        here = (*path, index)
        if not walk.check_object(element, here, _ELEMENT, prefix, what="an element"):
            continue
        walk.claim(element, here, seen, FaultCode.DUPLICATE_ELEMENT_ID, _TAKEN.format("element"))
        kind = element.get("kind")
        if not isinstance(kind, str) or kind not in ELEMENT_KEYS:
            continue
        needed = ELEMENT_KEYS[kind]
        walk.kind_keys(element, here, (needed,), ("text", "media"))
        if needed and needed not in element:
            walk.add(
                FaultCode.MISSING_KEY, here, f"The key {quoted(needed)} is missing in an element of that kind; add it."
            )


def _class(walk: Walk, value: Any, path: Path, prefix: str) -> None:
    if walk.string(value, path) and not identifiers.is_class(value):
        walk.add(
            FaultCode.INVALID_CLASS,
            path,
            f"{quoted(value)} is no class name; write one name of a-z, 0-9 and hyphens that starts with a letter.",
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
        # Parsing takes seconds per megabyte, so only styles that are not plain are parsed: once each, up to a total.
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
    "id": Key(slug(FaultCode.INVALID_ID, "email")),
    "from": Key(text_id),
    "address": Key(text_id),
    "subject": Key(text_id),
    "body": Key(text_ids),
    "links": Key(_links, required=False),
}

_ELEMENT: Final[Shape] = {
    "id": Key(slug(FaultCode.INVALID_ID, "element")),
    "kind": Key(one_of(*ELEMENT_KEYS)),
    "text": Key(text_id, required=False),
    "media": Key(media_id("image"), required=False),
    "class": Key(_class, required=False),
}

_SCENE: Final[Shape] = {
    "id": Key(slug(FaultCode.INVALID_ID, "scene")),
    "kind": Key(one_of(*SCENE_KINDS)),
    "seconds": Key(integer(1, limits.SCENE_SECONDS, "seconds")),
    "caption": Key(text_id),
    "audio": Key(media_id("audio"), required=False),
    "email": Key(slug(FaultCode.INVALID_ID, "email"), required=False),
    "question": Key(check_question, required=False),
    "elements": Key(_elements, required=False),
}
