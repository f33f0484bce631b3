"""Properties that hold for the policy rule, whatever the facts."""

from datetime import datetime, timedelta
from random import Random
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as some

from compliance.rules.absences import Absence
from compliance.rules.owed_learning.facts import Deadline, Employment, LearnerFacts, Membership, Share, ShareStep
from compliance.rules.people.facts import ContactStay
from compliance.rules.policies.decide import decide
from compliance.rules.policies.facts import PolicyFacts, PolicyVersion, ReceiptFacts, Signer
from compliance.rules.vocabulary import ChangeKind, Door, DueBasis, ReceiptAct, Requirement

from .story import DAYS, FIXED, NOW, ORGANIZATION, PERSON, POLICY, ZONE, at, ident

START = at("2024-01-01")
TEAMS = (ident("red"), ident("blue"))

moments = some.integers(0, 700).map(lambda days: START + timedelta(days=days, microseconds=days))
door_sets = some.frozensets(some.sampled_from(Door), min_size=1)


@some.composite
def stays(draw: some.DrawFn) -> tuple[datetime, datetime | None]:
    start = draw(moments)
    return start, draw(some.none() | some.integers(1, 300).map(lambda days: start + timedelta(days=days)))


@some.composite
def steps(draw: some.DrawFn) -> ShareStep:
    basis = draw(some.sampled_from((DueBasis.NONE, FIXED, DAYS)))
    return ShareStep(
        draw(moments),
        draw(door_sets),
        Requirement.REQUIRED,
        Deadline(basis, due_at=draw(moments) if basis is FIXED else None, days=30 if basis is DAYS else None),
        draw(some.booleans()),
        draw(some.frozensets(some.sampled_from(TEAMS))),
        draw(some.frozensets(some.just(PERSON))),
    )


@some.composite
def stories(draw: some.DrawFn) -> tuple[PolicyFacts, Signer, tuple[ReceiptFacts, ...]]:
    published = sorted(draw(some.lists(moments, min_size=1, max_size=4, unique=True)))
    versions = tuple(
        PolicyVersion(
            ident(f"v{number}"),
            number,
            f"Title {number}",
            ChangeKind.FIRST if number == 1 else draw(some.sampled_from((ChangeKind.EDITORIAL, ChangeKind.ASK_AGAIN))),
            draw(some.sampled_from((0, 1, 3, 12))),
            draw(door_sets),
            moment,
        )
        for number, moment in enumerate(published, 1)
    )
    shares = tuple(
        Share(UUID(int=number), tuple(parts), draw(some.none() | moments))
        for number, parts in enumerate(
            draw(some.lists(some.lists(steps(), min_size=1, max_size=3, unique_by=lambda each: each.at), max_size=3)), 1
        )
    )
    employments = tuple(
        Employment(UUID(int=number), *stay) for number, stay in enumerate(draw(some.lists(stays(), max_size=2)), 1)
    )
    memberships = tuple(
        Membership(draw(some.sampled_from(TEAMS)), *stay) for stay in draw(some.lists(stays(), max_size=2))
    )
    contacts = tuple(
        ContactStay(draw(some.sampled_from((Door.PARTNER, Door.CUSTOMER))), *stay)
        for stay in draw(some.lists(stays(), max_size=2))
    )
    receipts = tuple(
        ReceiptFacts(
            ident(f"r{number}"),
            draw(some.sampled_from(versions)).course_release_id,
            UUID(int=1),
            draw(some.sampled_from(Door)),
            ReceiptAct.SIGNED,
            moment,
        )
        for number, moment in enumerate(draw(some.lists(moments, max_size=5, unique=True)), 1)
    )
    absences = tuple(
        Absence(UUID(int=number), at, first.date(), max(first, last).date(), voided_at)
        for number, (at, first, last, voided_at) in enumerate(
            draw(some.lists(some.tuples(moments, moments, moments, some.none() | moments), max_size=2)), 1
        )
    )
    learner = LearnerFacts(PERSON, employments, memberships, draw(some.none() | moments), absences)
    return PolicyFacts(POLICY, versions, shares), Signer(learner, contacts), receipts


Story = tuple[PolicyFacts, Signer, tuple[ReceiptFacts, ...]]


def content_at(story: Story, moment: datetime, now: datetime) -> list[object]:
    policy, signer, receipts = story
    timelines = decide(ORGANIZATION, ZONE, policy, signer, receipts, now)
    return [content for timeline in timelines if (content := timeline.at(moment)) is not None]


def known_by(story: Story, moment: datetime) -> Story:
    """The story without facts that take effect after `moment`."""
    policy, signer, receipts = story

    def until(end: datetime | None) -> datetime | None:
        return end if end is not None and end <= moment else None

    return (
        PolicyFacts(
            policy.course_id,
            tuple(each for each in policy.versions if each.published_at <= moment),
            tuple(
                each._replace(steps=known, ended_at=until(each.ended_at))
                for each in policy.shares
                if (known := tuple(step for step in each.steps if step.at <= moment))
            ),
        ),
        Signer(
            LearnerFacts(
                PERSON,
                tuple(
                    each._replace(left_at=until(each.left_at))
                    for each in signer.learner.employments
                    if each.joined_at <= moment
                ),
                tuple(
                    each._replace(until=until(each.until))
                    for each in signer.learner.memberships
                    if each.from_at <= moment
                ),
                until(signer.learner.erased_at),
                tuple(
                    each._replace(voided_at=until(each.voided_at))
                    for each in signer.learner.absences
                    if each.at <= moment
                ),
            ),
            tuple(each._replace(until=until(each.until)) for each in signer.contacts if each.from_at <= moment),
        ),
        tuple(each for each in receipts if each.signed_at <= moment),
    )


@settings(max_examples=150)
@given(stories(), moments)
def test_no_answer_depends_on_a_fact_that_takes_effect_later(story: Story, moment: datetime) -> None:
    known = content_at(known_by(story, moment), moment, moment)
    assert content_at(story, moment, NOW) == known
    assert content_at(story, moment, moment) == known


@settings(max_examples=80)
@given(stories(), some.randoms(use_true_random=False), moments)
def test_facts_in_any_order_give_the_same_timelines_without_repetition(
    story: Story, random: Random, now: datetime
) -> None:
    policy, signer, receipts = story

    def shuffled(values: tuple) -> tuple:
        return tuple(random.sample(values, len(values)))

    decided = decide(ORGANIZATION, ZONE, policy, signer, receipts, now)
    other = decide(
        ORGANIZATION,
        ZONE,
        PolicyFacts(
            POLICY,
            shuffled(policy.versions),
            shuffled(tuple(each._replace(steps=shuffled(each.steps)) for each in policy.shares)),
        ),
        Signer(
            signer.learner._replace(
                employments=shuffled(signer.learner.employments), memberships=shuffled(signer.learner.memberships)
            ),
            shuffled(signer.contacts),
        ),
        shuffled(receipts),
        now,
    )
    assert other == decided
    for timeline in decided:
        assert timeline.versions[0].content is not None
        for before, after in zip(timeline.versions, timeline.versions[1:], strict=False):
            assert before.valid_from < after.valid_from
            assert before.content != after.content


@settings(max_examples=80)
@given(stories(), moments)
def test_one_row_at_a_time_and_the_next_change_is_where_the_content_changes(story: Story, now: datetime) -> None:
    assert len(content_at(story, now, NOW)) <= 1
    policy, signer, receipts = known_by(story, now)
    upcoming = [
        each.next_change_at
        for each in decide(ORGANIZATION, ZONE, policy, signer, receipts, now)
        if each.next_change_at is not None
    ]
    if not upcoming:
        assert content_at((policy, signer, receipts), NOW, NOW) == content_at((policy, signer, receipts), NOW, now)
        return
    (change,) = upcoming
    assert change > now
    before = content_at((policy, signer, receipts), change - timedelta(microseconds=1), change)
    assert content_at((policy, signer, receipts), change, change) != before
