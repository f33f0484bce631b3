"""Receipts: one chain for each company, the cycle of each receipt, and who may not sign."""

import uuid
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from compliance.facts.errors import (
    AlreadyExistsError,
    ErasedPersonError,
    FactsError,
    FutureFactError,
    InvalidContentError,
    RefusedByRuleError,
    UnresolvedReferenceError,
)
from compliance.facts.lines import kinds
from compliance.facts.people.erasing import erase_person
from compliance.facts.policies.actions import sign_policy
from compliance.facts.policies.chain import SealedVersion, check_chain, lock_chain, stored_chain, verify
from compliance.facts.policies.errors import BrokenReceiptChainError, SignatureError, SigningRefusedError
from compliance.facts.policies.models import RawSignature, Receipt
from compliance.proofs.digests import ZERO_DIGEST
from compliance.rules.vocabulary import ChangeKind, Door, PolicyAct
from compliance.tenancy import context, sql
from tests.facts.story import BEGIN, Story

pytestmark = pytest.mark.django_db
ZEROS = uuid.UUID(int=0)


def receipts(story: Story) -> list[Receipt]:
    """The chain as stored."""
    with context.company(story.organization_id):
        return list(Receipt.objects.order_by("number"))


def test_receipts_form_one_chain_in_the_order_of_their_moments(now: datetime) -> None:
    story = Story(now)
    version, share_id = story.shared_policy()
    people = [story.employee(f"Person {number}") for number in range(4)]
    days = [14, 11, 13, 12]
    story.tell(
        story.signed(version, share_id, person, at=BEGIN + timedelta(days=day))
        for person, day in zip(people, days, strict=True)
    )
    chain = receipts(story)
    assert [each.number for each in chain] == [1, 2, 3, 4]
    assert [each.learner_profile_id for each in chain] == [people[1], people[3], people[2], people[0]]
    assert chain[0].previous_sha256 == ZERO_DIGEST
    assert [each.previous_sha256 for each in chain[1:]] == [each.receipt_sha256 for each in chain[:-1]]
    with context.company(story.organization_id):
        assert verify(story.organization_id) == 4
        assert RawSignature.objects.filter(signature={"typed": "Ana Reis"}).count() == 4


@pytest.mark.parametrize("moment", ["infinity", "-infinity", "0044-03-15 12:00:00+00 BC", "20000-01-01 00:00:00+00"])
def test_a_moment_without_a_date_is_a_fault_of_its_chain_and_of_no_other(
    now: datetime, moment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    story, other = Story(now), Story(now)
    version, share_id = story.shared_policy()
    story.tell([story.signed(version, share_id, story.employee("Ana Reis"))])
    with context.company(story.organization_id):
        sql.execute("UPDATE policies_receiptchain SET signed_at = %s", [moment])
        with pytest.raises(BrokenReceiptChainError, match="A signed_at is stored that no receipt has"):
            verify(story.organization_id)
    with pytest.raises(CommandError, match="1 receipt chain does not hold"):
        call_command("verify_receipts")
    found = capsys.readouterr().err
    assert f"{story.organization_id}: A signed_at is stored that no receipt has" in found
    assert f"{other.organization_id}: 0 receipts, one unbroken chain." in found


def test_a_receipt_older_than_the_tail_is_dated_after_it(now: datetime) -> None:
    story = Story(now)
    version, share_id = story.shared_policy()
    first, late = story.employee("First"), story.employee("Late")
    moment = BEGIN + timedelta(days=20)
    story.tell([story.signed(version, share_id, first, at=moment)])
    story.tell([story.signed(version, share_id, late, at=BEGIN + timedelta(days=15))])
    assert [each.signed_at for each in receipts(story)] == [moment, moment + timedelta(microseconds=1)]


def test_a_receipt_asks_again_after_the_latest_one_of_the_same_policy(now: datetime) -> None:
    story = Story(now)
    version, share_id = story.shared_policy()
    other, other_share = story.shared_policy()
    person = story.employee()
    again = story.version(
        course_id=version.course_id, version=2, change_kind=ChangeKind.ASK_AGAIN, at=BEGIN + timedelta(days=30)
    )
    story.tell([again])
    story.tell(
        [
            story.signed(version, share_id, person),
            story.signed(other, other_share, person, at=BEGIN + timedelta(days=11)),
            story.signed(again, share_id, person, at=BEGIN + timedelta(days=31)),
        ]
    )
    first, of_other, second = receipts(story)
    assert (first.cycle_id, of_other.cycle_id, second.cycle_id) == (ZEROS, ZEROS, first.receipt_id)


def test_an_acknowledgement_has_no_signature_and_a_partner_signs_for_their_company(now: datetime) -> None:
    story = Story(now)
    version, share_id = story.shared_policy(act=PolicyAct.ACKNOWLEDGE)
    partner = story.contact(company="Atlas Freight")
    story.tell([story.signed(version, share_id, partner, door=Door.PARTNER, signature=None)])
    (receipt,) = receipts(story)
    assert (receipt.act, receipt.signature_sha256, receipt.door) == ("acknowledged", None, "partner")
    with context.company(story.organization_id):
        assert RawSignature.objects.get().signer_company == "Atlas Freight"
        assert verify(story.organization_id) == 1


def bad(**changed: Any) -> dict[str, Any]:
    return changed


@pytest.mark.parametrize(
    "changed, error",
    [
        (bad(at=BEGIN), RefusedByRuleError),  # neither published nor shared yet
        (bad(door=Door.CUSTOMER), RefusedByRuleError),
        (bad(door=Door.PARTNER), RefusedByRuleError),  # an employee is not a partner
        (bad(share_id=uuid.UUID(int=1)), UnresolvedReferenceError),
        (bad(course_release_id=uuid.UUID(int=1)), UnresolvedReferenceError),
        (bad(learner_profile_id=uuid.UUID(int=1)), UnresolvedReferenceError),
        (bad(signature=None), InvalidContentError),
        (bad(signature=kinds.Signature(drawn=((0.5, 1.5) * 10_000, (1.0, 2.0)))), InvalidContentError),
    ],
)
def test_a_receipt_that_cannot_be_is_refused_and_the_chain_stays(
    changed: dict[str, Any], error: type[FactsError], now: datetime
) -> None:
    story = Story(now)
    version, share_id = story.shared_policy()
    person = story.employee()
    with pytest.raises(error):
        story.tell([story.signed(version, share_id, person).model_copy(update=changed)])
    assert receipts(story) == []


def test_the_ended_the_erased_other_shares_and_the_future_are_refused(now: datetime) -> None:
    story = Story(now)
    version, share_id = story.shared_policy()
    _, other_share = story.shared_policy()
    stay = uuid.uuid4()
    left, erased = story.employee("Left", person_id=stay), story.employee("Erased")
    story.tell([kinds.EmployeeLeft(fact_id=uuid.uuid4(), at=BEGIN + timedelta(days=5), person_id=stay)])
    erase_person(organization_id=story.organization_id, learner_profile_id=erased, at=now)
    with pytest.raises(RefusedByRuleError, match="employee door"):
        story.tell([story.signed(version, share_id, left)])
    with pytest.raises(ErasedPersonError):
        story.tell([story.signed(version, share_id, erased)])
    person = story.employee("Present")
    with pytest.raises(UnresolvedReferenceError, match="no share of policy"):
        story.tell([story.signed(version, other_share, person)])
    with pytest.raises(FutureFactError):
        story.tell([story.signed(version, share_id, person, at=now + timedelta(seconds=1))])
    one = story.signed(version, share_id, person)
    story.tell([one])
    with pytest.raises(AlreadyExistsError, match="exists already"):
        story.tell([story.signed(version, share_id, person, receipt_id=one.receipt_id)])
    with context.company(story.organization_id):
        assert verify(story.organization_id) == 1
    elsewhere = Story(now)
    stranger = elsewhere.employee("Stranger")
    foreign, _ = elsewhere.shared_policy()
    with pytest.raises(UnresolvedReferenceError):
        elsewhere.tell([elsewhere.signed(foreign, share_id, stranger)])


def test_signing_twice_returns_the_first_receipt_until_the_policy_asks_again(now: datetime) -> None:
    story = Story(now)
    version, share_id = story.shared_policy()
    person = story.employee()

    def sign(at: datetime, release_id: uuid.UUID = version.course_release_id) -> uuid.UUID:
        return sign_policy(
            organization_id=story.organization_id,
            share_id=share_id,
            learner_profile_id=person,
            course_release_id=release_id,
            signature={"typed": "Ana Reis"},
            sign_in_methods="personal_link",
            at=at,
        )

    first = sign(BEGIN + timedelta(days=10))
    assert sign(BEGIN + timedelta(days=11)) == first
    assert len(receipts(story)) == 1
    story.now = BEGIN + timedelta(days=400)
    renewed = sign(BEGIN + timedelta(days=400))
    assert renewed != first
    assert [each.cycle_id for each in receipts(story)] == [ZEROS, first]
    with pytest.raises(SigningRefusedError, match="Another version"):
        sign(BEGIN + timedelta(days=800), uuid.uuid4())
    with pytest.raises(SignatureError):
        sign_policy(
            organization_id=story.organization_id,
            share_id=share_id,
            learner_profile_id=story.employee("Silent"),
            course_release_id=version.course_release_id,
            signature={"typed": "  "},
            sign_in_methods=None,
            at=BEGIN + timedelta(days=500),
        )


def test_the_verifier_names_what_an_administrator_changed(now: datetime) -> None:
    story = Story(now)
    version, share_id = story.shared_policy()
    story.tell(
        story.signed(version, share_id, story.employee(f"P{number}"), at=BEGIN + timedelta(days=10 + number))
        for number in range(3)
    )
    second = receipts(story)[1]
    with context.company(story.organization_id):
        tail = lock_chain(story.organization_id)
        rows = list(stored_chain(story.organization_id, tail.receipts))
    sealed = {
        version.course_release_id: SealedVersion(version.course_id, 1, second.statement_sha256, second.document_sha256)
    }
    assert check_chain(story.organization_id, rows, sealed, tail) == 3
    changed = [row if row.number != 2 else row._replace(share_id=uuid.UUID(int=1)) for row in rows]
    for stored, versions, said in (
        (changed, sealed, f"{second.receipt_id}.*receipt_sha256"),
        (rows[:1] + rows[2:], sealed, "number 2 is missing"),
        ([rows[0], rows[2], rows[1]], sealed, "number 2 is missing"),
        (rows[:2], sealed, "tail"),
        (rows, {}, "is not stored"),
    ):
        with pytest.raises(BrokenReceiptChainError, match=said):
            check_chain(story.organization_id, stored, versions, tail)
