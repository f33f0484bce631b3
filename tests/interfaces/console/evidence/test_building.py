"""An evidence pack holds a company's registers and the history from which each of their rows follows."""

import io
import json
import subprocess
import sys
import zipfile
from datetime import date, timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from compliance.facts.people.erasing import erase_person
from compliance.history.actions import capture_all
from compliance.interfaces.console.evidence import building, manifests
from compliance.interfaces.console.evidence.errors import CannotBuildError
from compliance.interfaces.console.evidence.models import ManifestRequest
from compliance.interfaces.console.evidence.subject import subject
from compliance.interfaces.console.evidence.validating import validate
from compliance.log import keys, queries, signing
from compliance.proofs.pack_captures import manifest_text
from compliance.proofs.signed_note import verified_text
from compliance.proofs.single_file import single_file
from tests.companies import ADMINISTRATOR
from tests.interfaces.console.evidence.conftest import KEY
from tests.interfaces.console.evidence.packs import LOG_KEY, files_of, rows, verified
from tests.interfaces.console.small_company import FORMULA, NOW, SmallCompany, small_company
from tests.verbs import change_person

FIRST, LAST = date(2025, 1, 1), date(2026, 5, 31)
CHANGING = {"log.json", "SHA256SUMS", "manifest.txt"}
"""The files that differ between two packs of one subject, because the log has grown."""


@pytest.fixture
def small(db, log_folder) -> SmallCompany:
    return small_company()


@pytest.fixture
def files(small, tmp_path) -> dict[str, bytes]:
    return files_of(built(small, tmp_path))


def built(small: SmallCompany, tmp_path) -> bytes:
    building.build(subject(small.organization_id, FIRST, LAST, now=NOW), tmp_path / "pack.zip")
    return (tmp_path / "pack.zip").read_bytes()


def test_the_verifier_as_one_file_passes_a_pack_with_nothing_but_python(small, tmp_path):
    content = built(small, tmp_path)
    (tmp_path / "verify.py").write_text(single_file("verify"))
    command = [sys.executable, "-I", "-S", "verify.py", "pack.zip", "--log-key", LOG_KEY]
    ran = subprocess.run(command, cwd=tmp_path, env={}, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.endswith("No fault found.\n")
    for sentence in (
        "signed by records.example.com/log/evidence",
        "is entry 1 of the log records.example.com/log",
        "row versions are the leaves of the tree",
        "7 people = 7 owing + 0 excused + 0 none owed",
        "8 rows of people and certificates bear the name that the history commits to",
        "1 policy versions and their files, 2 receipts",
    ):
        assert sentence in ran.stdout
    assert "Not proved, only as the signed list of files has it: summary.pdf" in ran.stdout
    assert files_of(content)["verify.py"].decode() == single_file("verify")


def test_without_the_log_s_key_a_pack_is_not_verified(small, tmp_path):
    built(small, tmp_path)
    (tmp_path / "verify.py").write_text(single_file("verify"))
    ran = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", "pack.zip"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2
    assert "NOT CHECKED pack.zip: no --log-key was given" in ran.stdout


def test_two_packs_of_one_subject_are_the_same_but_for_the_log_that_has_grown(small, tmp_path):
    about = subject(small.organization_id, FIRST, LAST, now=NOW)
    building.build(about, tmp_path / "first.zip")
    small.company.join("Hal", at=NOW)
    capture_all(small.organization_id, NOW)
    signing.sign_new(NOW)
    again = subject(small.organization_id, FIRST, LAST, now=NOW, capture_sequence=about.pin.capture_sequence)
    building.build(again, tmp_path / "second.zip")
    first, second = (files_of((tmp_path / name).read_bytes()) for name in ("first.zip", "second.zip"))
    assert {name for name in first if first[name] != second[name]} == CHANGING
    assert first.keys() == second.keys()
    assert verified((tmp_path / "second.zip").read_bytes()).faults == []
    newer = subject(small.organization_id, FIRST, LAST, now=NOW)
    assert newer.pin.capture_sequence > about.pin.capture_sequence


@pytest.mark.parametrize(
    ("first", "last"),
    [
        (date(2025, 1, 1), date(2025, 1, 1)),
        (date(2025, 2, 10), date(2025, 3, 1)),
        (date(2025, 6, 1), date(2026, 6, 1)),
        (date(2026, 6, 1), date(2026, 6, 1)),
    ],
)
def test_a_pack_of_any_period_is_verified(small, tmp_path, first, last):
    building.build(subject(small.organization_id, first, last, now=NOW), tmp_path / "pack.zip")
    assert verified((tmp_path / "pack.zip").read_bytes()).faults == []


def test_names_that_the_pinned_capture_does_not_commit_to_are_not_put_into_a_pack(small, tmp_path):
    about = subject(small.organization_id, FIRST, LAST, now=NOW)
    change_person(
        organization_id=small.organization_id,
        learner_profile_id=small.people["Ben"].learner_profile_id,
        person_name="Benjamin",
        actor_id=ADMINISTRATOR,
        at=NOW,
        now=NOW,
    )
    capture_all(small.organization_id, NOW)
    again = subject(small.organization_id, FIRST, LAST, now=NOW, capture_sequence=about.pin.capture_sequence)
    with pytest.raises(CannotBuildError, match="renamed or erased since capture"):
        building.build(again, tmp_path / "older.zip")
    building.build(subject(small.organization_id, FIRST, LAST, now=NOW), tmp_path / "newest.zip")
    assert verified((tmp_path / "newest.zip").read_bytes()).faults == []


def test_rows_of_people_erased_later_name_nobody_once_the_pinned_capture_shows_the_erasure(small, tmp_path):
    older = subject(small.organization_id, FIRST, LAST, now=NOW)
    small.company.leave(small.people["Ben"], NOW - timedelta(days=200))  # a certificate's holder
    for name in ("Ben", "Eve"):
        profile_id = small.people[name].learner_profile_id
        erase_person(organization_id=small.organization_id, learner_profile_id=profile_id, at=NOW)
    with pytest.raises(CannotBuildError, match="renamed or erased since capture"):
        building.build(subject(small.organization_id, FIRST, LAST, now=NOW), tmp_path / "before.zip")
    capture_all(small.organization_id, NOW)
    again = subject(small.organization_id, FIRST, LAST, now=NOW, capture_sequence=older.pin.capture_sequence)
    with pytest.raises(CannotBuildError, match="renamed or erased since capture"):
        building.build(again, tmp_path / "older.zip")
    for first, nameless in ((FIRST, 4), (date(2026, 3, 1), 3)):  # in the second period, Ben has a certificate alone
        building.build(subject(small.organization_id, first, LAST, now=NOW), tmp_path / "pack.zip")
        report = verified((tmp_path / "pack.zip").read_bytes())
        assert report.faults == []
        assert any(note.startswith(f"{nameless} rows of people and certificates name nobody") for note in report.notes)


def test_texts_that_no_moment_of_the_period_needs_are_digests(small, tmp_path):
    building.build(subject(small.organization_id, LAST, LAST, now=NOW), tmp_path / "pack.zip")
    files = files_of((tmp_path / "pack.zip").read_bytes())
    lines = rows(files, "history/training-records.jsonl")
    ended = [line for line in lines if "content_sha256" in line]
    assert ended
    assert all("content" not in line for line in ended)
    sequences = sorted(
        line["sequence"] for name in files if name.startswith("history/") and "captures" not in name
        for line in rows(files, name)
    )  # fmt: skip
    assert sequences == list(range(1, json.loads(files["pack.json"])["pin"]["sequence"] + 1))


def test_the_registers_are_those_of_the_api_and_tables_hold_no_formula(files):
    people = {row["person_name"] for row in rows(files, "registers/people.jsonl")}
    assert people == {FORMULA, "Ben", "Cleo", "Dan", "Eve", "Flo", "Erased person"}
    table = files["registers/people.csv"].decode("utf-8-sig")
    assert '"\'=HYPERLINK(""https://example.org"",""Ada"")"' in table
    assert len(rows(files, "registers/acknowledgements.jsonl")) == 2
    policy = rows(files, "registers/policies.jsonl")[0]
    assert files[f"policies/{policy['course_release_id']}.html"].decode() == policy["html"]
    assert files["summary.pdf"].startswith(b"%PDF-")
    counted = json.loads(files["pack.json"])["registers"]
    assert counted == {name: len(rows(files, f"registers/{name}.jsonl")) for name in counted}
    in_period = rows(files, "registers/training-records-period.jsonl")
    outcomes = {row["outcome"] for row in in_period if row["requirement"] == "required"}
    assert {"completed_on_time", "completed_late", "waived", "overdue"} <= outcomes


def test_every_pack_carries_the_place_of_its_own_pin_in_the_log(files, log_folder):
    place = json.loads(files["log.json"])
    assert keys.checked_checkpoint(place["checkpoint"]).size == place["size"]
    assert files["log-key.txt"].decode() == f"{LOG_KEY}\n"


def test_periods_that_cannot_be_proved_are_refused(small):
    for first, last in ((LAST, FIRST), (date(2019, 1, 1), LAST), (FIRST, date(2026, 6, 2))):
        with pytest.raises(CannotBuildError):
            subject(small.organization_id, first, last, now=NOW)


def test_the_command_writes_a_pack_and_gives_the_digest_of_its_list(small, tmp_path):
    told = io.StringIO()
    arguments = ["--organization", str(small.organization_id), "--from", "2025-01-01", "--to", "2026-05-31"]
    call_command("evidence_pack", *arguments, "--output", str(tmp_path / "a.zip"), "--json", stdout=told)
    report = json.loads(told.getvalue())
    assert zipfile.ZipFile(tmp_path / "a.zip").testzip() is None
    assert len(report["list_sha256"]) == 64
    assert (tmp_path / "a.zip").stat().st_mode & 0o777 == 0o600
    with pytest.raises(CommandError):
        call_command("evidence_pack", *arguments, "--output", str(tmp_path / "nowhere" / "a.zip"))


def test_a_builder_without_the_key_waits_and_says_when_nobody_signs(small, settings, monkeypatch):
    about = subject(small.organization_id, FIRST, LAST, now=NOW)
    signing.sign_new(NOW)
    settings.CHECKPOINT_KEYS, settings.CHECKPOINT_VERIFIER_KEYS = [], [LOG_KEY]
    pin = about.pin
    with pytest.raises(CannotBuildError, match=r"did not sign the pack within 0 seconds.*manage.py signer"):
        manifests.signed(small.organization_id, pin.capture_sequence, pin.chain_hash, f"{'0' * 64}  a\n", NOW, 0)
    assert not ManifestRequest.objects.exists()


def test_the_signer_signs_manifests_of_captures_under_the_log_and_nothing_else(small):
    signing.sign_new(NOW)
    capture_sequence, index = queries.newest_signed_capture(small.organization_id)
    about = subject(small.organization_id, FIRST, LAST, now=NOW)
    sums = f"{'0' * 64}  pack.json\n"
    good = manifest_text(str(small.organization_id), about.pin.chain_hash, sums)
    texts = {
        "good": good,
        "a checkpoint": f"records.example.com/log\n{index + 9}\n{'A' * 43}=\n",
        "another company": manifest_text(str(about.organization.learning_space_id), about.pin.chain_hash, sums),
        "another history": manifest_text(str(small.organization_id), "0" * 64, sums),
        "no list": manifest_text(str(small.organization_id), about.pin.chain_hash, "anything\n"),
    }
    for text in texts.values():
        ManifestRequest.objects.create(
            organization_id=small.organization_id, capture_sequence=capture_sequence, text=text, asked_at=NOW
        )
    assert manifests.answer(keys.signers(purpose=manifests.PURPOSE)) == 4
    found = {name: ManifestRequest.objects.get(text=text) for name, text in texts.items()}
    assert verified_text(found["good"].note, keys.verifier_keys("evidence")[0]) == good
    assert {name for name, each in found.items() if each.refused} == {"a checkpoint", "another company", "no list"}
    assert {name for name, each in found.items() if not each.refused and not each.note} == {"another history"}


def test_a_pack_verifies_with_one_key_while_the_log_has_not_grown_since_its_key_was_changed(small, tmp_path, settings):
    signing.sign_new(NOW)
    settings.CHECKPOINT_KEYS = ["a newer key of the test, as long as it must be", KEY]
    content = built(small, tmp_path)
    assert files_of(content)["log-key.txt"].decode() == f"{LOG_KEY}\n"
    assert verified(content).total == 0
    assert validate(tmp_path / "pack.zip").holds
    text = verified_text(files_of(content)["manifest.txt"].decode(), keys.verifier_keys("evidence")[0])
    assert text.startswith("svc.evidence/2\n")
    settings.CHECKPOINT_KEYS = settings.CHECKPOINT_KEYS[:1]
    assert validate(tmp_path / "pack.zip").holds is not True


def test_requests_that_nobody_fetched_are_forgotten_after_a_day(small):
    signing.sign_new(NOW)
    about = subject(small.organization_id, FIRST, LAST, now=NOW)
    ManifestRequest.objects.create(
        organization_id=small.organization_id, capture_sequence=1, text="", asked_at=NOW - timedelta(days=2)
    )
    pin = about.pin
    with transaction.atomic():
        assert manifests.signed(small.organization_id, pin.capture_sequence, pin.chain_hash, f"{'0' * 64}  a\n", NOW)
    assert not ManifestRequest.objects.exists()
