"""What each code of a refused line means, for the API's document and for docs/facts-api.md.

Two reasons are left out because they cannot occur: no body has room for a line that is too long, and a source acts as
nobody.
"""

from typing import Final

from compliance.facts.refusal_reasons import RefusalReason

MEANINGS: Final[dict[RefusalReason, str]] = {
    RefusalReason.INVALID_UTF8: "The line is not UTF-8.",
    RefusalReason.INVALID_JSON: "The line is not JSON (RFC 8259), or is cut off.",
    RefusalReason.REPEATED_KEY: "A key occurs twice in one object of the line.",
    RefusalReason.UNKNOWN_KIND: "`fact` names no kind of fact.",
    RefusalReason.INVALID_FACT: "A field is missing, unknown or not of its form; `reason` names each.",
    RefusalReason.KIND_NOT_ALLOWED: "The source may not bring this kind of fact.",
    RefusalReason.FUTURE: "`at` lies further ahead than this kind of fact allows: is the sender's clock right?",
    RefusalReason.REUSED: "The company, or the same body, knows the `fact_id` with other content.",
    RefusalReason.UNRESOLVED: "The line names something that is neither recorded nor in the same body. Send it again"
    " once that is recorded.",
    RefusalReason.EXISTS: "The line makes something under an identifier that is in use.",
    RefusalReason.RULE: "At the moment of the fact the rules do not allow it.",
    RefusalReason.ERASED: "The person was erased, and nothing more is recorded about them.",
    RefusalReason.CONTENT: "A document in the line breaks its format.",
}
