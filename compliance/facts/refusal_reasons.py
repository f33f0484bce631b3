"""Why a line is not recorded, as one code for each reason: from unreadable bytes to a rule that forbids the fact."""

from enum import StrEnum


class RefusalReason(StrEnum):
    """The classes of refusal. Programs act on these (docs/facts-api.md); the sentence beside each is for people."""

    INVALID_UTF8 = "invalid_utf8"
    INVALID_JSON = "invalid_json"
    REPEATED_KEY = "repeated_key"
    LINE_TOO_LONG = "line_too_long"
    UNKNOWN_KIND = "unknown_kind"
    INVALID_FACT = "invalid_fact"
    KIND_NOT_ALLOWED = "kind_not_allowed"
    ACTOR_NOT_ALLOWED = "actor_not_allowed"
    FUTURE = "at_in_future"
    REUSED = "fact_id_reused"
    UNRESOLVED = "unresolved_reference"
    EXISTS = "already_exists"
    RULE = "refused_by_rule"
    ERASED = "erased_person"
    CONTENT = "invalid_content"
