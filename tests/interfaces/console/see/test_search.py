"""Search ignores accents and case, takes any input literally, and does not find people who were erased."""

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from compliance.facts.people.erasing import erase_person
from compliance.facts.people.queries import search
from compliance.interfaces.console.permissions import OPERATOR
from compliance.tenancy import context, sql
from tests import verbs
from tests.interfaces.console.test_acting import company

__all__ = ["company"]

pytestmark = pytest.mark.django_db
NAMES = [
    "Zoë Brontë-Müller", "Łukasz Żółć", "Søren Ågård", "Jürgen Groß", "Æsa Œuvre", "İpek Işık", "Ñuñez D’Or",
    "Ольга Ёлкина", "Σωκράτης Άγγελος", "Renée Dupré", "Zoe\u0308 Decomposed", "Ｆｕｌｌ Ｗｉｄｔｈ",
]  # fmt: skip


def _found(company, wanted):
    with context.company(company.organization_id):
        return {found.person_name for found in search(company.organization_id, wanted.split(), 50)}


@pytest.fixture
def named(company):
    for name in NAMES:
        company.join(name, account_email=f"{uuid.uuid4().hex}@example.org")
    return company


@pytest.mark.parametrize(
    "wanted, name",
    [
        ("zoe bronte", "Zoë Brontë-Müller"), ("MÜLLER", "Zoë Brontë-Müller"), ("muller", "Zoë Brontë-Müller"),
        ("muller zoe", "Zoë Brontë-Müller"), ("lukasz zolc", "Łukasz Żółć"), ("ŁUKASZ", "Łukasz Żółć"),
        ("soren agard", "Søren Ågård"), ("gross", "Jürgen Groß"), ("GROSS jur", "Jürgen Groß"),
        ("aesa oeuvre", "Æsa Œuvre"), ("ipek isik", "İpek Işık"), ("nunez d'or", "Ñuñez D’Or"),
        ("ольга елкина", "Ольга Ёлкина"), ("ΟΛΓΑ", None), ("σωκρατησ αγγελοσ", "Σωκράτης Άγγελος"),
        ("Σωκράτης", "Σωκράτης Άγγελος"), ("dupre\u0301", "Renée Dupré"), ("zoë decomp", "Zoe\u0308 Decomposed"),
        ("full width", "Ｆｕｌｌ Ｗｉｄｔｈ"), ("zoe nobody", None),
    ],
)  # fmt: skip
def test_people_are_found_without_accents_and_case(named, wanted, name):
    assert _found(named, wanted) == ({name} if name else set())


@pytest.mark.parametrize("wanted", ["%", "100% sure", "a_b", "_____", "\\", "back\\slash\\", "％", "''", "%s %(x)s"])
def test_what_is_typed_is_taken_literally(named, wanted):
    assert _found(named, wanted) == set()
    named.join(f"Odd {wanted} name", account_email="odd@example.org")
    assert len(_found(named, f"odd {wanted}")) == 1


def test_the_page_finds_without_accents(staff, named):
    client = staff(OPERATOR)
    page = client.post(f"/console/companies/{named.organization_id}/search/", {"q": "ZOE BRONTE"}).content.decode()
    assert "Zoë Brontë-Müller" in page


def test_people_who_are_only_invited_are_found_too(named):
    verbs.invite_person(
        organization_id=named.organization_id, at=named.start, work_email="jose@example.org", person_name="José Peña"
    )
    assert _found(named, "jose pena") == {"José Peña"}


def test_whoever_is_erased_is_found_no_more_and_leaves_nothing_to_be_searched(named):
    anna = named.join("Änne Kühn")
    assert _found(named, "anne kuhn") == {"Änne Kühn"}
    erase_person(organization_id=named.organization_id, learner_profile_id=anna.learner_profile_id, at=timezone.now())
    assert _found(named, "kuhn") == set()
    with context.company(named.organization_id):
        rows = sql.fetch(
            "SELECT search_text FROM people_profile WHERE organization_id = %s AND learner_profile_id = %s",
            [named.organization_id, anna.learner_profile_id],
        )
    assert [text.strip() for (text,) in rows] == [""]


def test_a_search_is_one_statement_however_many_people_and_words(named):
    for wanted in ("zoe", "zoe bronte muller a b c d"):
        with context.company(named.organization_id), CaptureQueriesContext(connection) as queries:
            search(named.organization_id, wanted.split(), 50)
        assert len(queries) == 1
