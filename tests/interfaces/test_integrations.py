"""The examples of docs/integrations.md run as they are written, against a real server."""

import json
import re
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from compliance.access import sources
from compliance.access.actions import issue_key
from compliance.access.models import Source
from compliance.access.sources import issue_source
from compliance.facts.ledger.models import Origin
from compliance.facts.lines.kinds import KINDS
from compliance.facts.people.models import Profile
from compliance.facts.recording import Channel
from compliance.history.actions import capture_all
from compliance.rules.vocabulary import Scope
from compliance.tenancy import context
from tests.companies import Company, make_company, noon
from tests.interfaces.serving.conftest import serving

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = (ROOT / "docs" / "integrations.md").read_text()
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", DOCUMENT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def company(committed):
    made = make_company()
    company = Company(made.organization_id, start=noon(90), now=datetime.now(UTC))
    company.join("Anna Berg")
    company.share(company.course())
    with context.company(company.organization_id):
        capture_all(company.organization_id, datetime.now(UTC))
    return company


@pytest.fixture
def folder(tmp_path, company):
    """The repository's folder, as a reader of the document has it, beside a running demo."""
    for name in (".venv", "manage.py", "clients"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "var").mkdir()
    return tmp_path


def _told(company, port):
    of_company = {"organization_id": company.organization_id, "environment": "test", "at": datetime.now(UTC)}
    facts, _ = issue_source(name="HR", kinds=KINDS, actor="a test", **of_company)
    scim, _ = issue_source(name="Provider", kinds=[sources.SCIM], actor="a test", **of_company)
    key, _ = issue_key(scopes=list(Scope), actor="a test", **of_company)
    return {
        "base_url": f"http://127.0.0.1:{port}",
        "organizations": [
            {
                "organization_id": str(company.organization_id),
                "keys": {"all": key},
                "source_token": facts,
                "scim": {"url": f"http://127.0.0.1:{port}/scim/v2", "token": scim},
            }
        ],
    }


def test_every_example_runs_as_it_is_written(company, folder, process_environment):
    script = []
    for language, text in BLOCKS:
        if language == "python":
            (name,) = re.findall(r"^# (\w+\.py)$", text.splitlines()[0])
            (folder / name).write_text(text)
        else:
            assert language == "sh"
            script.append(text)
    with serving("config.asgi:application", process_environment) as port:
        (folder / "var" / "demo.json").write_text(json.dumps(_told(company, port)))
        ran = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", "\n".join(script)],
            cwd=folder, env=process_environment, capture_output=True, text=True, timeout=240, check=False,
        )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    for said in ('"recorded":2', '"totalResults":1', '"joins": 2', "'recorded': 1", "1 known"):
        assert said in ran.stdout.replace('"recorded": 2', '"recorded":2').replace(
            '"totalResults": 1', '"totalResults":1'
        )
    refused = re.findall(r"""["']refused["']: ?\[(.*?)\]""", ran.stdout)
    assert refused, ran.stdout
    assert not any(refused), ran.stdout  # an answer is also 200 when lines are refused
    with context.company(company.organization_id):
        names = set(Profile.objects.values_list("person_name", flat=True))
        origins = set(Origin.objects.filter(channel=Channel.SOURCE).values_list("name", flat=True))
    assert names == {"Anna Berg", "Jonas Weber", "Amina Diallo", "Zoë Brandt", "Tomás Núñez"}
    assert origins == {"HR", "Provider"}
    issued = Source.objects.filter(organization_id=company.organization_id, issued_by="create_source")
    assert set(issued.values_list("name", flat=True)) == {"Workday", "Entra ID"}


def test_the_document_names_pages_and_places_that_exist():
    for target in re.findall(r"\]\(([\w.-]+\.(?:md|json)|schemas/[\w.]+)\)", DOCUMENT):
        assert (ROOT / "docs" / target).exists(), target
    headings = {
        re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in re.findall(r"^#+ (.+)$", DOCUMENT, re.M)
    }
    assert set(re.findall(r"\]\(#([\w-]+)\)", DOCUMENT)) <= headings
