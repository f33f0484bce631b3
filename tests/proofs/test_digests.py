"""The digests of the contract against values computed here by hand."""

import hashlib
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as some

from compliance.proofs.digests import (
    DrawnSignature,
    TypedSignature,
    normalise_statement,
    policy_version_digest,
    receipt_sha256,
    sha256_text,
    shortest_decimal,
    signature_sha256,
    signature_text,
)
from compliance.proofs.errors import UnhashableValue
from compliance.proofs.history import capture_digest, row_hasher, rows_sha256
from compliance.proofs.instants import hashed_instant, is_hashed_instant

from .company_story import digest

ONE = UUID("11111111-1111-4111-8111-111111111111")
TWO = UUID("22222222-2222-4222-8222-222222222222")
MOMENT = datetime(2024, 2, 29, 23, 59, 59, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("statement", "normal"),
    [
        ("\u2003I  have\tread\r\n\u00a0it.\u3000", "I have read it."),
        ("agre\u0301e", "agr\u00e9e"),
        ("a\u2028b\u2029c\u0085d\u1680e\u202ff\u205fg\u000bh\u000ci", "a b c d e f g h i"),
        # ASCII's information separators and zero-width spaces are not White_Space, though Python splits at the former.
        ("a\u001cb\u001fc", "a\u001cb\u001fc"),
        ("a\u200bb\ufeffc\u180ed", "a\u200bb\ufeffc\u180ed"),
        (" \n ", ""),
    ],
)
def test_a_statement_is_composed_collapsed_and_trimmed(statement: str, normal: str) -> None:
    assert normalise_statement(statement) == normal


@given(some.text())
def test_normalising_a_statement_twice_changes_nothing(statement: str) -> None:
    once = normalise_statement(statement)
    assert normalise_statement(once) == once


def test_the_version_digest_is_of_ten_lines_in_the_order_of_the_contract() -> None:
    lines = [
        "svc.policy/2",
        str(ONE),
        "3",
        "d" * 64,
        "5" * 64,
        "sign",
        "2024-02-29",
        "ask_again",
        "12",
        "employee,partner",
    ]
    stated = policy_version_digest(
        course_id=ONE,
        version=3,
        document_sha256="d" * 64,
        statement_sha256="5" * 64,
        act="sign",
        effective_on=date(2024, 2, 29),
        change_kind="ask_again",
        renew_months=12,
        doors=["partner", "employee"],
    )
    assert stated == digest(*lines)


def test_a_version_without_effective_date_has_an_empty_line() -> None:
    stated = policy_version_digest(
        course_id=ONE,
        version=1,
        document_sha256="d",
        statement_sha256="s",
        act="acknowledge",
        effective_on=None,
        change_kind="first",
        renew_months=0,
        doors=["customer"],
    )
    assert stated == digest("svc.policy/2", str(ONE), "1", "d", "s", "acknowledge", "", "first", "0", "customer")


@pytest.mark.parametrize("signature", ["f" * 64, None])
def test_the_receipt_hash_is_of_thirteen_lines_and_an_acknowledgement_has_an_empty_one(signature: str | None) -> None:
    stated = receipt_sha256(
        receipt_id=ONE,
        organization_id=TWO,
        course_release_id=ONE,
        learner_profile_id=TWO,
        assignment_id=ONE,
        cycle_id=UUID(int=0),
        act="signed",
        statement_sha256="5" * 64,
        document_sha256="d" * 64,
        signature_sha256=signature,
        signed_at=MOMENT,
        previous_sha256="0" * 64,
    )
    assert stated == digest(
        "svc.receipt/2",
        str(ONE),
        str(TWO),
        str(ONE),
        str(TWO),
        str(ONE),
        "00000000-0000-0000-0000-000000000000",
        "signed",
        "5" * 64,
        "d" * 64,
        signature or "",
        "2024-02-29T23:59:59.000007Z",
        "0" * 64,
    )


def test_a_typed_signature_is_the_word_typed_and_the_words() -> None:
    assert signature_text(TypedSignature("Åse  B.")) == "typed\nÅse  B."
    assert signature_sha256(TypedSignature("Åse  B.")) == hashlib.sha256("typed\nÅse  B.".encode()).hexdigest()
    assert signature_sha256(None) is None


def test_a_drawn_signature_is_a_line_a_stroke_of_shortest_decimals() -> None:
    drawn = DrawnSignature(((0.1, 12.0, -0.0), (1e-7, 1e21, 3, Decimal("2.50"))))
    assert signature_text(drawn) == "drawn\n0.1,12,0\n0.0000001,1000000000000000000000,3,2.5"


@given(some.floats(allow_nan=False, allow_infinity=False))
def test_a_shortest_decimal_reads_back_as_the_same_number_without_exponent(number: float) -> None:
    text = shortest_decimal(number)
    assert float(text) == number
    assert "e" not in text.lower()


@pytest.mark.parametrize("number", [float("inf"), float("nan"), Decimal("NaN")])
def test_a_stroke_of_numbers_that_are_not_finite_cannot_be_hashed(number: float) -> None:
    with pytest.raises(UnhashableValue):
        shortest_decimal(number)


def test_text_that_is_not_unicode_cannot_be_hashed() -> None:
    with pytest.raises(UnhashableValue):
        sha256_text("\ud800")


def test_an_instant_is_hashed_in_utc_with_six_digits() -> None:
    cairo = timezone(timedelta(hours=2))
    assert hashed_instant(datetime(2024, 1, 1, 1, 0, tzinfo=cairo)) == "2023-12-31T23:00:00.000000Z"
    with pytest.raises(UnhashableValue):
        hashed_instant(datetime(2024, 1, 1))  # noqa: DTZ001


@pytest.mark.parametrize(
    "text", ["2024-02-30T00:00:00.000000Z", "2024-02-28T00:00:00.000Z", "2024-02-28T00:00:00.000000+00:00", "١٢"]
)
def test_only_the_hashed_form_of_an_instant_that_exists_counts(text: str) -> None:
    assert not is_hashed_instant(text)


def test_the_row_digest_is_of_ten_lines_and_an_absence_hashes_an_empty_body() -> None:
    when = "2024-02-29T23:59:59.000007Z"
    for body in ('{"a":"é"}', ""):
        expected = digest(
            "svc.row/1",
            str(ONE),
            "9",
            "people",
            str(TWO),
            when,
            when,
            "first",
            "1",
            hashlib.sha256(body.encode()).hexdigest(),
        )
        assert row_hasher(str(ONE))("9", "people", str(TWO), when, when, "first", "1", body.encode()) == expected


def test_the_capture_digest_is_of_eight_lines_and_knows_captures_without_rows() -> None:
    rows = rows_sha256(["a" * 64, "b" * 64])
    assert rows == digest("a" * 64, "b" * 64)
    assert rows_sha256([]) == digest("")
    full = capture_digest(
        organization_id=ONE,
        capture_sequence=2,
        captured_at=MOMENT,
        first_sequence=5,
        last_sequence=6,
        rows_sha256=rows,
        previous_chain_hash="c" * 64,
    )
    when = "2024-02-29T23:59:59.000007Z"
    assert full == digest("svc.capture/1", str(ONE), "2", when, "5", "6", rows, "c" * 64)
    empty = capture_digest(
        organization_id=ONE,
        capture_sequence=1,
        captured_at=when,
        first_sequence=None,
        last_sequence=None,
        rows_sha256=rows_sha256([]),
    )
    assert empty == digest("svc.capture/1", str(ONE), "1", when, "", "", digest(""), "0" * 64)
