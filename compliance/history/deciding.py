"""Decides the claimed subjects: loads facts for many at once, applies the rules to each, and projects the answers.

A subject that cannot be decided must not delay the others: a failure of the rules is caught for that subject alone;
when loading fails, each half of the set is loaded by itself, and so on. The stored reason is the error's class and
place, because a message may contain personal data.
"""

import traceback
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import NamedTuple

from django.db import OperationalError, transaction

from compliance.facts.fan_out import Subject
from compliance.facts.identities import Identities
from compliance.facts.ledger.models import SubjectKind
from compliance.facts.people.identities import NO_IDENTITY
from compliance.facts.people.loading import Learners, Pair, load_invitations, load_people
from compliance.facts.policies.loading import load_person_policies
from compliance.facts.training.loading import load_person_courses
from compliance.history.projections import ProjectedTimeline, courses, people, policies, training
from compliance.rules.owed_learning import decide as owed_learning
from compliance.rules.owed_learning.facts import NOTHING_DONE
from compliance.rules.people.decide import decide_employees, decide_invitation
from compliance.rules.policies.decide import decide as decide_policy
from compliance.tenancy import lost


class Decided(NamedTuple):
    """A subject's timelines as decided now, and when the clock alone changes them next."""

    timelines: list[ProjectedTimeline]
    next_change_at: datetime | None = None


class Company(NamedTuple):
    """The company's data that the rules need. They get no fact that takes effect after `now`."""

    organization_id: uuid.UUID
    zone: str
    now: datetime
    learners: Learners
    """Learners that were read for one kind of subject; the next kinds reuse them."""
    identities: Identities


Question = Callable[[], Decided]
_Lazy = Iterator[tuple[Subject, Question]]


def load(company: Company, subjects: list[Subject], failed: dict[Subject, str]) -> list[tuple[Subject, Question]]:
    """Loads the facts of all subjects; adds those that could not be loaded to `failed`, with the reason."""
    by_kind: dict[str, list[Subject]] = defaultdict(list)
    for subject in subjects:
        by_kind[subject[0]].append(subject)
    ready: list[tuple[Subject, Question]] = []
    # Rows of courses come first, then those of people, so that record numbers have a natural order.
    for kind, loader in _LOADERS.items():
        if kind in by_kind:
            _load(company, by_kind[kind], loader, ready, failed)
    return ready


def _load(
    company: Company,
    subjects: list[Subject],
    loader: Callable[[Company, list[Subject]], _Lazy],
    ready: list[tuple[Subject, Question]],
    failed: dict[Subject, str],
) -> None:
    try:
        with transaction.atomic():
            ready += list(loader(company, subjects))
    except Exception as error:  # whatever it is, it must not hold up the other subjects
        if isinstance(error, OperationalError) or lost.is_lost(error):
            raise  # the database is in trouble, not a subject
        if len(subjects) == 1:
            failed[subjects[0]] = place(error)
            return
        middle = len(subjects) // 2
        _load(company, subjects[:middle], loader, ready, failed)
        _load(company, subjects[middle:], loader, ready, failed)


def decide(ready: list[tuple[Subject, Question]], failed: dict[Subject, str]) -> Iterator[tuple[Subject, Decided]]:
    """Applies the rules to one subject after the other; runs no statement. Adds failures to `failed`."""
    for subject, question in ready:
        try:
            decided = question()
        except Exception as error:  # noqa: BLE001 - as above
            failed[subject] = place(error)
        else:
            yield subject, decided


def place(error: Exception) -> str:
    """The error's class and where it was raised; never its message, which may contain personal data."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f"{frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else "nowhere"
    return f"{type(error).__name__} at {where}"[:400]


def _person_courses(company: Company, subjects: list[Subject]) -> _Lazy:
    pairs = [(first, _second(second)) for _, first, second in subjects]
    facts = load_person_courses(company.organization_id, pairs, company.learners, company.now)
    company.identities.certificates.load(
        {pairs[place][0] for place, doing in facts.doings.items() if doing.completions or doing.attendances}
    )
    organization_id, zone, now, *_ = company
    prepared = {course_id: owed_learning.prepare(course) for course_id, course in facts.courses.items()}
    learners, doings = facts.learners, facts.doings

    def answer(place: int) -> Decided:
        learner_profile_id, course_id = pairs[place]
        decision = owed_learning.decide(
            organization_id,
            zone,
            prepared[course_id],
            learners[learner_profile_id],
            doings.get(place, NOTHING_DONE),
            now,
        )
        return Decided(training.project(decision), decision.next_change_at)

    for place, subject in enumerate(subjects):
        yield subject, partial(answer, place)


def _people(company: Company, subjects: list[Subject]) -> _Lazy:
    profile_ids = {first for _, first, _ in subjects}
    facts = load_people(company.organization_id, profile_ids, company.learners, company.now)
    identities = company.identities.people.of_people(profile_ids)

    def answer(profile_id: uuid.UUID) -> Decided:
        return Decided(people.project(decide_employees(facts[profile_id]), identities.get(profile_id, NO_IDENTITY)))

    for subject in subjects:
        yield subject, partial(answer, subject[1])


def _invitations(company: Company, subjects: list[Subject]) -> _Lazy:
    invitation_ids = {first for _, first, _ in subjects}
    facts = load_invitations(company.organization_id, invitation_ids, company.learners, company.now)
    identities = company.identities.people.of_invitations(invitation_ids)

    def answer(invitation_id: uuid.UUID) -> Decided:
        found = facts.get(invitation_id)
        if found is None:
            return Decided([])
        timeline = decide_invitation(found.invitation, found.person)
        return Decided(people.project([timeline], identities[invitation_id]))

    for subject in subjects:
        yield subject, partial(answer, subject[1])


def _person_policies(company: Company, subjects: list[Subject]) -> _Lazy:
    pairs = [(first, _second(second)) for _, first, second in subjects]
    facts = load_person_policies(company.organization_id, pairs, company.learners, company.now)
    organization_id, zone, now, *_ = company

    def answer(pair: Pair) -> Decided:
        learner_profile_id, course_id = pair
        timelines = decide_policy(
            organization_id,
            zone,
            facts.policies[course_id],
            facts.signers[learner_profile_id],
            facts.receipts[pair],
            now,
        )
        moments = [each.next_change_at for each in timelines if each.next_change_at is not None]
        return Decided(policies.project_records(timelines), min(moments, default=None))

    for subject, pair in zip(subjects, pairs, strict=True):
        yield subject, partial(answer, pair)


def _courses(company: Company, subjects: list[Subject]) -> _Lazy:
    timelines = courses.project(company.organization_id, {first for _, first, _ in subjects}, company.now)
    for subject in subjects:
        yield subject, partial(Decided, timelines[subject[1]])


def _policy_versions(company: Company, subjects: list[Subject]) -> _Lazy:
    published = policies.project_versions(company.organization_id, {each[1] for each in subjects}, company.now)
    yield from _sealed(subjects, published)


def _receipts(company: Company, subjects: list[Subject]) -> _Lazy:
    yield from _sealed(subjects, policies.project_receipts(company.organization_id, {each[1] for each in subjects}))


def _sealed(subjects: list[Subject], timelines: dict[uuid.UUID, ProjectedTimeline]) -> _Lazy:
    """Yields the answers in the order of the timelines: that of publication, or of the chain."""
    by_id = {subject[1]: subject for subject in subjects}
    for id_, timeline in timelines.items():
        yield by_id[id_], partial(Decided, [timeline])
    for id_ in by_id.keys() - timelines.keys():
        yield by_id[id_], partial(Decided, [])


def _second(value: uuid.UUID | None) -> uuid.UUID:
    if value is None:
        raise ValueError("A pair lacks its course.")
    return value


_LOADERS: dict[str, Callable[[Company, list[Subject]], _Lazy]] = {
    SubjectKind.COURSE.value: _courses,
    SubjectKind.PERSON.value: _people,
    SubjectKind.INVITATION.value: _invitations,
    SubjectKind.PERSON_COURSE.value: _person_courses,
    SubjectKind.POLICY_VERSION.value: _policy_versions,
    SubjectKind.RECEIPT.value: _receipts,
    SubjectKind.PERSON_POLICY.value: _person_policies,
}
