"""Lines about policy versions and receipts. Shares of policies are in `shares`."""

from datetime import timedelta
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from compliance.facts.lines.fields import Day, Doors, FactLine, FileObject, Identifier, Name, Text, VersionNumber
from compliance.rules.vocabulary import ChangeKind, Door, PolicyAct

MAXIMUM_HTML_BYTES = 2 * 1024 * 1024

Number = (
    Annotated[int, Field(ge=-1_000_000_000, le=1_000_000_000)]
    | Annotated[float, Field(ge=-1e9, le=1e9, allow_inf_nan=False)]
)
Stroke = Annotated[tuple[Number, ...], Field(min_length=2, max_length=20_000)]


class PolicyPublished(FactLine):
    """A version of a policy was published; the first one of a `course_id` makes the policy."""

    recorders = "policies.recorders"
    fact: Literal["policy_published"] = "policy_published"
    course_id: Identifier
    course_release_id: Identifier
    version: VersionNumber
    act: PolicyAct
    doors: Doors
    statement: Annotated[Text, Field(max_length=20_000)]
    effective_on: Day | None = None
    renew_months: Annotated[int, Field(ge=0, le=1200)]
    change_kind: ChangeKind
    html: Text

    @model_validator(mode="after")
    def _html_fits(self) -> Self:
        if len(self.html.encode()) > MAXIMUM_HTML_BYTES:
            raise PydanticCustomError("html", "html is longer than 2 MiB")
        return self


class Signature(FileObject):
    """Exactly one of: the words typed, or the strokes drawn as lists of numbers."""

    typed: Name | None = None
    drawn: Annotated[tuple[Stroke, ...], Field(min_length=1, max_length=2_000)] | None = None

    @model_validator(mode="after")
    def _says_one(self) -> Self:
        if (self.typed is None) == (self.drawn is None):
            raise PydanticCustomError("signature", "must have exactly one of typed, drawn")
        return self


class PolicySigned(FactLine):
    """A person signed or acknowledged a policy version. `at` may not lie in the future at all."""

    recorders = "policies.recorders"
    furthest_future = timedelta(0)
    too_early = "a policy cannot be signed in the future."
    fact: Literal["policy_signed"] = "policy_signed"
    receipt_id: Identifier
    share_id: Identifier
    learner_profile_id: Identifier
    door: Door
    course_release_id: Identifier
    signature: Signature | None = None
    sign_in_methods: Name | None = None
