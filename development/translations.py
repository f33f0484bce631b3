"""`python -m development.translations`: brings the catalogues of the learners' and the console's pages up to date.

GNU gettext (`apt-get install -y gettext`) extracts texts from templates and modules, after Django has turned the
templates into Python. Each catalogue keeps its translations, gets new texts, loses removed ones, and is compiled. The
command exits with 1 while texts are left to translate, and names them.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Collection(NamedTuple):
    """Texts that are translated together: the folder of their catalogues, the languages, and the sources."""

    folder: Path
    languages: tuple[str, ...]
    sources: tuple[str, ...]
    fewest: int

    def catalogue(self, language: str) -> Path:
        """The path of a language's catalogue; the compiled one is beside it."""
        return self.folder / language / "LC_MESSAGES" / "django.po"


INTERFACES = ROOT / "compliance" / "interfaces"
DECLARED = "declared.py"
"""The name by which catalogues refer to texts declared outside of any page: those of registers."""
COLLECTIONS = {
    "learner": Collection(
        INTERFACES / "learner" / "locale",
        ("de", "fr", "es", "ar"),
        (
            "templates/learner/**/*.html",
            "templates/player/**/*.html",
            "templates/letters/**/*",
            "templates/pages/**/*.html",
            "compliance/learning/**/*.py",
            "compliance/letters/**/*.py",
            "compliance/interfaces/learner/**/*.py",
            "compliance/interfaces/player/**/*.py",
            "compliance/interfaces/pages/**/*.py",
        ),
        400,
    ),
    "console": Collection(
        INTERFACES / "console" / "locale",
        ("de", "fr"),
        (
            "templates/console/**/*.html",
            "templates/account/**/*.html",
            "templates/mfa/**/*.html",
            "templates/sign_in/**/*",
            "templates/socialaccount/**/*.html",
            "templates/admin/**/*.html",
            "compliance/interfaces/console/**/*.py",
            "compliance/access/models.py",
            "compliance/interfaces/operations/models.py",
            "compliance/webhooks/models.py",
            "compliance/webhooks/queries.py",
            DECLARED,
        ),
        100,
    ),
}
_KEYWORDS = (
    "gettext", "gettext_noop", "gettext_lazy", "ngettext:1,2", "ngettext_lazy:1,2", "pgettext:1c,2",
    "pgettext_lazy:1c,2", "npgettext:1c,2,3", "_", "_lazy",
)  # fmt: skip


def _declared() -> str:
    """The names of registers, as a module in which each is marked for translation."""
    from compliance.catalogue import READINGS

    texts: set[str] = set()
    for register in READINGS:
        texts |= {register.title, register.explains, register.noun, register.of_person}
        texts |= {column.heading for column in register.listed}
    return "".join(f"gettext({text!r})\n" for text in sorted(texts) if text)


def extract(collection: Collection, file: Path) -> None:
    """Writes every text of the collection to `file`, as a catalogue without translations."""
    from django.conf import settings
    from django.utils.translation import templatize

    if not settings.configured:
        settings.configure(USE_I18N=True)
    with tempfile.TemporaryDirectory() as folder:
        names = []
        found = {each for pattern in collection.sources for each in ROOT.glob(pattern) if each.is_file()}
        texts = {source.relative_to(ROOT).as_posix(): source.read_text(encoding="utf-8") for source in found}
        if DECLARED in collection.sources:
            texts[DECLARED] = _declared()
        for name, text in sorted(texts.items()):
            copy = Path(folder, name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(text if copy.suffix == ".py" else templatize(text), encoding="utf-8")
            names.append(name)
        subprocess.run(
            ["xgettext", "--language=Python", "--from-code=UTF-8", "--no-wrap", "--sort-output", "--add-location=file",
             "--package-name=compliance", f"--output={file}", *(f"--keyword={each}" for each in _KEYWORDS), *names],
            cwd=folder, check=True,
        )  # fmt: skip


def main() -> int:
    """Updates every collection and language. Returns the exit code."""
    if shutil.which("xgettext") is None:
        sys.stderr.write("GNU gettext is missing: apt-get install -y gettext\n")
        return 1
    left = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, collection in COLLECTIONS.items():
            template = Path(folder, f"{name}.pot")
            extract(collection, template)
            left += sum(_update(collection, language, template) for language in collection.languages)
    return 1 if left else 0


def _update(collection: Collection, language: str, template: Path) -> bool:
    """Updates one catalogue and compiles it. Returns whether texts are left to translate, which it names."""
    file = collection.catalogue(language)
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
        sys.stderr.write(f"Not translated to {language}:\n{missing}\n")
    return bool(missing)


def _run(*command: str) -> None:
    subprocess.run(command, check=True, env=os.environ | {"LC_ALL": "C.UTF-8"})


if __name__ == "__main__":
    sys.exit(main())
