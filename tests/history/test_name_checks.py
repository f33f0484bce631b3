"""Names that are swapped or altered in the database break no hash; verification finds them by their commitments."""

import uuid
from datetime import timedelta

import psycopg
import pytest

from compliance.facts.lines.kinds import Certificate
from compliance.facts.people.erasing import erase_person
from compliance.history import actions
from compliance.history.verify import FirstFault, Verified, verify_history
from compliance.rules.vocabulary import CertificateKind
from tests import verbs
from tests.companies import NOW, Person, day, make_company

PEOPLE = ("Anna", "Bo")


@pytest.fixture
def organization_id(committed: None) -> uuid.UUID:
    """Two people with names, addresses and certificates, and two invitations."""
    company = make_company()
    course = company.course(certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION))
    company.share(course)
    for number, name in enumerate(PEOPLE):
        about = {"organization_id": company.organization_id, "now": NOW, "at": day(0)}
        invitation = verbs.invite_person(**about, work_email=f"{name}@work.example")
        company.complete(company.join(name, day(1), invitation_id=invitation), course, day(3 + number))
        verbs.invite_person(**about, work_email=f"{name}@invited.example", person_name=f"Invited {name}")
    actions.capture_all(company.organization_id, NOW)
    return company.organization_id


def _swap(table: str, columns: str, key: str, among: str = "true") -> str:
    """SQL that swaps columns of two rows."""
    assignments = ", ".join(f"{column} = b.{column}" for column in columns.split())
    return (
        f"WITH two AS (SELECT * FROM {table} WHERE organization_id = %(company)s AND {among})"
        f" UPDATE {table} a SET {assignments} FROM two b, two own"
        f" WHERE a.organization_id = %(company)s AND own.{key} = a.{key} AND b.{key} <> a.{key}"
    )


_OF_PEOPLE = "subject_id IN (SELECT learner_profile_id FROM people_profile)"
_OPEN = "person_name LIKE 'Invited %%'"
ATTACKS = {
    "names shown": _swap("people_profile", "person_name", "id"),
    "addresses shown": _swap("people_profile", "work_email", "id"),
    "names of invitations shown": _swap("people_invitation", "person_name", "id", _OPEN),
    "names kept": _swap("people_identity", "person_name", "subject_id", _OF_PEOPLE),
    "names kept, with salts": _swap("people_identity", "person_name work_email salt", "subject_id", _OF_PEOPLE),
    "names kept, with commitments": _swap(
        "people_identity", "person_name work_email salt identity_sha256", "subject_id", _OF_PEOPLE
    ),
    "names on certificates": _swap("certificates_issuedname", "person_name", "certificate_id"),
    "names on certificates, with salts": _swap("certificates_issuedname", "person_name salt", "certificate_id"),
    "names on certificates, with commitments": _swap(
        "certificates_issuedname", "person_name salt identity_sha256", "certificate_id"
    ),
    "salts gone": "UPDATE people_identity SET salt = NULL WHERE organization_id = %(company)s",
    "salts of certificates gone": (
        "UPDATE certificates_issuedname SET salt = NULL, person_name = 'Other' WHERE organization_id = %(company)s"
    ),
    "commitments gone": "DELETE FROM people_identity WHERE organization_id = %(company)s",
    "commitments of certificates gone": (
        "UPDATE certificates_issuedname SET salt = NULL, identity_sha256 = NULL WHERE organization_id = %(company)s"
    ),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_altered_name_is_found(organization_id: uuid.UUID, owner: psycopg.Connection, attack: str) -> None:
    assert isinstance(verify_history(organization_id), Verified)
    altered = owner.execute(ATTACKS[attack], {"company": organization_id})
    assert altered.rowcount > 1
    assert isinstance(verify_history(organization_id), FirstFault)


def test_both_current_names_and_kept_names_swapped_are_found(
    organization_id: uuid.UUID, owner: psycopg.Connection
) -> None:
    for attack in ("names shown", "addresses shown", "names kept, with salts"):
        owner.execute(ATTACKS[attack], {"company": organization_id})
    fault = verify_history(organization_id)
    assert isinstance(fault, FirstFault)
    assert "commits to another name or address than is kept" in fault.sentence
    assert not any(name in fault.sentence for name in PEOPLE)


def test_a_name_that_no_capture_has_taken_in_yet_is_no_fault(committed: None) -> None:
    company = make_company()
    anna: Person = company.join("Anna")
    actions.capture_all(company.organization_id, NOW)
    about = {"organization_id": company.organization_id, "learner_profile_id": anna.learner_profile_id, "now": NOW}
    verbs.change_person(**about, at=NOW, person_name="Anna Dahl")
    verbs.change_person(**about, at=NOW + timedelta(minutes=4), person_name="Anna Ek")
    for captured_at in (NOW, NOW + timedelta(hours=1)):
        assert isinstance(verify_history(company.organization_id), Verified)
        actions.capture_all(company.organization_id, captured_at)
    assert isinstance(verify_history(company.organization_id), Verified)
    erase_person(
        organization_id=company.organization_id, learner_profile_id=anna.learner_profile_id,
        at=NOW + timedelta(hours=1),
    )  # fmt: skip
    assert isinstance(verify_history(company.organization_id), Verified)
