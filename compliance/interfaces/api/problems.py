"""Every problem that the API can answer with, in one place: code, status, title and meaning (RFC 9457).

Views and checks raise `Problem`; `handling` turns it into the answer. For the API, nothing else maps errors to HTTP.
"""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import NamedTuple

from compliance.errors import ComplianceError

MOST_FAULTS = 20
"""How many faults of a query's parameters are named."""


class Meaning(NamedTuple):
    """The meaning of a code. `what` and `remedy` make its page under /problems; `of_v1`: it is a code of /v1 too."""

    status: int
    title: str
    what: str
    remedy: str
    of_v1: bool = True


class Code(Enum):
    """The stable codes of the contract; clients act on these and never on `detail`."""

    INVALID_REQUEST = Meaning(
        400,
        "The request is not valid",
        "A parameter is unknown, repeated or not written as the contract says, or the request itself is malformed.",
        "Read `detail` and `errors`: they name each parameter and say what to send. Repeating the call does not help.",
    )
    INVALID_CURSOR = Meaning(
        400,
        "The cursor is not valid",
        "The cursor was not given out for this endpoint and company, was changed, is sent with another filter than the"
        " one it keeps, or keeps a snapshot that the company's history does not have because it was restored.",
        "Send `next_cursor` unchanged to the endpoint that gave it, or start again without a cursor.",
    )
    KEY_IN_URL = Meaning(
        400,
        "An API key was sent in the URL",
        "What looks like an API key stood in the address of the request. Addresses end up in logs and histories, so"
        " the key, if it is one, has been revoked.",
        "Issue a new key and send it in the header `Authorization: Bearer <API_KEY>` only.",
    )
    INVALID_TOKEN = Meaning(
        401,
        "The API key is missing or not valid",
        "There is no `Authorization: Bearer` header, or its key is unknown, expired or revoked.",
        "Send a key that is in force. Keys are issued by the service's operator.",
    )
    INSUFFICIENT_SCOPE = Meaning(
        403,
        "The API key lacks the scope",
        "The key is valid, but it does not hold the scope that the endpoint requires.",
        "Use a key with the scope that the `WWW-Authenticate` header names.",
    )
    IP_NOT_ALLOWED = Meaning(
        403,
        "The caller's address is not allowed",
        "The key may be used from certain networks only, and the call came from outside of them.",
        "Call from one of the key's networks, or have them changed.",
    )
    NOT_FOUND = Meaning(
        404,
        "There is nothing at this address",
        "No endpoint has this path. Paths carry no trailing slash.",
        "See /docs for the endpoints.",
    )
    METHOD_NOT_ALLOWED = Meaning(
        405,
        "The method is not allowed",
        "The address does not answer this method.",
        "Send one of the methods that the header `Allow` names: GET or HEAD where the API reads.",
    )
    BODY_TIMED_OUT = Meaning(
        408,
        "The body took too long",
        "The body was not whole within the time that is allowed. Nothing of it was recorded.",
        "Send it again, in smaller parts or compressed.",
        of_v1=False,
    )
    BODY_TOO_LARGE = Meaning(
        413,
        "The body is too large",
        "The body is larger than 8 MiB, as it was sent or decoded, or has more than 60,000 lines. Nothing of it was"
        " recorded.",
        "Cut it into parts, at any line.",
        of_v1=False,
    )
    BODY_NOT_READABLE = Meaning(
        400,
        "The body cannot be read",
        "The body is empty, cut short or damaged, or is not encoded as it says. Nothing of it was recorded.",
        "Read `detail`, mend the body and send it again.",
        of_v1=False,
    )
    UNSUPPORTED_MEDIA_TYPE = Meaning(
        415,
        "The body is of another type",
        "`Content-Type` names a type that holds no facts.",
        "Send facts as NDJSON, `application/x-ndjson`, or as a JSON array, `application/json`, in UTF-8.",
        of_v1=False,
    )
    UNSUPPORTED_ENCODING = Meaning(
        415,
        "The body is encoded in another way",
        "`Content-Encoding` names an encoding that the service does not know, or too many.",
        "Send the body as it is, or encoded with gzip or zstd.",
        of_v1=False,
    )
    LINES_REFUSED = Meaning(
        422,
        "Lines were refused, so nothing was recorded",
        "The call asked for all or nothing (`strict=true`), and `refused` names the lines that cannot be recorded.",
        "Mend or leave out the lines that `refused` names, or send the body without `strict`.",
        of_v1=False,
    )
    BEFORE_HISTORY = Meaning(
        422,
        "The moment lies before the company's history",
        "`as_at` or `from` lies before `history_complete_from`, from which on the answers are complete.",
        "Ask for `history_complete_from` (see /v1/snapshot) or a later moment.",
    )
    RECORD_TOO_LARGE = Meaning(
        422,
        "One row alone is larger than a page",
        "A single row does not fit into a page of 3 MiB.",
        "Tell the operator, with the request id.",
    )
    RATE_LIMITED = Meaning(
        429,
        "Too many calls in this minute",
        "The calls of the key, of the company or, without a valid key, of the address are used up for this minute.",
        "Wait the seconds that `Retry-After` says. `RateLimit` tells on every answer how many calls remain.",
    )
    CONCURRENT_LIMIT = Meaning(
        429,
        "Too many calls at the same time",
        "As many calls of this key, or of all keys of its company, as are allowed at the same time are being answered.",
        "Wait for the others to finish, or the seconds that `Retry-After` says.",
    )
    RECORDING_BUSY = Meaning(
        429,
        "Others are being recorded",
        "As much is being recorded at this moment as the service takes at once, or other facts of the company have been"
        " for some seconds. Nothing of the body was recorded.",
        "Wait the seconds that `Retry-After` says, and send the same body again.",
        of_v1=False,
    )
    RECORDING_FAILED = Meaning(
        500,
        "The facts could not be recorded",
        "Something went wrong on our side. Nothing of the body was recorded.",
        "Repeat the call once. If it goes on, tell the operator, with the request id.",
        of_v1=False,
    )
    READ_FAILED = Meaning(
        502,
        "The read failed",
        "The database failed in the middle of the read.",
        "Repeat the call. A cursor stays valid. If it goes on, tell the operator, with the request id.",
    )
    UNAVAILABLE = Meaning(
        503,
        "The company's history is not available",
        "The history is closed for maintenance, or a verification of it failed.",
        "Watch `snapshot.available` at /v1/snapshot and come back when it is true.",
    )
    UPSTREAM_UNAVAILABLE = Meaning(
        503,
        "The database cannot be reached",
        "The service runs, but its database does not answer, or ended the connection amid the call.",
        "Wait the seconds that `Retry-After` says, and repeat the call. A cursor stays valid.",
    )
    WRITER_UNAVAILABLE = Meaning(
        503,
        "The history is behind",
        "Facts have been waiting longer than allowed to be written to the history, so an answer would be out of date.",
        "Repeat the call after a while.",
    )
    NOT_SIGNED_YET = Meaning(
        503,
        "The row is not signed yet",
        "The row is recorded, and the log of the service does not cover its capture yet. There is no proof of an older"
        " version in its place.",
        "Wait the seconds that `Retry-After` says, and repeat the call.",
        of_v1=False,
    )
    NOT_RECORDED = Meaning(
        503,
        "The facts were not recorded",
        "The database failed or took too long. Nothing of the body was recorded.",
        "Send the same body again after a while: what is recorded already is known by its `fact_id`.",
        of_v1=False,
    )
    READ_TIMEOUT = Meaning(
        504,
        "The read took too long",
        "The database did not finish the read in the time that is allowed.",
        "Repeat the call, with a smaller `limit` or a narrower filter.",
    )

    @property
    def code(self) -> str:
        """The code as the contract writes it."""
        return self.name.lower()

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.value.status


class ParameterFault(NamedTuple):
    """What is wrong with one parameter."""

    parameter: str
    detail: str


class Problem(ComplianceError):
    """An answer other than the one asked for. `detail` never holds personal data or a key.

    `members` are those that the document has besides the ones of every problem (RFC 9457, 3.2).
    """

    def __init__(
        self,
        code: Code,
        detail: str | None = None,
        *,
        errors: Sequence[ParameterFault] = (),
        headers: Mapping[str, str] | None = None,
        members: Mapping[str, object] | None = None,
    ) -> None:
        self.code = code
        self.detail = detail or code.value.what
        self.errors = tuple(errors)
        self.headers = dict(headers or {})
        self.members = dict(members or {})
        super().__init__(self.detail)


def invalid(*faults: ParameterFault) -> Problem:
    """`invalid_request` for parameters that are not as the contract says: a long query has thousands of faults."""
    named = faults[:MOST_FAULTS]
    sentences = [fault.detail for fault in named]
    if len(faults) > len(named):
        sentences.append(f"There are {len(faults) - len(named)} more faults.")
    return Problem(Code.INVALID_REQUEST, " ".join(sentences), errors=named)
