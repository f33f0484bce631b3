"""What a content file takes from the manifest of its package: roles, media, and the sdk that films need."""

from collections.abc import Iterator, Mapping
from typing import Any

from compliance.contentfile.faults import FaultCode, Path, Report, quoted
from compliance.contentfile.identifiers import is_slug
from compliance.contentfile.manifest import FILM_SDK, MEDIA_TYPES, ManifestWalk
from compliance.contentfile.walk import Walk


def resolve(walk: ManifestWalk, content_walk: Walk, manifest: Mapping[str, Any], report: Report) -> None:
    """Report what the content file names and the manifest does not define, and media that nothing uses.

    `report` is that of the content file.
    """
    for roles, path in content_walk.roles:
        for index, role in enumerate(roles):
            if isinstance(role, str) and is_slug(role) and role not in walk.role_ids:
                message = f"The manifest has no role {quoted(role)}; add it there or correct it."
                report.add(FaultCode.UNKNOWN_ROLE, (*path, index), message)
    media = numbered_objects(("media",), manifest.get("media"))
    kinds = {item["id"]: item.get("kind") for _, item in media if isinstance(item.get("id"), str)}
    used: set[str] = set()
    for media_id, kind, path in content_walk.media:
        used.add(media_id)
        if media_id not in kinds:
            report.add(
                FaultCode.UNKNOWN_MEDIA,
                path,
                f"The manifest has no media {quoted(media_id)}; add it there or correct the id.",
            )
        elif isinstance(kinds[media_id], str) and kinds[media_id] in MEDIA_TYPES and kinds[media_id] != kind:
            report.add(
                FaultCode.MEDIA_KIND,
                path,
                f"{quoted(media_id)} is {quoted(kinds[media_id])} in the manifest, and is used here as {kind}.",
            )
    if report.errors == 0:
        for media_id, path in walk.media_ids.items():
            if media_id not in used:
                walk.report.add(FaultCode.UNUSED_MEDIA, path, f"No page uses the media {quoted(media_id)}; remove it.")
    if content_walk.films and manifest.get("sdk") == "2.0":
        walk.report.add(
            FaultCode.FILM_NEEDS_SDK, ("sdk",), f"A package with a film declares sdk {FILM_SDK}; change it."
        )


def numbered_objects(path: Path, value: object) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The objects of an array, each with its path; none of anything else."""
    if not isinstance(value, list):
        return
    for index, item in enumerate(value):
        if isinstance(item, dict):
            yield (*path, index), item
