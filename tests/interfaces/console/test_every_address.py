"""No address of the service, taken from the URLconf itself, reveals anything about a company to outsiders.

test_permissions goes through the registry of pages; here no address can be forgotten, whichever room it comes from.
"""

import uuid
from collections.abc import Iterator

import pytest
from django.urls import URLPattern, URLResolver, get_resolver
from django.utils.regex_helper import normalize

from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.pages import PAGES
from compliance.interfaces.console.permissions import GROUPS
from tests.interfaces.console.companies import full_company
from tests.interfaces.console.conftest import make_staff, signed_in

pytestmark = pytest.mark.usefixtures("seen_by_all_roles")  # pending subjects are read as the owner


def patterns(found: list[URLPattern | URLResolver], before: str = "") -> Iterator[tuple[str, URLPattern]]:
    """Every address of the URLconf, with `%(name)s` in place of values."""
    for each in found:
        ((text, _), *_) = normalize(each.pattern.regex.pattern)
        if isinstance(each, URLResolver):
            yield from patterns(each.url_patterns, before + text)
        else:
            yield before + text, each


READ_ONLY = {f"console:{page.name}" for page in PAGES if "POST" not in page.methods}


def every_address(samples: dict[str, object]) -> list[tuple[str, str]]:
    """Methods and addresses of the whole service with the identifiers of an existing company."""

    class Known(dict[str, object]):
        def __missing__(self, name: str) -> object:
            return samples.get(name, 1)

    return [
        (method, "/" + text % Known())
        for text, pattern in patterns(get_resolver().url_patterns)
        for method in (
            ("get",) if text.startswith("console/comp") and f"console:{pattern.name}" in READ_ONLY else ("get", "post")
        )
    ]


def test_every_address_of_the_console_is_a_page_a_step_of_signing_in_or_of_the_staff_accounts():
    known = {f"console:{page.name}" for page in PAGES}
    pages = 0
    for text, pattern in patterns(get_resolver().url_patterns):
        ours = text.startswith("console/") and not text.startswith(("console/sign-in/", "console/staff/"))
        if ours or text.startswith("console/staff/records/"):
            assert f"console:{pattern.name}" in known, text
            pages += 1
    assert pages == len(PAGES)


def test_no_address_tells_an_outsider_anything_of_a_company(client):
    company = full_company(2, "Quarry Lane")
    organization_id = company.company.organization_id
    samples = company.samples | {
        "organization_id": organization_id, "what": "training-records", "written_as": "csv", "job_id": uuid.uuid4(),
        "media_id": "one", "scope": "one", "app_label": "auth", "content_type_id": 1, "object_id": 1, "url": "x",
    }  # fmt: skip
    addresses = every_address(samples)
    outsiders = {"nobody": client, "without a group": signed_in(make_staff("idle", None))}
    for group in GROUPS:
        outsiders[f"{group}, of another company"] = signed_in(make_staff(f"bound {group}", group, [uuid.uuid4()]))
    secret = ("Quarry Lane", "Person 00", "person.00", "invited@example.org")
    told = [
        (address, who, method, word)
        for method, address in addresses
        for who, outsider in outsiders.items()
        for answer in [getattr(outsider, method)(address)]
        for word in secret
        if word in b"".join(answer).decode(errors="replace") or word in str(answer.headers)
    ]
    assert told == []
    assert not AccessLog.objects.filter(organization_id=organization_id, status=200).exists()
    insider = signed_in(make_staff("inside", "Administrator"))
    assert "Quarry Lane" in insider.get(f"/console/companies/{organization_id}/").content.decode()
    assert len(addresses) > 90
