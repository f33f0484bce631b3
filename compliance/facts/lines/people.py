"""Lines about teams, invitations, employees, contacts and erasure."""

from datetime import timedelta
from typing import Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from compliance.facts.lines.fields import Day, Email, FactLine, Identifier, Identifiers, Instant, Name, RoleIds
from compliance.rules.vocabulary import AbsenceReasonCode, Door

ContactDoor = Literal[Door.PARTNER, Door.CUSTOMER]

LONGEST_ABSENCE = timedelta(days=1096)
"""Three years, the longest leave in European law: a longer one is more likely a wrong year.

Adjoining absences count as one, so a longer absence is several facts."""


class _OfTeam(FactLine):
    recorders = "people.teams"


class _OfPerson(FactLine):
    recorders = "people.recorders"


class _Validated(_OfPerson):
    validator = "people.validating.validate_people"


class TeamCreated(_OfTeam):
    """A team came into being."""

    fact: Literal["team_created"] = "team_created"
    team_id: Identifier
    name: Name


class TeamRenamed(_OfTeam):
    """A team got another name."""

    fact: Literal["team_renamed"] = "team_renamed"
    team_id: Identifier
    name: Name


class PersonInvited(_OfPerson):
    """Someone was invited to become an employee."""

    fact: Literal["person_invited"] = "person_invited"
    invitation_id: Identifier
    work_email: Email
    person_name: Name | None = None
    expires_at: Instant | None = None
    team_ids: Identifiers | None = None


class InvitationRevoked(_Validated):
    """An invitation was taken back."""

    fact: Literal["invitation_revoked"] = "invitation_revoked"
    invitation_id: Identifier


class EmployeeJoined(_Validated):
    """A person became an employee; `person_id` names this stay, `learner_profile_id` the person."""

    fact: Literal["employee_joined"] = "employee_joined"
    person_id: Identifier
    learner_profile_id: Identifier
    person_name: Name | None = None
    account_email: Email | None = None
    invitation_id: Identifier | None = None
    team_ids: Identifiers | None = None
    role_ids: RoleIds | None = None
    staff_practice: bool = False


class EmployeeSuspended(_Validated):
    """An employee may not come in for the time being."""

    fact: Literal["employee_suspended"] = "employee_suspended"
    person_id: Identifier


class EmployeeResumed(_Validated):
    """A suspended employee may come in again."""

    fact: Literal["employee_resumed"] = "employee_resumed"
    person_id: Identifier


class EmployeeLeft(_Validated):
    """A stay ended."""

    fact: Literal["employee_left"] = "employee_left"
    person_id: Identifier


class ContactJoined(_Validated):
    """A partner's or customer's person came; `company` is where they come from."""

    fact: Literal["contact_joined"] = "contact_joined"
    learner_profile_id: Identifier
    door: ContactDoor
    company: Name
    person_name: Name | None = None
    account_email: Email | None = None


class ContactLeft(_Validated):
    """A partner's or customer's person went."""

    fact: Literal["contact_left"] = "contact_left"
    learner_profile_id: Identifier
    door: ContactDoor


class PersonChanged(_OfPerson):
    """A person's name, addresses or roles changed; what is absent stays, and an empty list removes all roles."""

    fact: Literal["person_changed"] = "person_changed"
    learner_profile_id: Identifier
    person_name: Name | None = None
    account_email: Email | None = None
    work_email: Email | None = None
    role_ids: RoleIds | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.details and self.role_ids is None:
            raise PydanticCustomError(
                "empty", "changes nothing: give person_name, account_email, work_email or role_ids"
            )
        return self

    @property
    def details(self) -> bool:
        """Whether it states a name or an address, which rows of the registers contain; they do not contain roles."""
        return any(each is not None for each in (self.person_name, self.account_email, self.work_email))


class TeamJoined(_Validated):
    """A person came into a team."""

    recorders = "people.teams"
    fact: Literal["team_joined"] = "team_joined"
    team_id: Identifier
    learner_profile_id: Identifier


class TeamLeft(_Validated):
    """A person went out of a team."""

    recorders = "people.teams"
    fact: Literal["team_left"] = "team_left"
    team_id: Identifier
    learner_profile_id: Identifier


class PersonErased(FactLine):
    """The company instructed us to erase a person."""

    recorders = "people.erasing"
    fact: Literal["person_erased"] = "person_erased"
    learner_profile_id: Identifier


class _OfAbsence(FactLine):
    recorders = "people.absences"


class AbsenceRecorded(_OfAbsence):
    """A person is away from one day to another, both included: deadlines in between move beyond."""

    fact: Literal["absence_recorded"] = "absence_recorded"
    absence_id: Identifier
    learner_profile_id: Identifier
    first_day: Day = Field(alias="from")
    last_day: Day = Field(alias="to")
    absence_reason: AbsenceReasonCode = Field(alias="reason_code")

    @model_validator(mode="after")
    def _is_a_stretch(self) -> Self:
        if self.last_day < self.first_day:
            raise PydanticCustomError("to", "to must not come before from")
        if self.last_day - self.first_day >= LONGEST_ABSENCE:
            raise PydanticCustomError(
                "to", "from and to span more than 1096 days; a longer absence is several that adjoin"
            )
        return self


class AbsenceVoided(_OfAbsence):
    """An absence was declared void: it moves no deadline any more that is not settled."""

    fact: Literal["absence_voided"] = "absence_voided"
    absence_id: Identifier
