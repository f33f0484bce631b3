"""An act gets what was chosen in a list: ticked rows, or all rows of the filters, of this company only."""

import re
import uuid

import pytest
from django.db import connection
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from compliance.history.models import HistoryRecord
from compliance.interfaces.console.permissions import AUDITOR, COMPLIANCE_MANAGER, OPERATOR
from compliance.interfaces.console.selection import reading
from compliance.interfaces.console.understand import refreshing
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from tests.interfaces.console.companies import Full, full_company

pytestmark = pytest.mark.django_db

TRAINING, POLICY = "training-records", "policy-records"


def of(full: Full, page: str = "registers/training-records/") -> str:
    return f"/console/companies/{full.company.organization_id}/{page}"


def token(text: str) -> str:
    return re.search(r'name="everything" value="([^"]+)"', text)[1]  # type: ignore[index]


def chosen(full: Full, posted: str) -> reading.Chosen:
    organization = Organization.objects.get(organization_id=full.company.organization_id)
    with context.company(full.company.organization_id):
        return reading.chosen(organization, QueryDict(posted))


def records(full: Full) -> list[uuid.UUID]:
    with context.company(full.company.organization_id):
        found = HistoryRecord.objects.filter(organization_id=full.company.organization_id, register=1)
        return list(found.order_by("birth").values_list("record_id", flat=True))


def test_ticked_rows_are_records_of_this_company_or_refused(staff):
    full, other = full_company(3), full_company(3, "Other")
    first = records(full)[0]
    found = chosen(full, f"record_ids={first}&record_ids={first}")
    assert (found.record_ids, found.people) == ([first], [full.people[0].learner_profile_id])
    for strange in (records(other)[0], uuid.uuid4(), "no-identifier"):
        with pytest.raises(reading.OutdatedSelectionError, match="1 of the chosen rows"):
            chosen(full, f"record_ids={first}&record_ids={strange}")
    with pytest.raises(reading.NothingChosenError):
        chosen(full, "")


def test_all_that_the_filters_find_is_found_again_as_it_was_on_the_page(staff):
    full, other = full_company(5), full_company(3, "Other")
    client = staff(COMPLIANCE_MANAGER)
    everything = token(client.get(of(full), {"show": "overdue"}).content.decode())
    assert "overdue" not in everything
    found = chosen(full, f"everything={everything}")
    assert set(found.people) == {each.learner_profile_id for each in full.people[1:]}
    for wrong in (everything[:-4], "x"):
        with pytest.raises(reading.OutdatedSelectionError):
            chosen(full, f"everything={wrong}")
    with pytest.raises(reading.OutdatedSelectionError):
        chosen(other, f"everything={everything}")


def test_more_rows_than_an_act_takes_are_refused_with_a_sentence(staff, monkeypatch):
    full = full_company(5)
    client = staff(COMPLIANCE_MANAGER)
    everything = token(client.get(of(full)).content.decode())
    several = "&".join(f"record_ids={each}" for each in records(full))
    monkeypatch.setattr(reading, "AT_MOST", 3)
    monkeypatch.setattr("compliance.interfaces.console.selection.bar.AT_MOST", 3)
    for posted in (f"everything={everything}", several):
        with pytest.raises(reading.TooManyChosenError, match="more than 3 rows"):
            chosen(full, posted)
    text = client.get(of(full)).content.decode()
    assert "narrow them down to 3" in text
    assert 'name="everything"' not in text
    answer = client.post(of(full, "act/remind-many/"), {"step": "chosen", "everything": everything})
    assert (answer.status_code, "more than 3 rows" in answer.content.decode()) == (422, True)


def test_what_is_chosen_costs_the_same_number_of_statements_however_much_it_is(staff):
    client = staff(COMPLIANCE_MANAGER)
    counts = []
    for number in (4, 30):
        full = full_company(number, f"Of {number}")
        everything = token(client.get(of(full)).content.decode())
        with CaptureQueriesContext(connection, ) as queries:  # fmt: skip
            assert len(chosen(full, f"everything={everything}").records) == number
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 8


def test_signatures_can_be_reminded_from_their_list_and_from_the_work_list(staff):
    full = full_company(6)
    refreshing.refresh(full.company.organization_id, full.company.now)
    client = staff(COMPLIANCE_MANAGER)
    for page, query in (("registers/policy-records/", {"show": "to_do"}), ("work-list/", {"show": "unsigned"})):
        text = client.get(of(full, page), query).content.decode()
        assert "act/remind-many/" in text
        assert "act/waive-many/" not in text
        assert len(chosen(full, f"everything={token(text)}").records) == 3
        answer = client.post(of(full, "act/remind-many/"), {"step": "chosen", "everything": token(text)})
        assert answer.status_code == 200
        assert "Person 005" in answer.content.decode()
        assert "Nothing has been changed yet" in answer.content.decode()


def test_a_bar_offers_what_a_person_may_do_and_auditors_take_away_only(staff):
    full = full_company(3)
    offered = {
        group: set(
            re.findall(r'formaction="[^"]*/(?:act|export)/([a-z-]+)/', staff(group).get(of(full)).content.decode())
        )
        for group in (COMPLIANCE_MANAGER, OPERATOR, AUDITOR)
    }
    assert {"waive-many", "deadline-many", "remind-many", TRAINING} <= offered[COMPLIANCE_MANAGER]
    assert "remind-many" in offered[OPERATOR]
    assert "waive-many" not in offered[OPERATOR]
    assert offered[AUDITOR] == {TRAINING}
    refused = staff(AUDITOR).post(of(full, "act/remind-many/"), {"step": "chosen", "record_ids": str(records(full)[0])})
    assert refused.status_code == 403
