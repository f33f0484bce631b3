"""The name on a certificate is the holder's name at its issue, stored when it is first recorded, and never changes."""

import importlib
import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from compliance.facts.certificates.models import IssuedName
from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_person
from compliance.history.actions import capture_all
from compliance.history.verify import Verified, verify_history
from compliance.rules.owed_learning.identity import certificate_id
from compliance.tenancy import context, sql
from tests.facts.story import BEGIN, Story
from tests.interfaces.api.conftest import Caller, issue_everything

ACTOR = uuid.UUID(int=7)


def after(days: float) -> datetime:
    return BEGIN + timedelta(days=days)


class Named:
    """Ana Reis, who may earn certificates, and the names on them."""

    def __init__(self, now: datetime, **joined: Any) -> None:
        self.story = Story(now)
        self.organization_id = self.story.organization_id
        self.course_id, self.release_id = self.story.shared_course()
        self.person = self.story.employee(**({"name": "Ana Reis"} | joined))
        self.call = Caller(issue_everything(self.organization_id, now))

    def earns(self, days: float) -> uuid.UUID:
        receipt_id = self.story.completed(self.person, self.release_id, after(days))
        self.captured()
        return certificate_id(self.organization_id, receipt_id)

    def corrected(self, certificate: uuid.UUID, days: float, name: str | None = None) -> uuid.UUID:
        line = kinds.CertificateCorrected(
            fact_id=uuid.uuid4(), at=after(days), certificate_id=uuid.uuid4(), supersedes_id=certificate,
            person_name=name, actor_id=ACTOR,
        )  # fmt: skip
        self.story.tell([line])
        self.captured()
        return line.certificate_id

    def is_called(self, name: str, days: float) -> None:
        line = kinds.PersonChanged(
            fact_id=uuid.uuid4(), at=after(days), learner_profile_id=self.person, person_name=name
        )
        self.story.tell([line])
        self.captured()

    def captured(self) -> None:
        capture_all(self.organization_id, self.story.now)

    def rows(self) -> dict[uuid.UUID, dict[str, Any]]:
        return {uuid.UUID(row["certificate_id"]): row for row in self.call.pull("/v1/certificates")}

    def names(self) -> dict[uuid.UUID, str]:
        return {certificate: row["person_name"] for certificate, row in self.rows().items()}


@pytest.fixture
def ana(db: None, now: datetime) -> Named:
    return Named(now)


@pytest.fixture
def committed_ana(committed: None, now: datetime) -> Named:
    """Ana in committed rows, because check codes are looked up on a connection without a company."""
    return Named(now)


def test_a_name_recorded_later_changes_no_certificate_whatever_moment_it_is_of(ana: Named) -> None:
    certificate = ana.earns(5)
    for days in (30, 4, 5, -1):  # later, just before the issue, at it, before joining
        ana.is_called(f"Ana of {days}", days)
        assert ana.names() == {certificate: "Ana Reis"}
    assert isinstance(verify_history(ana.organization_id), Verified)


def test_the_check_page_and_the_printed_certificate_show_the_name_that_the_register_shows(committed_ana: Named) -> None:
    certificate = committed_ana.earns(5)
    committed_ana.is_called("Ana Lopes", 4)
    code = committed_ana.rows()[certificate]["check_code"]
    page = Client().get(f"/check/{code}").content.decode()
    assert "Ana Reis" in page
    assert "Lopes" not in page
    assert Client().get(f"/check/{code}/certificate.pdf").status_code == 200


def test_a_completion_recorded_late_bears_the_name_of_the_moment_at_which_it_was_issued(ana: Named) -> None:
    ana.is_called("Ana Lopes", 30)
    then = ana.earns(10)
    ana.is_called("Ana Maria", 9)
    assert ana.names() == {then: "Ana Reis"}


def test_a_completion_recorded_anew_is_issued_anew_on_the_name_known_by_then(ana: Named) -> None:
    first = ana.earns(5)
    ana.is_called("Ana Lopes", 4)
    (receipt,) = (row["completion_receipt_id"] for row in ana.call.pull("/v1/training-records"))
    ana.story.tell(
        [
            kinds.CompletionVoided(
                fact_id=uuid.uuid4(), at=after(6), completion_receipt_id=uuid.UUID(receipt), actor_id=ACTOR
            )
        ]
    )
    ana.captured()
    assert ana.names() == {first: "Ana Reis"}
    again = ana.earns(5.5)
    assert ana.names() == {first: "Ana Reis", again: "Ana Lopes"}


def test_a_correction_bears_its_own_name_else_the_latest_recorded_by_its_moment(ana: Named) -> None:
    first = ana.earns(5)
    named = ana.corrected(first, 10, "Ana M. Reis")
    follows = ana.corrected(named, 12)
    ana.is_called("Ana Lopes", 20)
    after_marriage = ana.corrected(follows, 25)
    ana.is_called("Ana Lopes Reis", 24)
    assert ana.names() == {
        first: "Ana Reis", named: "Ana M. Reis", follows: "Ana M. Reis", after_marriage: "Ana Lopes",
    }  # fmt: skip


@pytest.mark.django_db
def test_who_had_no_name_at_the_issue_bears_the_first_that_becomes_known(now: datetime) -> None:
    nobody = Named(now, person_name=None)
    certificate = nobody.earns(5)
    assert nobody.names() == {certificate: None}
    nobody.is_called("Ana Reis", 40)
    nobody.is_called("Ana Lopes", 50)
    assert nobody.names() == {certificate: "Ana Reis"}


def test_an_erasure_clears_the_names_on_certificates(ana: Named) -> None:
    certificate = ana.earns(5)
    erase_person(organization_id=ana.organization_id, learner_profile_id=ana.person, at=ana.story.now)
    ana.captured()
    assert ana.names() == {certificate: "Erased person"}
    with context.company(ana.organization_id):
        assert list(IssuedName.objects.values_list("certificate_id", "person_name")) == [(certificate, None)]


@pytest.mark.one_server("Citus refuses recursive queries over all companies; this migration is older than clusters")
def test_the_migration_keeps_the_names_of_certificates_that_are_stored_already(ana: Named) -> None:
    first = ana.earns(5)
    corrected = ana.corrected(first, 10, "Ana M. Reis")
    expected = {first: "Ana Reis", corrected: "Ana M. Reis"}
    migration = importlib.import_module("compliance.history.migrations.0006_names_as_issued")
    with context.company(ana.organization_id):
        IssuedName.objects.all().delete()
        for _ in range(2):
            sql.execute(migration.FORWARD, [])
        assert dict(IssuedName.objects.values_list("certificate_id", "person_name")) == expected
    ana.is_called("Ana Lopes", 4)
    assert ana.names() == expected
