"""Personal links for some learners of the demo, made again at each start and valid while the demo runs.

The first learners of a company each have a course to take and a policy to sign; the others have nothing left to do, or
come through another door.
"""

from datetime import datetime, timedelta
from types import ModuleType
from uuid import UUID

from compliance.facts.people import queries as people
from compliance.learning import links
from compliance.learning.models import PersonalLink
from compliance.tenancy import context
from development.demo import story
from development.demo.telling import profile_of

LIFE = timedelta(days=365)
"""Longer than anybody leaves a demo running."""


def learners(company_story: ModuleType, now: datetime) -> list[dict[str, str]]:
    """The learners of a company who have a course to take and a policy to sign, each with a link for many uses."""
    return _with_links(company_story, company_story.LEARNERS, now)


def others(company_story: ModuleType, now: datetime) -> list[dict[str, str]]:
    """Further people of a company, as `learners`."""
    return _with_links(company_story, company_story.OTHER_LEARNERS, now)


def _with_links(company_story: ModuleType, names: tuple[str, ...], now: datetime) -> list[dict[str, str]]:
    organization_id = story.organization_id(company_story)
    with context.company(organization_id):
        return [_learner(organization_id, UUID(profile_of(company_story.SLUG, name)), now) for name in names]


def _learner(organization_id: UUID, learner_profile_id: UUID, now: datetime) -> dict[str, str]:
    # Links of earlier starts are deleted, so that they do not accumulate.
    PersonalLink.objects.filter(
        organization_id=organization_id, learner_profile_id=learner_profile_id, uses_left=None
    ).delete()
    token = links.make(organization_id, now=now, life=LIFE, learner_profile_id=learner_profile_id, uses=None)
    person = people.person(organization_id, learner_profile_id)
    assert person is not None  # the story was recorded
    return {
        "learner_profile_id": str(learner_profile_id),
        "person_name": person.person_name or "",
        "account_email": person.account_email or "",
        "link": links.address_of(token),
    }
