"""What pages say of a share and of a course is what the rules decide by, in whatever order facts came."""

import uuid
from collections.abc import Iterator
from itertools import permutations

import pytest

from compliance.facts.courses import versions
from compliance.facts.courses.loading import load_courses
from compliance.facts.shares import listing, queries
from compliance.tenancy import context
from tests.companies import make_company
from tests.facts.files import EVERYONE, NOW, course, fact, ids, joined, shared, take_in

pytestmark = pytest.mark.django_db
ONE, TWO = {"learner_profile_ids": ids("anna")}, {"learner_profile_ids": ids("ben")}
CHANGES = [
    fact("share_changed", "one", 5, share_id="share fire", audience=ONE),
    fact("share_changed", "two", 5, share_id="share fire", audience=TWO),
]
EDITIONS = [
    fact("course_changed", title, 5, course_id="course fire", title="Fire", certificate={"title": title, "kind": kind})
    for title, kind in (("Attended", "completion"), ("Tested", "assessed"))
]


@pytest.fixture(params=permutations(range(2)))
def inside(request: pytest.FixtureRequest) -> Iterator[uuid.UUID]:
    """A company in which a share and a certificate changed twice at one moment, the facts recorded in either order."""
    organization_id = make_company().organization_id
    with context.company(organization_id):
        people = [joined(name) for name in ("anna", "ben", "cleo")]
        assert take_in(organization_id, [*people, *course("fire"), shared("fire", 5, audience=EVERYONE)]).errors == []
        for place in request.param:
            assert take_in(organization_id, [CHANGES[place], EDITIONS[place]]).errors == []
        yield organization_id


def test_of_changes_of_one_moment_the_one_counts_by_which_the_rules_decide(inside: uuid.UUID) -> None:
    course_id, share_id = map(uuid.UUID, ids("course fire", "share fire"))
    facts = load_courses(inside, [course_id])[course_id]
    (decided,) = facts.shares[0].steps[-1].learner_profile_ids
    assert queries.reached(inside, share_id, NOW).first == [decided]
    assert listing.people_of(inside, share_id, NOW) == [decided]
    listed = listing.share(inside, share_id, NOW)
    assert listed is not None
    assert (listed.audience, listed.people) == ("people", 1)
    known = versions.course(inside, course_id, NOW)
    assert known is not None
    assert known.certificate_title == facts.editions[-1].title


def test_a_change_at_the_moment_of_the_opening_comes_after_it(inside: uuid.UUID) -> None:
    share_id = uuid.UUID(ids("share later")[0])
    opened = shared("fire", 9) | {"share_id": str(share_id), "fact_id": str(uuid.UUID(int=2**128 - 1))}
    changed = fact("share_changed", "later", 9, share_id="share later", audience=ONE)
    assert take_in(inside, [opened, changed]).errors == []
    assert [str(each) for each in listing.people_of(inside, share_id, NOW)] == ONE["learner_profile_ids"]
