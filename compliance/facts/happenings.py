"""What happened to a person, to a course, and between them: facts of every room, for the page of a record's story.

Each room states in its `queries.py` as SQL which of its facts belong to a story (the moment, a code of what happened,
and what the fact gives beside), and under which identifiers the ledger keeps those facts. The parameters are
%(organization)s, %(learner)s and %(course)s.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from compliance.facts.certificates import queries as certificates
from compliance.facts.courses import queries as courses
from compliance.facts.ledger import queries as ledger
from compliance.facts.ledger.queries import FactOrigin
from compliance.facts.people import queries as people
from compliance.facts.policies import queries as policies
from compliance.facts.shares import queries as shares
from compliance.facts.training import queries as training
from compliance.tenancy import sql

MOST = 300
"""The largest number of facts in a story: the newest are kept."""

_OF_PERSON = (people.HAPPENED,)
_OF_PERSON_AND_COURSE = (training.HAPPENED, certificates.HAPPENED, policies.SIGNED)
_OF_COURSE = (courses.HAPPENED, policies.PUBLISHED, shares.HAPPENED)
_ABOUT = (people.ABOUT, training.ABOUT, certificates.ABOUT, shares.ABOUT, courses.ABOUT)


class Happening(NamedTuple):
    """A fact of a story: when it took effect, the code of what it was, and what it gives beside.

    The console has the words, in the reader's language. `of`, in stories of a person, is the title of the course or the
    policy."""

    at: datetime
    what: str
    given: dict[str, Any]
    of: str = ""


def happenings(organization_id: uuid.UUID, learner: uuid.UUID | None, course: uuid.UUID | None) -> list[Happening]:
    """What happened to the person, the course, and between them (of all courses, if none is named), oldest first.

    One statement.
    """
    one_course = "t.course_id = %(course)s" if course else "true"
    of_both = [part.format(course=one_course) for part in _OF_PERSON_AND_COURSE]
    alone = [*(_OF_PERSON if learner else ()), *(_OF_COURSE if course else ())]
    parts = [f"SELECT f.*, NULL::uuid FROM ({part}) f" for part in alone]  # noqa: S608 - expressions of our own
    parts += [f"SELECT * FROM ({part}) f" for part in of_both if learner]  # noqa: S608 - as above
    if not parts:
        return []
    named = "''" if course else f"coalesce({courses.title('f.course_id')}, '')"
    rows = sql.fetch(
        f"SELECT f.at, f.what, f.given, {named} FROM (SELECT * FROM ({' UNION ALL '.join(parts)})"  # noqa: S608 - expressions of our own
        " u (at, what, given, course_id) ORDER BY at DESC LIMIT %(most)s) f ORDER BY f.at DESC",
        {"organization": organization_id, "learner": learner, "course": course, "most": MOST},
    )
    return [Happening(*row) for row in reversed(rows)]


def origins_of(
    organization_id: uuid.UUID, moments: Sequence[datetime], learner: uuid.UUID | None, course: uuid.UUID | None
) -> list[FactOrigin]:
    """The origins of a story's facts, which took effect at `moments`: the ledger's lines about the same, then.

    One statement.
    """
    themselves = [each for each in (learner, course) if each is not None]
    values = {"organization": organization_id, "learner": learner, "course": course, "themselves": themselves}
    about = " UNION ALL ".join(("SELECT unnest(%(themselves)s::uuid[])", *_ABOUT))
    return ledger.origins(moments, about, values, MOST)
