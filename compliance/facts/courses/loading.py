"""The input of the rules about courses: releases, shares, editions. How facts are loaded: people/loading.py."""

import uuid
from collections import defaultdict
from collections.abc import Collection
from datetime import datetime

from compliance.facts.shares.loading import load_shares
from compliance.rules.company_days import LAST_INSTANT
from compliance.rules.owed_learning.facts import (
    CertificateEdition,
    CourseFacts,
    Release,
)
from compliance.rules.vocabulary import (
    CertificateKind,
)
from compliance.tenancy import sql


def load_courses(
    organization_id: uuid.UUID, course_ids: Collection[uuid.UUID], until: datetime = LAST_INSTANT
) -> dict[uuid.UUID, CourseFacts]:
    """Each course's releases, shares (lesson shares too) and certificate editions."""
    parameters = [until, organization_id, list(course_ids), until]
    releases: dict[uuid.UUID, list[Release]] = defaultdict(list)
    for course_id, *release in sql.fetch(
        "SELECT course_id, course_release_id, version, published_at,"
        " CASE WHEN withdrawn_at <= %s THEN withdrawn_at END, retake FROM courses_release"
        " WHERE organization_id = (SELECT %s::uuid) AND course_id = ANY(%s) AND published_at <= %s",
        parameters,
    ):
        releases[course_id].append(Release(*release))
    editions: dict[uuid.UUID, list[CertificateEdition]] = defaultdict(list)
    for course_id, at, title, kind, valid_months, renew_days_before in sql.fetch(
        "SELECT course_id, at, title, kind, valid_months, renew_days_before FROM courses_certificateedition"
        " WHERE organization_id = (SELECT %s::uuid) AND course_id = ANY(%s) AND at <= %s ORDER BY at, fact_id",
        parameters[1:],
    ):
        editions[course_id].append(
            CertificateEdition(
                at, title or "", None if kind is None else CertificateKind(kind), valid_months, renew_days_before
            )
        )
    shares = load_shares(organization_id, course_ids, until)
    return {
        course_id: CourseFacts(
            course_id,
            tuple(releases.get(course_id, ())),
            tuple(shares.get(course_id, ())),
            tuple(editions.get(course_id, ())),
        )
        for course_id in course_ids
    }
