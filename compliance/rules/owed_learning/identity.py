"""The identifiers that the decider derives: UUIDv5 under the organization's id, so that all deciders agree on them."""

from hashlib import sha1
from uuid import UUID

_FREE_BITS = ~((0xF << 76) | (0x3 << 62))
_VERSION_5 = (0x5 << 76) | (0x2 << 62)


def _uuid5(organization_id: UUID, name: str) -> UUID:
    # uuid.uuid5 gives the same in twice the time; RFC 9562 fixes SHA-1, the version (5) and the variant.
    digest = sha1(organization_id.bytes + name.encode(), usedforsecurity=False).digest()
    return UUID(int=int.from_bytes(digest[:16], "big") & _FREE_BITS | _VERSION_5)


def record_id(organization_id: UUID, learner_profile_id: UUID, course_id: UUID, release_id: UUID) -> UUID:
    """The record of a person, a course and a published release (or a lesson's release, for a lesson share)."""
    return record_id_of(organization_id, learner_profile_id, what_is_learned(course_id, release_id))


def what_is_learned(course_id: UUID, release_id: UUID) -> str:
    """A course and its release as text for `record_id_of`: the same for every person, so it is formatted only once."""
    return f"{course_id}/{release_id}"


def record_id_of(organization_id: UUID, learner_profile_id: UUID, learned: str) -> UUID:
    """The record of a person and `what_is_learned`."""
    return _uuid5(organization_id, f"{learner_profile_id}/{learned}")


def renewal_record_id(organization_id: UUID, root_certificate_id: UUID) -> UUID:
    """The renewal cycle of a certificate; `root_certificate_id` is the first of its chain of corrections."""
    return _uuid5(organization_id, f"renewal/{root_certificate_id}")


def certificate_id(organization_id: UUID, completion_receipt_id: UUID) -> UUID:
    """The certificate that a completion earns. A correction's id is not derived: its own fact gives it."""
    return _uuid5(organization_id, f"certificate/{completion_receipt_id}")


def attendance_receipt_id(
    organization_id: UUID, live_session_id: UUID, learner_profile_id: UUID, occasion: int = 1
) -> UUID:
    """The identifier used in place of a completion receipt for full attendance of a live session.

    `occasion` counts how often the mark rose to `full`: a mark that was lowered and raised again is a new completion.
    """
    suffix = "" if occasion == 1 else f"/{occasion}"
    return _uuid5(organization_id, f"attendance/{live_session_id}/{learner_profile_id}{suffix}")
