"""The days of keys and sources, by the company's clocks: which end a form begins with, and what previews name."""

from datetime import UTC, date, datetime, timedelta

import pytest

from compliance.access import actions, sources
from compliance.interfaces.console.acting import keys
from compliance.interfaces.console.acting import sources as acts_on_sources
from compliance.interfaces.console.acting.act import Acting, CannotActError
from compliance.interfaces.console.acting.issuing import end
from compliance.interfaces.console.permissions import OPERATOR, staff_of
from compliance.interfaces.console.wording import written_day
from compliance.rules.company_days import day_of, end_of_day
from compliance.tenancy import queries
from tests.companies import make_company
from tests.interfaces.console.conftest import make_staff

pytestmark = pytest.mark.django_db
FORMS = (keys.IssueForm, acts_on_sources.IssueForm, acts_on_sources.RotateForm)

EVENING = ("America/Los_Angeles", datetime(2026, 3, 2, 3, 30, tzinfo=UTC), date(2026, 3, 1))
MORNING = ("Pacific/Auckland", datetime(2026, 3, 1, 20, 30, tzinfo=UTC), date(2026, 3, 2))
"""A zone, an instant, and the day there, which is not the day of UTC."""


def acting(zone, at, **data):
    organization = queries.organization(make_company(time_zone=zone).organization_id)
    staff = staff_of(make_staff("otto", OPERATOR), at)
    assert staff is not None
    return Acting(staff, organization, at, data, may_tell=frozenset({"team_joined"}))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "zone, at, today",
    [
        EVENING,
        MORNING,
        # In 365 days it is the first hour of a day of 25 hours, which ends more than 366 days from now.
        ("America/New_York", datetime(2026, 11, 7, 4, 30, tzinfo=UTC), date(2026, 11, 6)),
    ],
)
def test_a_form_begins_with_the_same_day_of_the_next_year_which_is_accepted_and_the_day_after_is_not(
    form, zone, at, today
):
    found = acting(zone, at)
    found.data["expires_on"] = form(found.organization, at)["expires_on"].initial
    assert found.data["expires_on"] == today.replace(year=today.year + 1)
    assert day_of(zone, end(found, "refused")) == found.data["expires_on"]
    found.data["expires_on"] += timedelta(days=1)
    with pytest.raises(CannotActError):
        end(found, "refused")


@pytest.mark.parametrize("zone, at, today", [EVENING, MORNING])
def test_the_preview_of_a_key_s_rotation_names_days_of_the_company(zone, at, today):
    found = acting(zone, at)
    last = today + timedelta(days=30)
    _, key = actions.issue_key(
        organization_id=found.organization_id, scopes=["training:read"], environment="test", at=at, actor="a test",
        expires_at=end_of_day(zone, last),
    )  # fmt: skip
    found.data["key_id"] = str(key.key_id)
    named = dict(keys.RotateKey().preview(found).pairs)
    assert named["The old one opens until"] == written_day(today + timedelta(days=7))
    assert named["The new one opens until"] == written_day(last)


@pytest.mark.parametrize("zone, at, today", [EVENING, MORNING])
@pytest.mark.parametrize("life, until", [(3, 3), (30, 7)])
def test_the_preview_of_a_source_s_rotation_names_days_of_the_company(zone, at, today, life, until):
    found = acting(zone, at, expires_on=today + timedelta(days=90))
    _, source = sources.issue_source(
        organization_id=found.organization_id, name="Workday", kinds=["team_joined"], environment="test", at=at,
        actor="a test", expires_at=end_of_day(zone, today + timedelta(days=life)),
    )  # fmt: skip
    found.data["source_id"] = str(source.source_id)
    named = dict(acts_on_sources.RotateSource().preview(found).pairs)
    assert named["The token of today opens until"] == written_day(today + timedelta(days=until))
