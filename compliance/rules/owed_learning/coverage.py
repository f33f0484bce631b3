"""Who is covered by what, and when: shares, audiences, employments and releases as intervals.

A person is covered at a moment when they are an employee (not in practice, not erased), some open share that includes
the door `employee` has them in its audience, and a release is current. Intervals are [start, end); END means never.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from compliance.rules.company_days import LAST_INSTANT as END
from compliance.rules.owed_learning.facts import (
    CertificateEdition,
    CourseFacts,
    Deadline,
    LearnerFacts,
    Release,
    Share,
)
from compliance.rules.vocabulary import Door, Requirement

Interval = tuple[datetime, datetime]


class ShareStage(NamedTuple):
    """What an open share states for employees during [start, end); stages without the employee door are left out."""

    share: "OpenShare"
    start: datetime
    end: datetime
    doors: tuple[Door, ...]
    required: bool
    required_since: datetime
    deadline: Deadline
    everyone: bool
    team_ids: frozenset[UUID]
    learner_profile_ids: frozenset[UUID]


class OpenShare:
    """A share and its stages in order of time."""

    __slots__ = ("ended_at", "share_id", "stages")

    def __init__(self, share: Share) -> None:
        self.share_id = share.share_id
        self.ended_at = share.ended_at
        self.stages: list[ShareStage] = []
        # Of several steps of one moment only the last ever holds.
        steps = list({step.at: step for step in sorted(share.steps, key=lambda step: step.at)}.values())
        ends = [step.at for step in steps[1:]] + [END]
        required_since = END
        for step, next_at in zip(steps, ends, strict=True):
            required = step.requirement == Requirement.REQUIRED
            if not required:
                required_since = END
            elif required_since == END:
                required_since = step.at
            end = next_at if self.ended_at is None else min(next_at, self.ended_at)
            if step.at < end and Door.EMPLOYEE in step.doors:
                self.stages.append(
                    ShareStage(
                        share=self,
                        start=step.at,
                        end=end,
                        doors=tuple(sorted(step.doors)),
                        required=required,
                        required_since=required_since,
                        deadline=step.deadline,
                        everyone=step.everyone,
                        team_ids=step.team_ids,
                        learner_profile_ids=step.learner_profile_ids,
                    )
                )


class Stay(NamedTuple):
    """A stage of a share covers the learner during [start, end); `entry` starts the share's unbroken stretch."""

    stage: ShareStage
    start: datetime
    end: datetime
    entry: datetime


class CurrentRelease(NamedTuple):
    """From `at` on the release with this index is current, or none; `run_start` starts the unbroken run of releases."""

    at: datetime
    release: int | None
    run_start: datetime


class PreparedCourse:
    """A course's facts, sorted and folded once for all its learners."""

    __slots__ = (
        "course_id",
        "current",
        "editions",
        "index_of",
        "last_retake",
        "lessons",
        "moments",
        "releases",
        "shares",
    )

    def __init__(self, facts: CourseFacts) -> None:
        self.course_id = facts.course_id
        self.releases: list[Release] = sorted(
            facts.releases, key=lambda release: (release.published_at, release.version, release.course_release_id)
        )
        self.index_of = {release.course_release_id: index for index, release in enumerate(self.releases)}
        self.last_retake: list[int] = []
        for index, release in enumerate(self.releases):
            before = self.last_retake[-1] if self.last_retake else 0
            self.last_retake.append(index if release.retake else before)
        self.current = _current_releases(self.releases)
        self.editions: list[CertificateEdition] = sorted(facts.editions, key=lambda edition: edition.at)
        self.shares: list[OpenShare] = []
        self.lessons: dict[UUID, list[OpenShare]] = {}
        for share in sorted(facts.shares, key=lambda share: share.share_id):
            if share.lesson_release_id is None:
                self.shares.append(OpenShare(share))
            else:
                self.lessons.setdefault(share.lesson_release_id, []).append(OpenShare(share))
        self.moments = [change.at for change in self.current]

    def current_at(self, moment: datetime) -> CurrentRelease | None:
        """The latest change of the current release by `moment`; None before the first publication."""
        found = None
        for change in self.current:
            if change.at > moment:
                break
            found = change
        return found

    def edition_at(self, moment: datetime) -> CertificateEdition | None:
        """The certificate that a completion at `moment` may earn."""
        found = None
        for edition in self.editions:
            if edition.at > moment:
                break
            found = edition
        return found if found is not None and found.kind is not None else None


def _current_releases(releases: list[Release]) -> list[CurrentRelease]:
    """The newest published release, or none once it is withdrawn: earlier ones do not return."""
    moments = {release.published_at for release in releases}
    moments.update(release.withdrawn_at for release in releases if release.withdrawn_at is not None)
    changes: list[CurrentRelease] = []
    index: int | None = None
    run_start = END
    for moment in sorted(moments):
        newest = max((i for i, release in enumerate(releases) if release.published_at <= moment), default=None)
        if newest is not None:
            withdrawn_at = releases[newest].withdrawn_at
            if withdrawn_at is not None and withdrawn_at <= moment:
                newest = None
        if newest == index:
            continue
        if index is None:
            run_start = moment
        index = newest
        changes.append(CurrentRelease(moment, index, run_start))
    return changes


def employed_intervals(learner: LearnerFacts) -> list[Interval]:
    """When the learner was an employee who can owe something: neither in practice nor erased."""
    limit = learner.erased_at or END
    return merged(
        (employment.joined_at, min(employment.left_at or END, limit))
        for employment in learner.employments
        if not employment.staff_practice
    )


def stays(shares: list[OpenShare], learner: LearnerFacts, employed: list[Interval]) -> list[Stay]:
    """Every stretch in which a stage of one of the shares covers the learner."""
    found: list[Stay] = []
    for share in shares:
        pieces: list[tuple[datetime, datetime, ShareStage]] = []
        for stage in share.stages:
            if stage.everyone or learner.learner_profile_id in stage.learner_profile_ids:
                inside = employed
            else:
                inside = intersection(
                    employed,
                    merged(
                        (membership.from_at, membership.until or END)
                        for membership in learner.memberships
                        if membership.team_id in stage.team_ids
                    ),
                )
            for start, end in inside:
                start, end = max(start, stage.start), min(end, stage.end)
                if start < end:
                    pieces.append((start, end, stage))
        entry = previous_end = None
        for start, end, stage in pieces:
            if entry is None or start != previous_end:
                entry = start
            previous_end = end
            found.append(Stay(stage, start, end, entry))
    return found


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """The union, as disjoint intervals in order; empty ones vanish, touching ones become one."""
    result: list[Interval] = []
    for start, end in sorted(intervals):
        if start >= end:
            continue
        if result and start <= result[-1][1]:
            result[-1] = (result[-1][0], max(result[-1][1], end))
        else:
            result.append((start, end))
    return result


def intersection(left: list[Interval], right: list[Interval]) -> list[Interval]:
    """Where both hold; both given as disjoint intervals in order."""
    return [
        (max(start, other_start), min(end, other_end))
        for start, end in left
        for other_start, other_end in right
        if max(start, other_start) < min(end, other_end)
    ]
