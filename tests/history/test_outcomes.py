"""The SQL conditions of `history.outcomes` agree with the rules, whatever values the columns have."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compliance.history import outcomes
from compliance.rules.owed_learning.outcome import certificate_status, outcome_at
from compliance.rules.people.status import access_state_at
from compliance.rules.policies.state import state_at
from compliance.rules.vocabulary import AccessState, CertificateStatus, Outcome, PolicyRecordState, Requirement
from compliance.tenancy import sql

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
# Few moments, one microsecond apart around the present too, so that ties and near misses come often.
PAST = st.sampled_from([NOW - timedelta(days=2), NOW - timedelta(days=1), NOW - timedelta(microseconds=1), NOW])
ANY = PAST | st.sampled_from([NOW + timedelta(microseconds=1), NOW + timedelta(days=1)])
COLUMNS = {"state": "text", "begins_at": "timestamptz", "due_at": "timestamptz", "done_at": "timestamptz",
           "waived_at": "timestamptz", "ends_at": "timestamptz"}  # fmt: skip


def _versions(state, **columns):
    """Lists of versions; columns that are not given are null."""
    one = st.tuples(state, *[columns.get(name, st.none()) for name in list(COLUMNS)[1:]])
    return st.lists(one, min_size=1, max_size=30)


def _holding(versions, *conditions):
    """For each version, whether each condition holds in PostgreSQL (null counts as no)."""
    asked = ", ".join(f"coalesce({condition}, false)" for condition in conditions)
    arrays = ", ".join(f"%({name})s::{kind}[]" for name, kind in COLUMNS.items())
    values = dict(zip(COLUMNS, map(list, zip(*versions, strict=True)), strict=True))
    return sql.fetch(
        f"SELECT {asked} FROM unnest({arrays}) WITH ORDINALITY AS v ({', '.join(COLUMNS)}, place) ORDER BY place",
        values | {"moment": NOW},
    )


@given(
    _versions(
        st.sampled_from([Requirement.REQUIRED.value, Requirement.OPTIONAL.value]),
        begins_at=PAST, due_at=st.none() | ANY, done_at=st.none() | PAST, waived_at=st.none() | PAST,
    )
)  # fmt: skip
def test_what_is_open_overdue_completed_or_waived_is_what_the_outcome_says(versions):
    found = _holding(
        versions, outcomes.OPEN, outcomes.OVERDUE, outcomes.COMPLETED, outcomes.WAIVED, outcomes.OPTIONAL_UNDONE,
        outcomes.TO_DO, outcomes.REQUIRED, outcomes.UNDONE,
    )  # fmt: skip
    for version, holds in zip(versions, found, strict=True):
        state, begins_at, due_at, done_at, waived_at, _ = version
        outcome, _ = outcome_at(
            NOW, requirement_before_end=state, assigned_at=begins_at, due_at=due_at, completed_at=done_at,
            ended_at=None, waived_at=waived_at,
        )  # fmt: skip
        unsettled = outcome in (Outcome.NOT_DUE_YET, Outcome.OVERDUE)
        undone = unsettled or outcome == Outcome.OPTIONAL_NOT_DONE
        assert holds == (
            unsettled,
            outcome == Outcome.OVERDUE,
            outcome.startswith("completed"),
            outcome == Outcome.WAIVED,
            outcome == Outcome.OPTIONAL_NOT_DONE,
            undone,
            state == Requirement.REQUIRED and outcome != Outcome.WAIVED,
            undone,
        ), version


@given(_versions(st.none(), begins_at=ANY, ends_at=st.none() | ANY))
def test_a_record_is_listed_from_its_beginning_until_its_end(versions):
    for version, holds in zip(versions, _holding(versions, outcomes.listed(), outcomes.TO_DO), strict=True):
        begins_at, ends_at = version[1], version[5]
        assert holds == (begins_at <= NOW and (ends_at is None or ends_at > NOW), ends_at is None)


@given(_versions(st.sampled_from(["valid", "revoked", "replaced"]), due_at=st.none() | ANY))
def test_what_is_valid_or_expired_is_what_the_status_says(versions):
    for version, holds in zip(versions, _holding(versions, outcomes.VALID, outcomes.EXPIRED), strict=True):
        status = certificate_status(version[0], version[2], NOW)
        assert holds == (status == CertificateStatus.VALID, status == CertificateStatus.EXPIRED)


@given(_versions(st.none(), due_at=st.none() | ANY, done_at=st.none() | PAST))
def test_what_is_to_do_overdue_or_signed_is_what_the_state_says(versions):
    found = _holding(versions, outcomes.SIGNATURE_TO_DO, outcomes.SIGNATURE_OVERDUE, outcomes.SIGNED)
    for version, holds in zip(versions, found, strict=True):
        state = state_at(None if version[3] is None else "receipt", version[2], NOW)
        assert holds == tuple(state == each for each in (PolicyRecordState.TO_DO, PolicyRecordState.OVERDUE, "signed"))


@given(_versions(st.sampled_from(["invited", "active", "ended"]), due_at=st.none() | ANY))
def test_an_invitation_has_expired_when_its_access_state_says_so(versions):
    for version, holds in zip(versions, _holding(versions, outcomes.invitation_expired()), strict=True):
        ended = access_state_at(version[0], "pending", version[2], NOW) == AccessState.ENDED
        assert holds == (version[0] == "invited" and ended,)
