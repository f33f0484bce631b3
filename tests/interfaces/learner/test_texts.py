"""Every text of learners' and public pages passes through translation, or is listed here as no text of a page."""

from pathlib import Path

import pytest

from tests.interfaces.untranslated import unmarked_in_module, unmarked_in_template

ROOT = Path(__file__).resolve().parents[3]
NO_PAGE = {
    "apps.py",
    "models.py",
    "author_faults.html",  # for the author of a package, on their own machine
    "author_views.py",
    "certificate_pdf.py",  # one document for every reader
    "device_words.py",  # names of browsers
    "errors.py",  # for the log; what pages say of them passes through gettext where they are caught
    "security_txt.py",
    "written_in.py",  # by which words a language is known
}
NO_TEXT = {
    "receipt_sha256", "version_digest", "noindex, nofollow, noarchive", "yes", "Parameters", "Answer", "Origin",
    "Range", "bytes ", "Lax",
    # answers to the script of pages kept on a device, which words them itself
    "This is for the pages of this service alone.", "The body is JSON.", "This person has begun no such course.",
}  # fmt: skip
TEMPLATES = [
    path
    for folder in ("learner", "player", "letters", "pages")
    for path in sorted((ROOT / "templates" / folder).rglob("*"))
    if path.suffix in (".html", ".txt") and path.name not in NO_PAGE
]
MODULES = [
    path
    for folder in ("learner", "player", "pages")
    for path in sorted((ROOT / "compliance" / "interfaces" / folder).rglob("*.py"))
    if "migrations" not in path.parts and path.name not in NO_PAGE
]


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_text_of_a_template_is_left_in_english_alone(path):
    assert [text for text in unmarked_in_template(path.read_text(encoding="utf-8")) if text not in NO_TEXT] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_text_of_a_module_is_left_in_english_alone(path):
    found = unmarked_in_module(path.read_text(encoding="utf-8"), lambda error: error == "SigningFormError")
    assert [text for text in found if text not in NO_TEXT] == []
