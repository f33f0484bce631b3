"""Publishing policy versions: sealed with their digests, in order, or refused with a reason."""

import gzip
import hashlib
import io
import json
import subprocess
import sys
import uuid
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, transaction
from django.test import Client
from pydantic import ValidationError

from compliance import proofs
from compliance.access.actions import issue_key
from compliance.facts.errors import AlreadyExistsError, FactsError, InvalidContentError, RefusedByRuleError
from compliance.facts.importing import import_facts
from compliance.facts.policies.models import PolicyVersion
from compliance.history.actions import capture_all
from compliance.proofs.digests import document_sha256, policy_version_digest, statement_sha256
from compliance.rules.vocabulary import ChangeKind, Door, Scope
from compliance.tenancy import context
from tests.facts.story import BEGIN, HTML, Story

REAL_POLICIES = Path(__file__).resolve().parents[4] / "shared" / "data" / "policies" / "policies.jsonl.gz"

pytestmark = pytest.mark.django_db


def test_a_version_is_sealed_with_title_and_digests(now: datetime) -> None:
    story = Story(now)
    line = story.version()
    story.tell([line])
    with context.company(story.organization_id):
        sealed = PolicyVersion.objects.get(course_release_id=line.course_release_id)
    assert (sealed.html, sealed.policy_title) == (HTML, "Use of devices")
    assert sealed.document_sha256 == document_sha256(HTML)
    assert sealed.statement_sha256 == statement_sha256("I have read the policy and will follow it.")
    assert sealed.version_digest == policy_version_digest(
        course_id=line.course_id,
        version=1,
        document_sha256=sealed.document_sha256,
        statement_sha256=sealed.statement_sha256,
        act="sign",
        effective_on="2025-02-01",
        change_kind="first",
        renew_months=12,
        doors=["partner", "employee"],
    )


def test_a_sealed_version_never_changes(now: datetime) -> None:
    story = Story(now)
    story.tell([story.version()])
    with context.company(story.organization_id):
        with pytest.raises(DatabaseError), transaction.atomic():
            PolicyVersion.objects.update(html="<h1>Other</h1>")
        with pytest.raises(DatabaseError), transaction.atomic():
            PolicyVersion.objects.all().delete()


@pytest.mark.parametrize(
    "changed, error, said",
    [
        ({"html": "<p>no heading</p>"}, InvalidContentError, "no main heading"),
        ({"html": "<h1>a</h1><h1>b</h1>"}, InvalidContentError, "2 main headings"),
        ({"html": "<h1>a</h1><script>x</script>"}, InvalidContentError, "cleaning would change"),
        ({"statement": " \u00a0\n"}, InvalidContentError, "white space"),
        ({"version": 2}, RefusedByRuleError, "is 1, not 2"),
        ({"change_kind": ChangeKind.EDITORIAL}, RefusedByRuleError, "first"),
    ],
)
def test_a_bad_first_version_is_refused_and_nothing_is_stored(
    changed: dict[str, Any], error: type[FactsError], said: str, now: datetime
) -> None:
    story = Story(now)
    with pytest.raises(error, match=said):
        story.tell([story.version(**changed)])
    with context.company(story.organization_id):
        assert not PolicyVersion.objects.exists()


def test_unknown_and_repeated_doors_are_refused(now: datetime) -> None:
    story = Story(now)
    for doors in ((), ("visitor",), (Door.EMPLOYEE, Door.EMPLOYEE)):
        with pytest.raises(ValidationError, match="doors"):
            story.version(doors=doors)


def test_versions_go_on_one_by_one_and_later(now: datetime) -> None:
    story = Story(now)
    first = story.version()
    story.tell([first])
    later = {"course_id": first.course_id, "change_kind": ChangeKind.ASK_AGAIN, "at": BEGIN + timedelta(days=5)}
    with pytest.raises(RefusedByRuleError, match="is 2, not 3"):
        story.tell([story.version(**later, version=3)])
    with pytest.raises(RefusedByRuleError, match="published later"):
        story.tell([story.version(**(later | {"at": first.at}), version=2)])
    with pytest.raises(RefusedByRuleError, match="first"):
        story.tell([story.version(**(later | {"change_kind": ChangeKind.FIRST}), version=2)])
    with pytest.raises(AlreadyExistsError, match="exists already"):
        story.tell([story.version(**later, version=2, course_release_id=first.course_release_id)])
    with pytest.raises(RefusedByRuleError, match="is 2, not 1"):
        story.tell([story.version(**later, version=1)])
    story.tell([story.version(**later, version=2), story.version(**(later | {"at": now}), version=3)])
    course_id, _ = story.shared_course()
    with pytest.raises(AlreadyExistsError, match="training course"):
        story.tell([story.version(course_id=course_id)])


@pytest.mark.skipif(not REAL_POLICIES.exists(), reason="../shared/data/policies is absent")
def test_five_years_of_real_policies_come_in_byte_for_byte(now: datetime, tmp_path: Path) -> None:
    story = Story(now)
    text = gzip.decompress(REAL_POLICIES.read_bytes())
    report = import_facts(organization_id=story.organization_id, stream=io.BytesIO(text), now=now)
    assert (report.recorded, report.errors) == (46, [])
    told = {uuid.UUID(line["course_release_id"]): line["html"] for line in map(json.loads, text.splitlines())}
    with context.company(story.organization_id):
        assert dict(PolicyVersion.objects.values_list("course_release_id", "html")) == told
    capture_all(story.organization_id, now)
    token, _ = issue_key(
        organization_id=story.organization_id,
        scopes=[Scope.ACKNOWLEDGEMENTS_READ],
        environment="test",
        at=now,
        actor="a test",
    )
    client = Client(headers={"authorization": f"Bearer {token}"}, REMOTE_ADDR="10.79.1.2")
    pages = [client.get("/v1/policies", {"limit": "20"})]
    while cursor := pages[-1].json()["next_cursor"]:
        pages.append(client.get("/v1/policies", {"limit": "20", "cursor": cursor}))
    assert len(pages) >= 3
    served = pages[0].json() | {"data": [row for page in pages for row in page.json()["data"]]}
    assert served["total"] == 46
    assert {uuid.UUID(row["course_release_id"]): row["html"] for row in served["data"]} == told
    assert [row["published_at"] for row in served["data"]] == sorted(row["published_at"] for row in served["data"])
    files = [tmp_path / f"policies-{number}.json" for number in range(len(pages))]
    for file, page in zip(files, pages, strict=True):
        file.write_bytes(page.content)
    found = subprocess.run(
        [sys.executable, "-I", "-S", Path(proofs.__file__).parent, *files], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert "46 policy versions; every statement_sha256, document_sha256 and version_digest holds" in found.stdout
    first = served["data"][0]  # by hand, as described in docs/verify.md
    lines = [
        "svc.policy/2", first["course_id"], str(first["version"]), hashlib.sha256(first["html"].encode()).hexdigest(),
        first["statement_sha256"], first["act"], first["effective_on"] or "", first["change_kind"],
        str(first["renew_months"]), ",".join(sorted(first["doors"])),
    ]  # fmt: skip
    assert first["version_digest"] == hashlib.sha256("\n".join(lines).encode()).hexdigest()
