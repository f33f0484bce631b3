"""The machine-readable description of /proof/v1, served at /proof/v1/openapi.json. The contract of /v1 is apart.

The members of a proof are described by classes here and checked by `proofs.row_proof`; a test holds one to the other.
"""

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from compliance.catalogue import REGISTERS
from compliance.catalogue.declaration import Register
from compliance.catalogue.fields import Digest, HashedInstant, Shape
from compliance.interfaces.api import described, views
from compliance.interfaces.api.described import Problems
from compliance.interfaces.api.problems import Code
from compliance.interfaces.api.schema import AS_AT
from compliance.proofs.row_proof import PROOF_FORMAT
from compliance.rules.vocabulary import Cause

REVISION = "1.0.0"
PROBLEMS = Problems(
    {
        400: "The request or a parameter is not valid, or the URL held an API key.",
        401: "The API key is missing or not valid.",
        403: "The key lacks the scope, or the caller's network is not allowed.",
        404: "The register lists no such row at that moment, or there is nothing at this address.",
        405: "Only GET and HEAD are allowed.",
        422: "The moment lies before the history.",
        429: "Too many calls in this minute, or at the same time.",
        502: "The read failed.",
        503: "The row is not signed yet, or the history, its writer or the database is not available.",
        504: "The read took too long.",
    },
    (
        *(code for code in Code if code.value.of_v1 and code not in (Code.INVALID_CURSOR, Code.RECORD_TOO_LARGE)),
        Code.NOT_SIGNED_YET,
    ),
)
_Hash = Annotated[str, Field(pattern="^[A-Za-z0-9+/]{43}=$", description="Base64 of 32 bytes.")]
_Path = Annotated[list[_Hash], Field(max_length=64)]
_Decimal = Annotated[str, Field(pattern="^(0|[1-9][0-9]{0,18})$", examples=["42"])]
_DecimalOrEmpty = Annotated[str, Field(pattern="^(0|[1-9][0-9]{0,18})?$", examples=["42"])]


class ProvedRow(Shape):
    """The row version; these members, joined as `svc.row/1` says, have the digest that is the leaf of the tree."""

    organization_id: UUID
    """The company."""
    sequence: int = Field(ge=1)
    """The number of the version in the company's history."""
    register_: str = Field(alias="register", examples=["training-records"])
    """The register; rows of a period are training records."""
    record_id: UUID
    """The register's own id of the row."""
    valid_from: HashedInstant
    """From when the version holds."""
    recorded_at: HashedInstant
    """When it was captured."""
    cause: Cause
    """Why it was written."""
    logic_version: int
    """Version of the decider."""
    content: str = Field(min_length=1)
    """The text that was hashed, byte for byte: JSON, but for rows from before hidden members were kept in it."""


class TreePlace(Shape):
    """Where the row is in the company's tree (RFC 6962)."""

    size: int = Field(ge=1)
    """How many rows the tree has: `tree_size` of the capture."""
    index: int = Field(ge=0)
    """The row's `sequence` less one."""
    path: _Path
    """The hashes from the leaf's sibling to the root's child."""


class ProvedCapture(Shape):
    """The lines of `svc.capture/2` by name, in the order hashed; the constant comes before them."""

    organization_id: UUID
    """The company."""
    capture_sequence: _Decimal
    """The number of the capture."""
    captured_at: HashedInstant
    """When it was written."""
    first_sequence: _DecimalOrEmpty
    """Its first row; empty when it has none."""
    last_sequence: _DecimalOrEmpty
    """Its last row; empty when it has none."""
    tree_size: _Decimal
    """How many rows the company has after it."""
    tree_root: Digest
    """The root of the tree of these rows."""
    ledger_head: Digest
    """The digest of the last fact in the company's ledger."""
    previous_chain_hash: Digest
    """Chain hash of the capture before; 64 zeros for the first."""
    chain_hash: Digest
    """The digest of these lines: the entry in the deployment's log."""


class LogPlace(Shape):
    """Where the capture is in the deployment's log, and what the log's signer signed."""

    size: int = Field(ge=1)
    """How many entries the checkpoint covers."""
    index: int = Field(ge=0)
    """The place of the capture's entry."""
    path: _Path
    """The hashes from the entry's sibling to the root's child."""
    checkpoint: str = Field(examples=["records.example/log\n11\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— …\n"])
    """The signed note (C2SP tlog-checkpoint), with the cosignatures of witnesses."""


class ProvedIdentity(Shape):
    """What opens `identity_sha256` of the content (`svc.identity/1`)."""

    salt: str = Field(pattern="^[0-9a-f]{32}$", examples=["00" * 16])
    """Random; destroyed by erasure."""
    person_name: str | None = Field(examples=["Ada Osei"])
    """The name; null is an empty line."""
    work_email: str | None = Field(examples=["ada@example.com"])
    """The address; null is an empty line."""


class RowProof(Shape):
    """The proof of one row version, to be verified without the service: `python -m compliance.proofs FILE`."""

    format: str = Field(pattern=f"^{PROOF_FORMAT}$", examples=[PROOF_FORMAT])
    """The format."""
    row: ProvedRow
    """What is proved."""
    tree: TreePlace
    """Its place in the company's tree."""
    capture: ProvedCapture
    """The capture whose tree that is: the company's newest under the checkpoint."""
    log: LogPlace
    """The place of the capture in the log."""
    identity: ProvedIdentity | None = None
    """Whom the row is about: of people and certificates, with `people:read`, until erasure. Otherwise left out."""


def document(base_url: str) -> dict[str, Any]:
    """The whole document for a service at `base_url`."""
    schemas = PROBLEMS.schemas((RowProof,))
    schemas["RowProof"]["properties"]["identity"] = {
        "$ref": "#/components/schemas/ProvedIdentity",
        "description": schemas["RowProof"]["properties"]["identity"]["description"],
    }
    info = {
        "title": "Proofs of Compliance Records",
        "version": REVISION,
        "description": "The proof of one row version of a register: from the text that was hashed, by the company's"
        " tree and the deployment's log (RFC 6962), to a checkpoint that the signer and its witnesses signed.",
    }
    paths = {
        **{f"/proof/v1/{register.name}/{{id}}": _path(register) for register in REGISTERS.values()},
        "/proof/v1/openapi.json": PROBLEMS.contract("Accepts a key of any scope."),
    }
    return described.document(base_url, info, paths, schemas, PROBLEMS.components())


def _path(register: Register) -> dict[str, Any]:
    identifier = {"type": "string", "format": "uuid"}
    get = {
        "operationId": f"getProofOf{register.operation.removeprefix('list')}",
        "summary": f"The proof of a row: {register.title.lower()}",
        "description": f"The version in force at `as_at`. Needs the scope `{register.scope}`.",
        "x-scope": register.scope.value,
        "parameters": [
            {
                "name": "id",
                "in": "path",
                "required": True,
                "description": f"`{register.identity}`.",
                "schema": identifier,
            },
            {"name": "as_at", "in": "query", "description": AS_AT.description, "schema": AS_AT.type},
        ],
    }
    return PROBLEMS.operations(get, "The proof.", "RowProof")


class ContractViewSet(views.ContractViewSet):
    """`/proof/v1/openapi.json`, for any valid key."""

    document = staticmethod(document)
