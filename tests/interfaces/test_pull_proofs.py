"""The reference client's proofs of a sample: kept, verified, and compared with the pulled rows."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from compliance.access.actions import issue_key
from compliance.history import actions
from compliance.interfaces.pull import pull
from compliance.interfaces.pull_proofs import prove
from compliance.interfaces.pull_service import FaultError, PullError, Service
from compliance.interfaces.pulled import Folder
from compliance.log import keys, signing
from compliance.proofs.__main__ import main as verify
from compliance.proofs.log_trust import LogTrust, log_trust
from compliance.proofs.note_keys import NoteSigner
from compliance.rules.vocabulary import Scope
from tests.companies import NOW
from tests.interfaces.api.conftest import Caller
from tests.interfaces.console.small_company import SmallCompany, small_company

pytestmark = pytest.mark.django_db


class Pulled:
    """A folder with the registers of a company whose history is signed."""

    def __init__(self, folder: Path, small: SmallCompany) -> None:
        self.small, self.folder, self.lines = small, Folder(folder), list[str]()
        self.waited: list[float] = []
        token, _ = issue_key(
            organization_id=small.organization_id, scopes=tuple(Scope), environment="test", at=NOW, actor="a test"
        )
        call = Caller(token)

        def answer(request: httpx.Request) -> httpx.Response:
            found = call(request.url.raw_path.decode())
            return httpx.Response(found.status_code, headers=dict(found.items()), content=found.content)

        client = httpx.Client(transport=httpx.MockTransport(answer), base_url="http://testserver")
        self.service = Service(client, self.waited.append)
        self.log_key = keys.verifier_keys()[0]
        pull(self.service, self.folder, NOW, self.lines.append)

    def prove(self, number: int, trust: LogTrust | None = None) -> list[Path]:
        prove(self.service, self.folder, number, trust or log_trust(self.log_key), self.lines.append)
        return sorted((self.folder.folder / "proofs").glob("*.json"))

    def change(self, register: str, **fields: Any) -> None:
        """Changes every row of a register on disk."""
        path = self.folder.folder / f"{register}.jsonl"
        rows = [json.loads(line) | fields for line in path.read_text().splitlines()]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def pulled(settings: Any, tmp_path: Path) -> Pulled:
    settings.LOG_FOLDER, settings.LOG_ORIGIN = str(tmp_path / "log"), ""
    settings.BASE_URL = "https://records.example.com"
    settings.CHECKPOINT_KEYS = ["a key of the test that is long enough"]
    small = small_company()
    actions.capture_all(small.organization_id, NOW)
    signing.sign_new(NOW)
    return Pulled(tmp_path / "pulled", small)


def test_a_sample_is_kept_and_holds_without_the_service(pulled: Pulled) -> None:
    files = pulled.prove(5)
    assert len(files) == 5
    assert verify([*map(str, files), "--log-key", pulled.log_key]) == 0
    assert pulled.lines[-1] == "Kept 5 proofs; 0 of the rows asked about have changed since the pull."


def test_every_row_agrees_with_its_proof(pulled: Pulled) -> None:
    rows = sum(pulled.folder.state["rows"].values())
    assert len(pulled.prove(10_000)) == rows > 30


def test_without_the_key_it_says_that_nobody_s_signature_was_checked(pulled: Pulled) -> None:
    pulled.prove(1, LogTrust())
    assert "Nobody's signature was checked" in pulled.lines[-1]


@pytest.mark.parametrize(
    ("register", "field", "value"),
    [("training-records", "requirement", "optional"),
     ("people", "learner_profile_id", "0d9f0c3e-58a1-5c2e-9a37-0f6f1d0c9a11"),
     ("certificates", "earned_at", "2020-01-01T00:00:00.000000Z"), ("policies", "html", "<p>Another.</p>")],
)  # fmt: skip
def test_a_row_that_is_not_what_its_proof_holds_is_a_fault(
    pulled: Pulled, register: str, field: str, value: str
) -> None:
    pulled.change(register, **{field: value})
    with pytest.raises(FaultError, match=f"{field} is not what its proof holds"):
        pulled.prove(10_000)


def test_a_proof_under_another_key_is_a_fault(pulled: Pulled) -> None:
    other = NoteSigner.from_seed("records.example.com/log", bytes(32)).verifier_key
    with pytest.raises(FaultError, match="no signature of this key"):
        pulled.prove(1, log_trust(other))


def test_rows_that_have_changed_since_are_counted_and_not_compared(pulled: Pulled) -> None:
    pulled.small.company.leave(pulled.small.people["Dan"], NOW - timedelta(days=30))
    actions.capture_all(pulled.small.organization_id, NOW)
    signing.sign_new(NOW)
    pulled.prove(10_000)
    assert "; 0 of the rows" not in pulled.lines[-1]


def test_it_waits_for_a_row_that_is_not_signed_yet_and_gives_up(pulled: Pulled) -> None:
    pulled.small.company.leave(pulled.small.people["Dan"], NOW - timedelta(days=30))
    actions.capture_all(pulled.small.organization_id, NOW)
    with pytest.raises(PullError, match="not_signed_yet"):
        pulled.prove(10_000)
    assert pulled.waited == [5.0] * 10
