"""`python -m development.translations`: brings the catalogues of the learners' pages and letters up to date.

Texts are taken out of templates and modules by GNU gettext (`apt-get install -y gettext`), after Django has made Python
of the templates; each catalogue keeps what is translated, gets what is new, loses what is gone, and is compiled. It
exits with 1 while something is left to translate, and names it.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CATALOGUES = ROOT / "compliance" / "interfaces" / "learner" / "locale"
LANGUAGES = ("de", "fr", "es", "ar")
SOURCES = (
    "templates/learner/**/*.html",
    "templates/player/**/*.html",
    "templates/letters/**/*",
    "compliance/learning/**/*.py",
    "compliance/letters/**/*.py",
    "compliance/interfaces/learner/**/*.py",
    "compliance/interfaces/player/**/*.py",
    "compliance/interfaces/pages/signing_form.py",
)
_KEYWORDS = (
    "gettext", "gettext_noop", "gettext_lazy", "ngettext:1,2", "ngettext_lazy:1,2", "pgettext:1c,2",
    "npgettext:1c,2,3",
)  # fmt: skip


def catalogue(language: str) -> Path:
    """Where a language's catalogue lies; the compiled one lies beside it."""
    return CATALOGUES / language / "LC_MESSAGES" / "django.po"


def extract(file: Path) -> None:
    """Writes every text of the sources to `file`, in the form of a catalogue without translations."""
    from django.conf import settings
    from django.utils.translation import templatize

    if not settings.configured:
        settings.configure(USE_I18N=True)
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for source in sorted({found for pattern in SOURCES for found in ROOT.glob(pattern) if found.is_file()}):
            name = source.relative_to(ROOT).as_posix()
            text = source.read_text(encoding="utf-8")
            copy = Path(folder, name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text if source.suffix == ".py" else templatize(text), encoding="utf-8")
            names.append(name)
        subprocess.run(
            ["xgettext", "--language=Python", "--from-code=UTF-8", "--no-wrap", "--sort-output", "--add-location=file",
             "--package-name=compliance", f"--output={file}", *(f"--keyword={each}" for each in _KEYWORDS), *names],
            cwd=folder, check=True,
        )  # fmt: skip


def main() -> int:
    """Does it for every language. Returns the exit code."""
    if shutil.which("xgettext") is None:
        sys.stderr.write("GNU gettext is missing: apt-get install -y gettext\n")
        return 1
    left = 0
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder, "django.pot")
        extract(template)
        for language in LANGUAGES:
            file = catalogue(language)
            if not file.exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                _run("msginit", "--no-translator", f"--locale={language}", f"--input={template}", f"--output={file}")
            _run("msgmerge", "--quiet", "--update", "--backup=none", "--no-fuzzy-matching", "--no-wrap",
                 "--add-location=file", "--sort-output", str(file), str(template))  # fmt: skip
            _run("msgattrib", "--no-obsolete", "--no-wrap", "--sort-output", f"--output-file={file}", str(file))
            _run("msgfmt", "--check-format", f"--output-file={file.with_suffix('.mo')}", str(file))
            missing = subprocess.run(
                ["msgattrib", "--untranslated", "--no-wrap", str(file)], check=True, capture_output=True, text=True
            ).stdout
            if missing:
                left += 1
                sys.stderr.write(f"Not translated to {language}:\n{missing}\n")
    return 1 if left else 0


def _run(*command: str) -> None:
    subprocess.run(command, check=True, env=os.environ | {"LC_ALL": "C.UTF-8"})


if __name__ == "__main__":
    sys.exit(main())
