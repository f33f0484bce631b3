"""Every text of the console's pages passes through translation, or is listed here as not being text of a page."""

from pathlib import Path

import pytest
from django.utils import translation

from compliance.access.models import Source
from compliance.interfaces.operations.models import VerificationRun
from compliance.letters.models import Letter
from compliance.webhooks.models import Failure, Webhook
from tests.interfaces.untranslated import unmarked_in_module, unmarked_in_template

ROOT = Path(__file__).resolve().parents[3]
CONSOLE = ROOT / "compliance" / "interfaces" / "console"
TEMPLATES = [
    path
    for folder in ("console", "account", "mfa", "sign_in", "socialaccount", "admin")
    for path in sorted((ROOT / "templates" / folder).rglob("*"))
    if path.suffix in (".html", ".txt")
]
MODULES = [path for path in sorted(CONSOLE.rglob("*.py")) if "migrations" not in path.parts]


NO_PAGE = {
    "access_chain.py",  # results of verification, for the log and for operators
    "apps.py",
    "models.py",  # help texts for developers; those of pages are marked
    "evidence/building.py",
    "evidence/identity_files.py",
    "evidence/log_files.py",
    "evidence/management/commands/evidence_pack.py",
    "evidence/manifests.py",
    "evidence/readme.py",
    "evidence/summary.py",  # a pack is one document for every reader
    "evidence/tally.py",
    "sign_in/auditors.py",  # names of letters
    "sign_in/devices.py",
    "sign_in/letters.py",  # letters are in English: an account has no language
    "sign_in/lock_out.py",
    "sign_in/sessions.py",  # names of browsers
    "sign_in/letter.txt",
    "sign_in/auditor_letter.txt",
}
"""Files whose words are not text of a page."""

NO_TEXT = {
    # entries of the access log, which is the same for all languages
    "by staff", "signed in", "locked out", "wrong password", "new device", "wrong codes", "signing in", "wrong code",
    "wrong passkey", "code used", "factor added", "factor removed", "passkey added", "passkey removed", "codes made",
    "password changed", "invitation used", "sessions ended", "account made", "account changed", "address changed",
    "account removed", "password set", "invitation made", "second factor reset", "company account bound",
    "company account refused", "company account linked", "company account changed", "company account removed",
    " (refused)", " (prepared)", " (declined)", " to ",
    # names and values
    "Lax", "Refresh", "Row", "Line", "Found", "Stored", "Company", "Chain", "After", "Excel", "button main", "taken up",
    "record number", "python -I -S verify.py", '--log-key "LINE"',
    "Operator", "Compliance manager", "Auditor", "Administrator", "see the access log", "see rows as stored",
    "change people", "change records", "keep staff accounts", "overdue missed revoked failed erased", "change-list",
    "SHA256SUMS", "selection ", "wide-field editor-source", "CSRF token from POST", "en",
}  # fmt: skip

_NOT_DISPLAYED = {"ChangedExportError", "LookupError", "ValueError", "TypeError", "NotImplementedError"}
"""Errors that no page displays: of a command, or of the code itself."""


def _named(path: Path) -> bool:
    return path.name in NO_PAGE or any(path.as_posix().endswith(f"/{each}") for each in NO_PAGE)


@pytest.mark.parametrize(
    "path", [path for path in TEMPLATES if not _named(path)], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_no_text_of_a_template_is_left_in_english_alone(path):
    assert [text for text in unmarked_in_template(path.read_text(encoding="utf-8")) if text not in NO_TEXT] == []


@pytest.mark.parametrize(
    "path", [path for path in MODULES if not _named(path)], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_no_text_of_a_module_is_left_in_english_alone(path):
    found = unmarked_in_module(path.read_text(encoding="utf-8"), lambda error: error not in _NOT_DISPLAYED)
    assert [text for text in found if text not in NO_TEXT] == []


@pytest.mark.parametrize("labelled", [Source.Leaving, Webhook.Pause, Failure, Letter.Kind, VerificationRun.Kind])
def test_labels_of_other_rooms_that_pages_of_the_console_display_are_translated(labelled):
    for language in ("de", "fr"):
        with translation.override(language):
            translated = {value: str(label) for value, label in labelled.choices}
        with translation.override("en"):
            assert [value for value, label in labelled.choices if translated[value] == label] == []
