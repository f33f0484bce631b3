"""Reads of people's current data, whatever moment a page or a row is about."""

import uuid
from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q
from django.db.models.functions import Lower

from compliance.facts.people import searching
from compliance.facts.people.lookups import balance, last_moves
from compliance.facts.people.models import Employment, Profile, Team
from compliance.facts.rows import lookup
from compliance.rules.vocabulary import ERASED_PERSON, Door
from compliance.tenancy import arrays, nodes, sql


class DisplayedPerson(NamedTuple):
    """The displayed data of a person: the latest of each detail; all None once erased."""

    person_name: str | None
    account_email: str | None
    work_email: str | None
    erased: bool


def displayed_people(
    organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, DisplayedPerson]:
    """The displayed data of each of those profiles; one that does not exist is missing."""
    found = lookup(
        "SELECT learner_profile_id, person_name, account_email, work_email, erased_at IS NOT NULL FROM people_profile"
        " WHERE organization_id = %s AND learner_profile_id = ANY(%s)",
        organization_id,
        profile_ids,
    )
    return {profile_id: DisplayedPerson(*row) for profile_id, row in found.items()}


class RecordedName(NamedTuple):
    """A person's name as a fact recorded it, in effect from `at` on."""

    at: datetime
    fact_id: uuid.UUID
    person_name: str


def recorded_names(
    organization_id: uuid.UUID, profile_ids: Collection[uuid.UUID]
) -> dict[uuid.UUID, list[RecordedName]]:
    """All names that were ever recorded for each of those profiles, in no order; none for erased ones."""
    found: dict[uuid.UUID, list[RecordedName]] = {profile_id: [] for profile_id in profile_ids}
    for profile_id, *recorded in sql.fetch(
        "SELECT learner_profile_id, at, fact_id, person_name FROM people_personaldetail"
        " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[])"
        " AND person_name IS NOT NULL",
        [organization_id, arrays.uuids(list(profile_ids))],
    ):
        found[profile_id].append(RecordedName(*recorded))
    return found


def erasures(organization_id: uuid.UUID) -> int:
    """How many people and invitations the company has erased, in its context.

    The number only grows, in the transaction that clears the names. If it is the same before reading names and after
    storing a result made from them, the result has no erased name. A moment cannot show this, because an erasure
    commits later than its moment.
    """
    ((number,),) = sql.fetch(
        "SELECT (SELECT count(*) FROM people_erasure WHERE organization_id = %(company)s)"
        " + (SELECT count(*) FROM people_invitation WHERE organization_id = %(company)s AND erased_at IS NOT NULL)",
        {"company": organization_id},
    )
    return int(number)


class Person(NamedTuple):
    """A person as they are today; the personal fields are None once they are erased."""

    learner_profile_id: uuid.UUID
    person_name: str | None
    work_email: str | None
    account_email: str | None
    erased_at: datetime | None


CALLED_AT_MOST = 2000
"""The largest number of people that `called` returns: names of more people need another way to distinguish them."""


class Found(NamedTuple):
    """A person or an invitation that a search found."""

    learner_profile_id: uuid.UUID | None
    invitation_id: uuid.UUID | None
    person_name: str | None
    work_email: str | None
    account_email: str | None
    erased: bool


DISPLAYED_NAME = f"CASE WHEN p.erased_at IS NOT NULL THEN '{ERASED_PERSON}' ELSE p.person_name END"
"""SQL of a person's name on pages, for the row that `joined` adds."""

NAMED = """
SELECT learner_profile_id FROM people_profile
  WHERE organization_id = %(organization)s AND learner_profile_id = ANY(%(ids)s)
UNION SELECT learner_profile_id FROM people_employment
  WHERE organization_id = %(organization)s AND person_id = ANY(%(ids)s)
UNION SELECT learner_profile_id FROM people_employment
  WHERE organization_id = %(organization)s AND invitation_id = ANY(%(ids)s)
"""
"""SQL of the people whom identifiers of this room name: a profile, an employment, an invitation."""

HAPPENED = """
SELECT joined_at AS at, 'joined_company' AS what, jsonb_build_object('practice', staff_practice) AS given
  FROM people_employment WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s
UNION ALL SELECT left_at, 'left_company', jsonb_build_object() FROM people_employment
  WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s AND left_at IS NOT NULL
UNION ALL SELECT s.at, CASE WHEN s.suspended THEN 'suspended' ELSE 'resumed' END, jsonb_build_object()
  FROM people_suspension s
  JOIN people_employment e ON e.organization_id = s.organization_id AND e.person_id = s.person_id
  WHERE s.organization_id = %(organization)s AND e.learner_profile_id = %(learner)s
UNION ALL SELECT m.at, CASE WHEN m.joined THEN 'joined_team' ELSE 'left_team' END,
    jsonb_build_object('team', coalesce(t.name, ''))
  FROM people_teammembership m
  LEFT JOIN people_team t ON t.organization_id = m.organization_id AND t.team_id = m.team_id
  WHERE m.organization_id = %(organization)s AND m.learner_profile_id = %(learner)s
UNION ALL SELECT at, CASE WHEN joined THEN 'came_as_' ELSE 'went_as_' END || door, jsonb_build_object()
  FROM people_contact
  WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s
UNION ALL SELECT at, 'roles_changed', jsonb_build_object('roles', role_ids)
  FROM people_personroles WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s
UNION ALL SELECT at, 'absence_recorded', jsonb_build_object('away', ARRAY[first_day, last_day])
  FROM people_absence WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s
UNION ALL SELECT voided_at, 'absence_voided', jsonb_build_object('away', ARRAY[first_day, last_day])
  FROM people_absence
  WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s AND voided_at IS NOT NULL
UNION ALL SELECT at, 'erased', jsonb_build_object() FROM people_erasure
  WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s
"""
"""SQL of what happened to %(learner)s by the facts of this room (see `facts.happenings`)."""

ABOUT = """
SELECT person_id FROM people_employment WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s
UNION ALL
SELECT absence_id FROM people_absence WHERE organization_id = %(organization)s AND learner_profile_id = %(learner)s
"""
"""SQL of the identifiers under which the ledger keeps facts of this room about %(learner)s, beside their own."""


HERE = f"""
SELECT here.learner_profile_id, here.door FROM (
  SELECT e.learner_profile_id, 'employee' AS door FROM people_employment e WHERE e.organization_id = %(organization)s
    AND e.joined_at <= %(at)s AND (e.left_at IS NULL OR e.left_at > %(at)s) AND NOT e.staff_practice
  UNION SELECT learner_profile_id, door FROM people_contact WHERE organization_id = %(organization)s AND at <= %(at)s
    GROUP BY learner_profile_id, door HAVING {balance("joined")} > 0) here
JOIN people_profile f ON f.organization_id = %(organization)s AND f.learner_profile_id = here.learner_profile_id
  AND f.erased_at IS NULL
"""  # noqa: S608 - an expression of our own
"""SQL of the people who are present at %(at)s, and by which door: without staff practice and erased people.

Comings and goings of contacts alternate (`validating`), and so do suspensions."""


OPEN_DOORS = f"""
SELECT h.learner_profile_id, h.door FROM ({HERE}) h
WHERE h.learner_profile_id = ANY(%(learners)s::uuid[]) AND NOT (h.door = 'employee' AND coalesce((
  SELECT {balance("s.suspended")} > 0 FROM people_suspension s
  JOIN people_employment e ON e.organization_id = s.organization_id AND e.person_id = s.person_id
  WHERE s.organization_id = %(organization)s AND e.learner_profile_id = h.learner_profile_id AND s.at <= %(at)s
    AND e.joined_at <= %(at)s AND (e.left_at IS NULL OR e.left_at > %(at)s)), false))
"""  # noqa: S608 - an expression of our own
"""SQL of the doors by which those of %(learners)s may come in at %(at)s: as `HERE`, without the suspended."""


def members(teams: str) -> str:
    """SQL of who is in any of the teams (SQL of an array) at %(at)s."""
    moves = last_moves(
        "team_id, learner_profile_id",
        f"organization_id = %(organization)s AND at <= %(at)s AND team_id = ANY(({teams})::uuid[])",
    )
    return f"SELECT learner_profile_id FROM ({moves}) m WHERE joined"  # noqa: S608


def named_teams(teams: str) -> str:
    """SQL of the names, as an array, of those of the teams (SQL of an array) that %(learner)s is in at %(at)s."""
    moves = last_moves(
        "team_id", "organization_id = %(organization)s AND learner_profile_id = %(learner)s AND at <= %(at)s"
    )
    return f"""ARRAY(SELECT t.name FROM ({moves}) m
  JOIN people_team t ON t.organization_id = %(organization)s AND t.team_id = m.team_id
  WHERE m.joined AND m.team_id = ANY({teams}) ORDER BY t.name)"""  # noqa: S608


def joined(alias: str, organization: str = "") -> str:
    """SQL that joins the person of `alias`.learner_profile_id as `p`: all null where there is none.

    `organization` is SQL of the company. It is required if `alias` is a sub-query: otherwise a cluster cannot plan the
    join.
    """
    return (
        f" LEFT JOIN people_profile p ON p.organization_id = {organization or f'{alias}.organization_id'}"
        f" AND p.learner_profile_id = {alias}.learner_profile_id"
    )


def looked_up(alias: str) -> str:
    """As `joined`, by one index lookup for each row: for a few rows of a large company."""
    return (
        " LEFT JOIN LATERAL (SELECT * FROM people_profile f WHERE f.organization_id = (SELECT %(organization)s::uuid)"  # noqa: S608
        f" AND f.learner_profile_id = {alias}.learner_profile_id LIMIT 1) p ON true"
    )


def person(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> Person | None:
    """The person; None if the company has none with this identifier."""
    found = Profile.objects.filter(organization_id=organization_id, learner_profile_id=learner_profile_id)
    row = found.values_list(*Person._fields).first()
    return Person._make(row) if row else None


def name_of(organization_id: uuid.UUID, learner_profile_id: uuid.UUID) -> str | None:
    """The person's current name; None without a name, or once erased."""
    found = Profile.objects.filter(organization_id=organization_id, learner_profile_id=learner_profile_id)
    return found.values_list("person_name", flat=True).first()


def search(organization_id: uuid.UUID, words: Sequence[str], most: int) -> list[Found]:
    """The first `most` people whose name or addresses contain every word, then as many invitations nobody accepted.

    Case and accents are ignored. One statement over the company's own rows, on a column that the database computes
    (row-level security prevents LIKE from using an index, and people type parts from the middle of a name).
    """
    rows = sql.fetch(
        f"""
        WITH wanted AS MATERIALIZED ({searching.PATTERNS})
        (SELECT learner_profile_id, NULL::uuid, person_name, work_email, account_email, erased_at IS NOT NULL
         FROM people_profile
         WHERE organization_id = %(organization)s AND search_text LIKE ALL ((SELECT * FROM wanted)::text[])
         ORDER BY lower(person_name), learner_profile_id LIMIT %(most)s)
        UNION ALL
        (SELECT NULL::uuid, invitation_id, person_name, work_email, NULL, false
         FROM people_invitation i
         WHERE organization_id = %(organization)s AND search_text LIKE ALL ((SELECT * FROM wanted)::text[])
           AND NOT EXISTS (SELECT 1 FROM people_employment e WHERE e.organization_id = %(organization)s
                           AND e.invitation_id = i.invitation_id)
         ORDER BY lower(person_name), invitation_id LIMIT %(most)s)
        """,  # noqa: S608 - an expression of our own
        {"organization": organization_id, "words": list(words), "most": most},
    )
    return [Found(*row) for row in rows]


def called(organization_id: uuid.UUID, texts: Sequence[str]) -> dict[str, list[Found]]:
    """The people whose whole name, or an address, equals each of the texts; case and accents are ignored.

    One statement, however many texts; erased people are never found.
    """
    name, work, account = (searching.folded(f"p.{each}") for each in ("person_name", "work_email", "account_email"))
    rows = sql.fetch(
        f"""
        WITH wanted AS MATERIALIZED (
          SELECT text, {searching.folded("text")} AS folded FROM unnest(%(texts)s::text[]) text)
        SELECT w.text, p.learner_profile_id, NULL::uuid, p.person_name, p.work_email, p.account_email, false
        FROM people_profile p JOIN wanted w ON w.folded IN ({name}, {work}, {account})
        WHERE p.organization_id = %(organization)s AND p.erased_at IS NULL
        ORDER BY lower(p.person_name), p.learner_profile_id LIMIT %(most)s
        """,  # noqa: S608 - expressions of our own
        {"organization": organization_id, "texts": list(texts), "most": CALLED_AT_MOST},
    )
    found: dict[str, list[Found]] = {}
    for text, *row in rows:
        found.setdefault(text, []).append(Found(*row))
    return found


def present_employment(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, at: datetime) -> uuid.UUID | None:
    """The `person_id` of the person's employment at `at`; None without one."""
    found = Employment.objects.filter(
        Q(left_at=None) | Q(left_at__gt=at),
        organization_id=organization_id,
        learner_profile_id=learner_profile_id,
        joined_at__lte=at,
    )
    return found.order_by("-joined_at").values_list("person_id", flat=True).first()


def employments_of(organization_id: uuid.UUID, learners: Collection[uuid.UUID]) -> list[uuid.UUID]:
    """The `person_id` of every employment of these people, under which facts about an employment are kept."""
    found = Employment.objects.filter(organization_id=organization_id, learner_profile_id__in=learners)
    return list(found.values_list("person_id", flat=True))


def doors_of(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, at: datetime) -> frozenset[Door]:
    """The doors by which the person may come in at `at`: none if they left, are suspended or were erased."""
    asked = {"organization": organization_id, "learners": arrays.uuids([learner_profile_id]), "at": at}
    return frozenset(Door(door) for _, door in sql.fetch(OPEN_DOORS, asked))


class AddressOf(NamedTuple):
    """A person with an address; `of_account`: it is the account's address, otherwise only the work address."""

    organization_id: uuid.UUID
    learner_profile_id: uuid.UUID
    of_account: bool


def people_with_address(address: str) -> list[AddressOf]:
    """Everybody, in any company, whose account's or work address this is, ignoring case.

    The only read of this room without a company: a request for a link by an address names none. For the worker.
    """
    rows = nodes.fetch(
        "SELECT organization_id, learner_profile_id, of_account"
        " FROM people_with_address(%(address)s::text, %(companies)s::uuid[])",
        {"address": address},
    )
    return sorted(AddressOf(*row) for row in rows)


def roles_of(organization_id: uuid.UUID, learner_profile_id: uuid.UUID, at: datetime) -> frozenset[str]:
    """The person's roles at `at`: those of the latest fact that states any; of equal moments, the greater fact_id.

    Lessons may be required for roles (`requiredFor` of a course's content). Empty for erased people.
    """
    return roles_of_each(organization_id, [learner_profile_id], at).get(learner_profile_id, frozenset())


def roles_of_each(
    organization_id: uuid.UUID, learner_profile_ids: Collection[uuid.UUID], at: datetime
) -> dict[uuid.UUID, frozenset[str]]:
    """As `roles_of`, for several people in one statement; those without roles are missing."""
    rows = sql.fetch(
        "SELECT DISTINCT ON (learner_profile_id) learner_profile_id, role_ids FROM people_personroles"
        " WHERE organization_id = (SELECT %s::uuid) AND learner_profile_id = ANY(%s::uuid[]) AND at <= %s"
        " ORDER BY learner_profile_id, at DESC, fact_id DESC",
        [organization_id, list(learner_profile_ids), at],
    )
    return {learner_profile_id: frozenset(role_ids or ()) for learner_profile_id, role_ids in rows}


def employees(organization_id: uuid.UUID, at: datetime) -> int:
    """How many people are employed at `at`; staff practice does not count."""
    found = Employment.objects.filter(Q(left_at=None) | Q(left_at__gt=at), organization_id=organization_id)
    return found.filter(joined_at__lte=at, staff_practice=False).count()


def known_people(organization_id: uuid.UUID) -> int:
    """How many people the company has, including erased ones."""
    return Profile.objects.filter(organization_id=organization_id).count()


def has_more_than(organization_id: uuid.UUID, people: int) -> bool:
    """Whether the company has more than `people` people."""
    return len(Profile.objects.filter(organization_id=organization_id).values("id")[: people + 1]) > people


def team_names(organization_id: uuid.UUID, most: int | None = None) -> dict[uuid.UUID, str]:
    """The names of the first `most` teams (None: all) by name, keyed by `team_id`."""
    found = Team.objects.filter(organization_id=organization_id).order_by(Lower("name"), "team_id")
    return dict(found.values_list("team_id", "name")[:most])


def named(organization_id: uuid.UUID, team_ids: Collection[uuid.UUID]) -> dict[uuid.UUID, str]:
    """The names of those of the teams that the company has, in order of name; without teams no statement is run."""
    found = Team.objects.filter(organization_id=organization_id, team_id__in=set(team_ids))
    return dict(found.order_by(Lower("name"), "team_id").values_list("team_id", "name")) if team_ids else {}


def teams_of(
    organization_id: uuid.UUID, learner_profile_id: uuid.UUID, moment: datetime
) -> list[tuple[uuid.UUID, str]]:
    """The teams that the person is in at the moment, by name."""
    moves = last_moves(
        "team_id", "organization_id = %(organization)s AND learner_profile_id = %(learner)s AND at <= %(moment)s"
    )
    rows = sql.fetch(
        f"SELECT t.team_id, t.name FROM ({moves}) m"  # noqa: S608 - an expression of our own
        " JOIN people_team t ON t.organization_id = %(organization)s AND t.team_id = m.team_id"
        " WHERE m.joined ORDER BY t.name",
        {"organization": organization_id, "learner": learner_profile_id, "moment": moment},
    )
    return [(row[0], row[1]) for row in rows]
