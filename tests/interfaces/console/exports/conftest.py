"""A company with two people, one of them named like a formula, and a folder for its exports."""

import uuid

import pytest
from django.utils import timezone

from compliance.facts.people.erasing import erase_person
from compliance.facts.people.models import Profile
from compliance.files.actions import clear
from compliance.history.actions import capture_all
from compliance.tenancy import context
from compliance.tenancy.models import Organization
from tests.companies import Company, make_company, noon

FORMULA = "=HYPERLINK(1)"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    """Where exports are kept."""
    options = {"BACKEND": "compliance.files.folder.FolderStorage", "OPTIONS": {"location": str(tmp_path / "kept")}}
    settings.STORAGES = settings.STORAGES | {"folder": options}
    return tmp_path / "kept"


@pytest.fixture
def company(db):
    made = make_company()
    company = Company(made.organization_id, start=noon(90), now=timezone.now())
    for name in ("Anna Berg", FORMULA):
        company.join(name)
    company.share(company.course())
    with context.company(company.organization_id):
        capture_all(company.organization_id, timezone.now())
    return company


@pytest.fixture
def erase_anna(company):
    """A function that erases Anna Berg."""

    def erase(*_):
        with context.company(company.organization_id):
            anna = Profile.objects.get(person_name="Anna Berg").learner_profile_id
        erase_person(
            organization_id=company.organization_id, at=timezone.now(), learner_profile_id=anna, actor_id=uuid.uuid4()
        )

    return erase


def kept(folder):
    """The stored files, after released ones were removed, as the hourly task does."""
    for organization_id in Organization.objects.values_list("organization_id", flat=True):
        clear(organization_id, timezone.now())
    return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.exists() else []
