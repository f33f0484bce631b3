"""Reads of the letters of all companies, by a function of the database outside any company."""

import uuid
from datetime import timedelta

import pytest

from compliance.letters import queries
from compliance.letters.actions import Asked, ask_many
from compliance.letters.models import Letter
from compliance.tenancy import context
from tests.companies import NOW, make_company

LATER = NOW + timedelta(hours=1)


@pytest.mark.usefixtures("committed")
def test_an_outbox_counts_what_waits_and_what_was_given_up_lately_of_the_companies_asked_about():
    ours, other = make_company().organization_id, make_company().organization_id
    for organization_id, number in ((ours, 5), (other, 2)):
        with context.company(organization_id):
            ask_many(organization_id, Letter.Kind.NEW, [Asked(uuid.uuid4()) for _ in range(number)], now=NOW)
    with context.company(ours):
        first, second, third, *_ = Letter.objects.filter(organization_id=ours).order_by("id")
        for letter, settled_at, sent_at, failure in (
            (first, LATER, LATER, ""), (second, LATER, None, "SMTPServerDisconnected"), (third, LATER, None, "nobody"),
        ):  # fmt: skip
            Letter.objects.filter(organization_id=ours, pk=letter.pk).update(
                due_at=None, settled_at=settled_at, sent_at=sent_at, failure=failure
            )
    assert queries.outbox(NOW, only=[ours]) == (2, 1, NOW)
    assert queries.outbox(LATER + timedelta(seconds=1), only=[ours]) == (2, 0, NOW)
    assert queries.outbox(NOW, only=[ours, other]) == (4, 1, NOW)
    assert queries.outbox(NOW, only=[uuid.uuid4()]) == (0, 0, None)
