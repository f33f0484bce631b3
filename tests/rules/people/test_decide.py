"""Each rule of docs/rules.md#people, worked by hand; and any set of facts in another order."""

from datetime import UTC, datetime, timedelta
from random import Random
from uuid import UUID, uuid5

from hypothesis import given, settings
from hypothesis import strategies as some

from compliance.rules.owed_learning.facts import Employment, LearnerFacts, Membership
from compliance.rules.people.decide import decide_employees, decide_invitation
from compliance.rules.people.decisions import PersonContent
from compliance.rules.people.facts import ContactStay, InvitationFacts, PersonFacts, Suspension
from compliance.rules.people.status import access_state_at, invitation_status_at
from compliance.rules.vocabulary import AccessState, Door, EntryType, InvitationState, InvitationStatus

SPACE = UUID(int=1)


def ident(name: str) -> UUID:
    return uuid5(SPACE, name)


def day(number: int) -> datetime:
    return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(days=number)


def person(
    *stays: Employment,
    teams: tuple[Membership, ...] = (),
    suspensions: tuple[Suspension, ...] = (),
    contacts: tuple[ContactStay, ...] = (),
    erased_at: datetime | None = None,
) -> PersonFacts:
    return PersonFacts(LearnerFacts(ident("profile"), stays, teams, erased_at), suspensions, contacts)


STAY = Employment(ident("stay"), day(10), day(50))
LATER_STAY = Employment(ident("later stay"), day(80))


def row(facts: PersonFacts, moment: datetime, stay: int = 0) -> PersonContent | None:
    return decide_employees(facts)[stay].at(moment)


def access(facts: PersonFacts, moment: datetime, stay: int = 0) -> AccessState | None:
    found = row(facts, moment, stay)
    return None if found is None else found.access_state


def test_an_employee_row_exists_from_joining_and_stays_after_leaving() -> None:
    facts = person(STAY)
    assert row(facts, day(9)) is None
    assert row(facts, day(10)) == PersonContent(
        person_id=ident("stay"),
        learner_profile_id=ident("profile"),
        invitation_id=None,
        entry_type=EntryType.EMPLOYEE,
        invited_at=None,
        joined_at=day(10),
        left_at=None,
        invitation_expires_at=None,
        invitation_state=None,
        access_state=AccessState.ACTIVE,
        team_ids=(),
        doors=(Door.EMPLOYEE,),
        ended_at=None,
    )
    ended = row(facts, day(50))
    assert ended is not None
    assert (ended.access_state, ended.left_at, ended.ended_at) == (AccessState.ENDED, day(50), day(50))


def test_access_is_the_first_that_holds_of_erased_ended_suspended_practice_active() -> None:
    facts = person(
        STAY._replace(staff_practice=True),
        suspensions=(
            Suspension(ident("stay"), day(20), True),
            Suspension(ident("stay"), day(30), False),
            Suspension(ident("stay"), day(40), True),
        ),
        erased_at=day(60),
    )
    assert [access(facts, day(at)) for at in (10, 20, 30, 40, 50, 60)] == [
        AccessState.STAFF_PRACTICE,
        AccessState.SUSPENDED,
        AccessState.STAFF_PRACTICE,
        AccessState.SUSPENDED,
        AccessState.ENDED,
        AccessState.ERASED,
    ]


def test_erasure_ends_access_but_keeps_the_profile_and_an_earlier_leaving() -> None:
    erased = row(person(LATER_STAY, erased_at=day(90)), day(90))
    assert erased is not None
    assert (erased.left_at, erased.learner_profile_id) == (day(90), ident("profile"))
    gone = row(person(STAY, erased_at=day(90)), day(90))
    assert gone is not None
    assert gone.left_at == day(50)


def test_a_stay_that_begins_after_the_erasure_ends_as_it_begins() -> None:
    facts = person(STAY, LATER_STAY, erased_at=day(60))
    (_, first), *others = decide_employees(facts)[1].versions
    assert first is not None
    assert (first.joined_at, first.left_at, first.ended_at) == (day(80), day(80), day(80))
    assert first.access_state is AccessState.ERASED
    assert others == []
    before = row(person(STAY, erased_at=day(5)), day(60))
    assert before is not None
    assert (before.joined_at, before.left_at) == (day(10), day(10))


def test_who_joins_again_has_a_second_row_and_the_ended_one_shows_the_profiles_teams() -> None:
    facts = person(
        STAY, LATER_STAY, teams=(Membership(ident("red"), day(20), day(90)), Membership(ident("blue"), day(85)))
    )
    first, second = decide_employees(facts)
    assert (first.record_id, second.record_id) == (ident("stay"), ident("later stay"))
    ended = first.at(day(86))
    assert ended is not None
    assert ended.access_state is AccessState.ENDED
    assert ended.team_ids == tuple(sorted((ident("red"), ident("blue"))))
    back = second.at(day(90))
    assert back is not None
    assert (back.access_state, back.team_ids) == (AccessState.ACTIVE, (ident("blue"),))


def test_doors_are_those_of_the_profile_as_a_contact_too() -> None:
    facts = person(STAY, contacts=(ContactStay(Door.PARTNER, day(0), day(20)), ContactStay(Door.CUSTOMER, day(15))))
    assert [getattr(row(facts, day(at)), "doors") for at in (10, 15, 20)] == [  # noqa: B009
        (Door.EMPLOYEE, Door.PARTNER),
        (Door.CUSTOMER, Door.EMPLOYEE, Door.PARTNER),
        (Door.CUSTOMER, Door.EMPLOYEE),
    ]


INVITATION = InvitationFacts(ident("invitation"), day(5), day(12), team_ids=frozenset({ident("red")}))


def test_a_pending_invitation_expires_by_the_clock_and_without_a_version() -> None:
    timeline = decide_invitation(INVITATION)
    assert len(timeline.versions) == 1
    assert timeline.next_change_at is None
    pending = timeline.at(day(30))
    assert pending is not None
    assert (pending.person_id, pending.entry_type) == (ident("invitation"), EntryType.INVITATION)
    assert (pending.learner_profile_id, pending.joined_at) == (None, None)
    assert (pending.team_ids, pending.doors) == ((ident("red"),), (Door.EMPLOYEE,))
    for moment, status, state in (
        (day(12) - timedelta(microseconds=1), InvitationStatus.PENDING, AccessState.INVITED),
        (day(12), InvitationStatus.EXPIRED, AccessState.ENDED),
    ):
        assert invitation_status_at(pending.invitation_state, pending.invitation_expires_at, moment) is status
        assert (
            access_state_at(pending.access_state, pending.invitation_state, pending.invitation_expires_at, moment)
            is state
        )


def test_a_revoked_invitation_is_ended_and_never_expires() -> None:
    revoked = decide_invitation(INVITATION._replace(revoked_at=day(7))).at(day(30))
    assert revoked is not None
    assert (revoked.invitation_state, revoked.access_state) == (InvitationState.REVOKED, AccessState.ENDED)
    assert (revoked.ended_at, revoked.left_at) == (day(7), None)
    assert invitation_status_at(revoked.invitation_state, revoked.invitation_expires_at, day(30)) == "revoked"


def test_an_erased_invitation_stays_erased_after_its_expiry_and_its_revocation() -> None:
    erased = decide_invitation(INVITATION._replace(revoked_at=day(7), erased_at=day(9)))
    assert [version.content.access_state for version in erased.versions if version.content] == [
        AccessState.INVITED,
        AccessState.ENDED,
        AccessState.ERASED,
    ]
    ends = [version.content.ended_at for version in erased.versions if version.content]
    assert ends == [None, day(7), day(7)]
    late = decide_invitation(INVITATION._replace(revoked_at=day(9), erased_at=day(7))).at(day(30))
    assert late is not None
    assert late.ended_at == day(7)
    pending = decide_invitation(INVITATION._replace(erased_at=day(9))).at(day(30))
    assert pending is not None
    assert pending.ended_at == day(9)
    assert (
        access_state_at(pending.access_state, pending.invitation_state, pending.invitation_expires_at, day(30))
        is AccessState.ERASED
    )


def test_an_accepted_invitation_shows_the_employee_it_became() -> None:
    facts = person(STAY, teams=(Membership(ident("blue"), day(0)),), erased_at=day(70))
    timeline = decide_invitation(INVITATION._replace(accepted_by=ident("stay")), facts)
    states = [timeline.at(day(at)) for at in (5, 10, 50, 70)]
    assert [state.access_state for state in states if state] == [
        AccessState.INVITED,
        AccessState.ACTIVE,
        AccessState.ENDED,
        AccessState.ERASED,
    ]
    assert [state.invitation_state for state in states if state] == [InvitationState.PENDING] + [
        InvitationState.ACCEPTED
    ] * 3
    accepted = states[1]
    assert accepted is not None
    assert (accepted.learner_profile_id, accepted.joined_at, accepted.team_ids) == (
        ident("profile"),
        day(10),
        (ident("blue"),),
    )
    assert invitation_status_at(accepted.invitation_state, accepted.invitation_expires_at, day(30)) == "accepted"


days = some.integers(0, 60).map(day)


@some.composite
def people(draw: some.DrawFn) -> PersonFacts:
    moments = sorted(draw(some.lists(days, min_size=2, max_size=4, unique=True)))
    stays = [
        Employment(ident(str(at)), start, moments[at + 1] if at + 1 < len(moments) else None, draw(some.booleans()))
        for at, start in enumerate(moments)
        if at % 2 == 0
    ]
    toggles = sorted(draw(some.lists(days, max_size=4, unique=True)))
    suspensions = tuple(
        Suspension(stays[0].person_id, moment, at % 2 == 0)
        for at, moment in enumerate(each for each in toggles if each >= stays[0].joined_at)
    )
    teams = tuple(
        Membership(ident(draw(some.sampled_from(("red", "blue")))), start, draw(some.none() | some.just(day(99))))
        for start in draw(some.lists(days, max_size=3))
    )
    return person(*stays, teams=teams, suspensions=suspensions, erased_at=draw(some.none() | days))


@settings(max_examples=100)
@given(people(), some.randoms(use_true_random=False))
def test_facts_in_any_order_give_the_same_timelines(facts: PersonFacts, random: Random) -> None:
    learner = facts.learner
    shuffled = facts._replace(
        learner=learner._replace(
            employments=tuple(random.sample(learner.employments, len(learner.employments))),
            memberships=tuple(random.sample(learner.memberships, len(learner.memberships))),
        ),
        suspensions=tuple(random.sample(facts.suspensions, len(facts.suspensions))),
    )
    decided = decide_employees(facts)
    assert decide_employees(shuffled) == decided
    for timeline in decided:
        moments = [version.valid_from for version in timeline.versions]
        assert moments == sorted(set(moments))
        assert all(a.content != b.content for a, b in zip(timeline.versions, timeline.versions[1:], strict=False))


@settings(max_examples=100)
@given(people(), days)
def test_no_answer_depends_on_a_fact_that_takes_effect_later(facts: PersonFacts, moment: datetime) -> None:
    learner = facts.learner

    def until(end: datetime | None) -> datetime | None:
        return end if end is not None and end <= moment else None

    known = facts._replace(
        learner=LearnerFacts(
            learner.learner_profile_id,
            tuple(
                each._replace(left_at=until(each.left_at)) for each in learner.employments if each.joined_at <= moment
            ),
            tuple(each._replace(until=until(each.until)) for each in learner.memberships if each.from_at <= moment),
            until(learner.erased_at),
        ),
        suspensions=tuple(each for each in facts.suspensions if each.at <= moment),
    )
    whole = [timeline.at(moment) for timeline in decide_employees(facts)]
    assert [each for each in whole if each] == [timeline.at(moment) for timeline in decide_employees(known)]
