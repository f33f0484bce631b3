"""Timelines of the rows of the people register.

There is one employee row for each stay, from joining on, and one invitation row from the invitation on; neither ever
ends. The access state is the first that applies of erased, ended, suspended, staff_practice, active; an accepted
invitation has the employee's. Nothing here changes by the clock alone, so no timeline has a `next_change_at`.
"""

from datetime import datetime
from uuid import UUID

from compliance.rules.owed_learning.facts import Employment
from compliance.rules.people.decisions import PersonContent, PersonTimeline
from compliance.rules.people.facts import InvitationFacts, PersonFacts
from compliance.rules.timeline import Timeline, Version, append_version, within
from compliance.rules.vocabulary import AccessState, Door, EntryType, InvitationState

_EMPLOYEE_ONLY = (Door.EMPLOYEE,)


def decide_employees(person: PersonFacts) -> tuple[PersonTimeline, ...]:
    """Return the timeline of each stay of a profile, by `person_id`."""
    moments = _profile_moments(person)
    return tuple(
        _employee_timeline(person, employment, moments)
        for employment in sorted(person.learner.employments, key=lambda each: (each.joined_at, each.person_id))
    )


def decide_invitation(invitation: InvitationFacts, person: PersonFacts | None = None) -> PersonTimeline:
    """Return the timeline of one invitation; `person` is the profile that accepted it, None if nobody did."""
    employment = None
    if person is not None:
        employment = next(
            (each for each in person.learner.employments if each.person_id == invitation.accepted_by), None
        )
    ends = (invitation.revoked_at, invitation.erased_at)
    moments = [invitation.invited_at, *(end for end in ends if end is not None)]
    if person is not None and employment is not None:
        moments += _stay_moments(person, employment, _profile_moments(person))
    versions: list[Version[PersonContent]] = []
    for moment in _in_order(moments):
        if moment >= invitation.invited_at:
            append_version(versions, moment, _invitation_at(invitation, person, employment, moment))
    return Timeline(invitation.invitation_id, tuple(versions))


def _profile_moments(person: PersonFacts) -> list[datetime]:
    """Return the moments at which teams, contact doors or the profile itself change."""
    learner = person.learner
    stays = [(each.from_at, each.until) for each in learner.memberships]
    stays += [(each.from_at, each.until) for each in person.contacts]
    moments = [moment for stay in stays for moment in stay if moment is not None]
    if learner.erased_at is not None:
        moments.append(learner.erased_at)
    return moments


def _stay_moments(person: PersonFacts, employment: Employment, profile_moments: list[datetime]) -> list[datetime]:
    """Return the moments at which the row of one stay may change."""
    joined_at = employment.joined_at
    moments = [joined_at]
    moments += [moment for moment in profile_moments if moment > joined_at]
    if employment.left_at is not None and employment.left_at > joined_at:
        moments.append(employment.left_at)
    moments += [
        each.at for each in person.suspensions if each.person_id == employment.person_id and each.at > joined_at
    ]
    return moments


def _in_order(moments: list[datetime]) -> list[datetime]:
    """Return each moment once, earliest first. Comparing instants takes a tenth of the time of hashing them."""
    moments.sort()
    return [moment for place, moment in enumerate(moments) if not place or moment != moments[place - 1]]


def _employee_timeline(person: PersonFacts, employment: Employment, profile_moments: list[datetime]) -> PersonTimeline:
    versions: list[Version[PersonContent]] = []
    for moment in _in_order(_stay_moments(person, employment, profile_moments)):
        append_version(versions, moment, _employee_at(person, employment, moment))
    return Timeline(employment.person_id, tuple(versions))


def _employee_at(person: PersonFacts, employment: Employment, moment: datetime) -> PersonContent:
    ended_at = _access_ended_at(person, employment, moment)
    return PersonContent(
        person_id=employment.person_id,
        learner_profile_id=person.learner.learner_profile_id,
        invitation_id=None,
        entry_type=EntryType.EMPLOYEE,
        invited_at=None,
        joined_at=employment.joined_at,
        left_at=ended_at,
        invitation_expires_at=None,
        invitation_state=None,
        access_state=_access_state(person, employment, moment),
        team_ids=_teams(person, moment),
        doors=_doors(person, moment),
        ended_at=ended_at,
    )


def _invitation_at(
    invitation: InvitationFacts, person: PersonFacts | None, employment: Employment | None, moment: datetime
) -> PersonContent:
    if person is not None and employment is not None and employment.joined_at <= moment:
        return _employee_at(person, employment, moment)._replace(
            person_id=invitation.invitation_id,
            invitation_id=invitation.invitation_id,
            entry_type=EntryType.INVITATION,
            invited_at=invitation.invited_at,
            invitation_expires_at=invitation.expires_at,
            invitation_state=InvitationState.ACCEPTED,
        )
    revoked_at = invitation.revoked_at
    revoked = revoked_at is not None and revoked_at <= moment
    erased = invitation.erased_at is not None and invitation.erased_at <= moment
    access_state = AccessState.ENDED if revoked else AccessState.INVITED
    return PersonContent(
        person_id=invitation.invitation_id,
        learner_profile_id=None,
        invitation_id=invitation.invitation_id,
        entry_type=EntryType.INVITATION,
        invited_at=invitation.invited_at,
        joined_at=None,
        left_at=None,
        invitation_expires_at=invitation.expires_at,
        invitation_state=InvitationState.REVOKED if revoked else InvitationState.PENDING,
        access_state=AccessState.ERASED if erased else access_state,
        team_ids=tuple(sorted(invitation.team_ids)),
        doors=_EMPLOYEE_ONLY,
        ended_at=min((each for each in (revoked_at, invitation.erased_at) if each and each <= moment), default=None),
    )


def _access_ended_at(person: PersonFacts, employment: Employment, moment: datetime) -> datetime | None:
    """Return when access ended, as known at `moment`: by leaving or by the erasure, whichever came first.

    An erasure may take effect before a joining that was recorded already; that stay ends as it begins.
    """
    ends = [each for each in (employment.left_at, person.learner.erased_at) if each is not None and each <= moment]
    return max(min(ends), employment.joined_at) if ends else None


def _access_state(person: PersonFacts, employment: Employment, moment: datetime) -> AccessState:
    erased_at = person.learner.erased_at
    if erased_at is not None and erased_at <= moment:
        return AccessState.ERASED
    if employment.left_at is not None and employment.left_at <= moment:
        return AccessState.ENDED
    # `validation` ensures that suspended and resumed alternate, so the balance is one or zero.
    balance = sum(
        1 if each.suspended else -1
        for each in person.suspensions
        if each.person_id == employment.person_id and each.at <= moment
    )
    if balance > 0:
        return AccessState.SUSPENDED
    return AccessState.STAFF_PRACTICE if employment.staff_practice else AccessState.ACTIVE


def _teams(person: PersonFacts, moment: datetime) -> tuple[UUID, ...]:
    """Return the profile's teams, including those of an ended stay, whose row still lists them."""
    return tuple(
        sorted({each.team_id for each in person.learner.memberships if within(each.from_at, each.until, moment)})
    )


def _doors(person: PersonFacts, moment: datetime) -> tuple[Door, ...]:
    if not person.contacts:
        return _EMPLOYEE_ONLY
    return tuple(
        sorted({Door.EMPLOYEE, *(each.door for each in person.contacts if within(each.from_at, each.until, moment))})
    )
