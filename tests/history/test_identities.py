"""Rows of people and certificates commit to their current names; an erasure clears the names behind them."""

import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import Any, NamedTuple

import orjson
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from compliance.catalogue.certificates import CERTIFICATES
from compliance.catalogue.people import PEOPLE
from compliance.facts.certificates.models import IssuedName
from compliance.facts.identities import Identities, identity_behind
from compliance.facts.lines.kinds import Certificate, CertificateRevoked, PersonChanged
from compliance.facts.people.erasing import erase_invitation, erase_person
from compliance.facts.people.models import Identity
from compliance.facts.recording import act
from compliance.history import actions
from compliance.history.models import HistoryRow
from compliance.history.projections import stored_identity
from compliance.history.verify import Verified, verify_history
from compliance.proofs.identity import identity_sha256
from compliance.rules.vocabulary import CertificateKind
from compliance.tenancy import context
from tests import verbs
from tests.companies import NOW, Company, Person, day, make_company
from tests.history.reading import rows
from tests.interfaces.api.conftest import Caller, issue_everything

pytestmark = pytest.mark.django_db
LATER = NOW + timedelta(hours=1)


class Staffed(NamedTuple):
    """Anna joined by an invitation and earned a certificate; Bo has no name; nobody has accepted Cleo's invitation."""

    company: Company
    anna: Person
    invitation: uuid.UUID
    cleo: uuid.UUID

    @property
    def organization_id(self) -> uuid.UUID:
        return self.company.organization_id

    def capture(self) -> None:
        actions.capture_all(self.organization_id, LATER)

    def rename(self, name: str, at: Any = NOW) -> None:
        change = {"learner_profile_id": self.anna.learner_profile_id, "person_name": name}
        verbs.change_person(organization_id=self.organization_id, at=at, now=NOW, **change)

    def rows(self, register: int, record_id: uuid.UUID) -> list[HistoryRow]:
        return [row for row in rows(self.organization_id, register) if str(record_id) in row.body]

    def behind(self, row: HistoryRow) -> tuple[str | None, str | None] | None:
        """The name and the address behind the commitment of a row, which they give."""
        identity = stored_identity(row.body)
        assert identity
        with context.company(self.organization_id):
            found = identity_behind(self.organization_id, identity)
        if found is None:
            return None
        assert identity_sha256(*found) == identity
        return found.person_name, found.work_email

    def certificate(self) -> list[HistoryRow]:
        return rows(self.organization_id, CERTIFICATES.number)


@pytest.fixture
def staffed() -> Iterator[Staffed]:
    company = make_company()
    about = {"organization_id": company.organization_id, "now": NOW}
    course = company.course(certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION, valid_months=12))
    invitation = verbs.invite_person(**about, at=day(0), work_email="anna@work.example", person_name="A. Berg")
    anna = company.join("Anna Berg", day(1), invitation_id=invitation)
    company.join("Bo", person_name=None, account_email=None)
    cleo = verbs.invite_person(**about, at=day(2), work_email="cleo@work.example")
    company.share(course)
    company.complete(anna, course, day(3))
    actions.capture_all(company.organization_id, NOW)
    yield Staffed(company, anna, invitation, cleo)
    assert isinstance(verify_history(company.organization_id), Verified)


def test_every_row_commits_to_the_name_and_address_that_the_api_shows_with_it(staffed: Staffed) -> None:
    call = Caller(issue_everything(staffed.organization_id, NOW))
    listed = call.pull(f"/v1/people?from={day(0).date()}&to={day(20).date()}")
    assert {row["person_name"] for row in listed} == {"Anna Berg", None}
    assert len(listed) == 4
    for row in listed:
        for stored in staffed.rows(PEOPLE.number, row["person_id"]):
            assert staffed.behind(stored) == (row["person_name"], row["work_email"])
    (certificate,) = call.pull("/v1/certificates")
    (stored,) = staffed.certificate()
    assert staffed.behind(stored) == (certificate["person_name"], None) == ("Anna Berg", None)
    assert not any("identity" in name for row in [*listed, certificate] for name in row)


def test_salt_and_commitment_stay_while_name_and_address_do(staffed: Staffed) -> None:
    first, *_ = staffed.rows(PEOPLE.number, staffed.anna.person_id)
    staffed.company.leave(staffed.anna, day(9))
    staffed.capture()
    ended = staffed.rows(PEOPLE.number, staffed.anna.person_id)[-1]
    assert ended.state == "ended"
    assert stored_identity(ended.body) == stored_identity(first.body)


def test_a_new_name_appends_a_version_at_every_boundary_of_the_person_s_rows(staffed: Staffed) -> None:
    of_anna = (staffed.anna.person_id, staffed.invitation)
    before = [staffed.rows(PEOPLE.number, record_id) for record_id in of_anna]
    last = rows(staffed.organization_id)[-1].sequence
    staffed.rename("Anna Dahl")
    staffed.capture()
    for record_id, stood in zip(of_anna, before, strict=True):
        appended = [row for row in staffed.rows(PEOPLE.number, record_id) if row.sequence > last]
        assert [row.valid_from for row in appended] == sorted({row.valid_from for row in stood})
        assert {staffed.behind(row) for row in appended} == {("Anna Dahl", "anna@work.example")}
        assert {staffed.behind(row) for row in stood} == {("Anna Berg", "anna@work.example")}
    assert {row.register for row in rows(staffed.organization_id) if row.sequence > last} == {PEOPLE.number}


def test_a_name_recorded_ahead_of_time_is_committed_to_from_its_moment_on(staffed: Staffed) -> None:
    staffed.rename("Anna Dahl", at=NOW + timedelta(minutes=4))
    staffed.company.leave(staffed.anna, day(9))
    actions.capture_all(staffed.organization_id, NOW)
    assert staffed.behind(staffed.rows(PEOPLE.number, staffed.anna.person_id)[-1]) == (
        "Anna Berg", "anna@work.example",
    )  # fmt: skip
    staffed.capture()
    assert staffed.behind(staffed.rows(PEOPLE.number, staffed.anna.person_id)[-1]) == (
        "Anna Dahl", "anna@work.example",
    )  # fmt: skip


def test_a_certificate_keeps_the_commitment_it_got_whatever_the_holder_is_called_later(staffed: Staffed) -> None:
    (issued,) = staffed.certificate()
    staffed.rename("Anna Dahl", at=day(2))
    certificate_id = uuid.UUID(orjson.loads(issued.body)["certificate_id"])
    act(
        CertificateRevoked, organization_id=staffed.organization_id, at=day(8), now=NOW,
        certificate_id=certificate_id, actor_id=uuid.uuid4(),
    )  # fmt: skip
    staffed.capture()
    _, revoked = staffed.certificate()
    assert revoked.state == "revoked"
    assert stored_identity(revoked.body) == stored_identity(issued.body)
    assert staffed.behind(revoked) == ("Anna Berg", None)


def test_after_an_erasure_nothing_lies_behind_any_commitment_and_every_hash_holds(staffed: Staffed) -> None:
    organization_id = staffed.organization_id
    staffed.rename("Anna Dahl")
    staffed.capture()
    before = rows(organization_id)
    erase_person(organization_id=organization_id, learner_profile_id=staffed.anna.learner_profile_id, at=LATER)
    erase_invitation(organization_id=organization_id, invitation_id=staffed.cleo, at=LATER)
    staffed.capture()
    about = (staffed.anna.person_id, staffed.invitation, staffed.cleo, staffed.anna.learner_profile_id)
    committed = [row for row in before if any(str(each) in row.body for each in about) and stored_identity(row.body)]
    assert len(committed) > 6
    assert {staffed.behind(row) for row in committed} == {None}
    appended = [row for row in rows(organization_id) if row.sequence > before[-1].sequence]
    people = [row for row in appended if row.register == PEOPLE.number]
    assert {orjson.loads(row.body)["identity_sha256"] for row in people} == {None}
    for record_id in (staffed.anna.person_id, staffed.invitation, staffed.cleo):
        stood = {row.valid_from for row in before if row.register == PEOPLE.number and str(record_id) in row.body}
        assert stood < {row.valid_from for row in people if str(record_id) in row.body}


def test_a_capture_clears_what_a_release_left_that_erased_without_knowing_of_commitments(staffed: Staffed) -> None:
    organization_id = staffed.organization_id
    about = (staffed.anna.learner_profile_id, staffed.invitation)

    def left() -> list[bool]:
        with context.company(organization_id):
            people = Identity.objects.filter(subject_id__in=about, salt__isnull=False)
            return [people.exists(), IssuedName.objects.filter(salt__isnull=False).exists()]

    with context.company(organization_id):
        kept = [list(model.objects.values()) for model in (Identity, IssuedName)]
    erase_person(organization_id=organization_id, learner_profile_id=staffed.anna.learner_profile_id, at=LATER)
    assert left() == [False, False]
    with context.company(organization_id):
        for row in kept[0]:
            of_company = Identity.objects.filter(organization_id=row["organization_id"])
            columns = {name: value for name, value in row.items() if name != "organization_id"}
            of_company.filter(identity_sha256=row["identity_sha256"]).update(**columns)
        for row in kept[1]:
            IssuedName.objects.filter(identity_sha256=row["identity_sha256"]).update(salt=row["salt"])
    assert left() == [True, True]
    staffed.capture()
    assert left() == [False, False]


def test_an_erasure_that_is_quicker_than_the_capture_leaves_nothing_to_be_kept(staffed: Staffed) -> None:
    organization_id = staffed.organization_id
    profile_id = staffed.anna.learner_profile_id
    staffed.rename("Anna Dahl")
    with context.company(organization_id):
        identities = Identities(organization_id, LATER)
        commitments = identities.people.of_people([profile_id]) | identities.people.of_invitations([staffed.cleo])
        identities.certificates.load([profile_id])
        late = uuid.uuid4()
        certificate = identities.certificates.begin(late, profile_id, day(4))
        erase_person(organization_id=organization_id, learner_profile_id=profile_id, at=LATER)
        erase_invitation(organization_id=organization_id, invitation_id=staffed.cleo, at=LATER)
        identities.keep(99)
        assert {identity_behind(organization_id, each) for each in (*commitments.values(), certificate)} == {None}
        assert not Identity.objects.filter(capture_sequence=99, salt__isnull=False).exists()


def test_commitments_take_as_many_statements_for_many_people_as_for_few() -> None:
    numbers = []
    for people in (8, 40):  # of either there are enough rows for a subtree, whose root takes a statement
        company = make_company()
        course = company.course(certificate=Certificate(title="Fire", kind=CertificateKind.COMPLETION))
        company.share(course)
        for number in range(people):
            address = f"{number}@work.example"
            invitation = verbs.invite_person(
                organization_id=company.organization_id, at=day(0), now=NOW, work_email=address
            )
            joined = company.join(f"Person {number}", day(1), invitation_id=invitation)
            company.complete(joined, course, day(3))
        with CaptureQueriesContext(
            connection,
        ) as captured:
            actions.capture(company.organization_id, NOW)
        numbers.append(len(captured))
    assert numbers[0] == numbers[1]


def test_a_change_that_changes_no_name_appends_nothing(staffed: Staffed) -> None:
    before = rows(staffed.organization_id)
    act(
        PersonChanged, organization_id=staffed.organization_id, at=NOW, now=NOW,
        learner_profile_id=staffed.anna.learner_profile_id, person_name="Anna Berg",
    )  # fmt: skip
    staffed.capture()
    assert len(rows(staffed.organization_id)) == len(before)
