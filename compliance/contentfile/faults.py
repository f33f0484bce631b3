"""What can be wrong with a file: a stable code, a place, and a sentence about how to fix it.

Codes are part of the format: a code never changes its meaning, and `docs/content-format.md` lists every one. A test
compares that table with this enum, and another requires one vector file per code.
"""

from dataclasses import dataclass
from enum import StrEnum

from compliance.contentfile import limits

Path = tuple[str | int, ...]
"""A place inside a JSON document: the keys and indexes from the top down."""


class Severity(StrEnum):
    """An `error` keeps a file from being published, a `warning` does not."""

    ERROR = "error"
    WARNING = "warning"


class FaultCode(StrEnum):
    """Stable names of faults; the table in `docs/content-format.md` says what each means."""

    # The bytes
    TOO_LARGE = "too_large"
    NOT_UTF8 = "not_utf8"
    BYTE_ORDER_MARK = "byte_order_mark"
    NUL_CHARACTER = "nul_character"
    # The JSON
    INVALID_JSON = "invalid_json"
    TOO_DEEP = "too_deep"
    DUPLICATE_KEY = "duplicate_key"
    LONE_SURROGATE = "lone_surrogate"
    CONTROL_CHARACTER = "control_character"
    # The shape
    WRONG_TYPE = "wrong_type"
    MISSING_KEY = "missing_key"
    UNKNOWN_KEY = "unknown_key"
    KEY_NOT_FOR_KIND = "key_not_for_kind"
    UNKNOWN_VALUE = "unknown_value"
    UNKNOWN_BLOCK_TYPE = "unknown_block_type"
    WRONG_SCHEMA = "wrong_schema"
    EMPTY_LIST = "empty_list"
    OUT_OF_RANGE = "out_of_range"
    # Ids
    INVALID_TEXT_ID = "invalid_text_id"
    TEXT_ID_PREFIX = "text_id_prefix"
    INVALID_LESSON_ID = "invalid_lesson_id"
    INVALID_PAGE_ID = "invalid_page_id"
    INVALID_ROLE_ID = "invalid_role_id"
    INVALID_MEDIA_ID = "invalid_media_id"
    INVALID_ID = "invalid_id"
    INVALID_CLASS = "invalid_class"
    DUPLICATE_ID = "duplicate_id"
    DUPLICATE_ROLE = "duplicate_role"
    DUPLICATE_QUESTION_ID = "duplicate_question_id"
    DUPLICATE_CHOICE_ID = "duplicate_choice_id"
    DUPLICATE_SCENE_ID = "duplicate_scene_id"
    DUPLICATE_EMAIL_ID = "duplicate_email_id"
    DUPLICATE_ELEMENT_ID = "duplicate_element_id"
    # Lessons, pages, blocks
    TOO_MANY_LESSONS = "too_many_lessons"
    TOO_MANY_PAGES = "too_many_pages"
    RAGGED_TABLE = "ragged_table"
    # Questions
    TOO_FEW_CHOICES = "too_few_choices"
    TOO_MANY_CHOICES = "too_many_choices"
    NO_CORRECT_CHOICE = "no_correct_choice"
    TOO_MANY_CORRECT_CHOICES = "too_many_correct_choices"
    # Films
    TOO_FEW_SCENES = "too_few_scenes"
    TOO_MANY_SCENES = "too_many_scenes"
    FILM_TOO_LONG = "film_too_long"
    TOO_MANY_EMAILS = "too_many_emails"
    TOO_MANY_ELEMENTS = "too_many_elements"
    UNKNOWN_EMAIL = "unknown_email"
    UNUSED_EMAIL = "unused_email"
    # Film styles
    STYLE_TOO_LARGE = "style_too_large"
    STYLE_CHARACTER = "style_character"
    STYLE_UNFINISHED = "style_unfinished"
    STYLE_SYNTAX = "style_syntax"
    STYLE_AT_RULE = "style_at_rule"
    STYLE_SELECTOR = "style_selector"
    STYLE_PROPERTY = "style_property"
    STYLE_POSITION = "style_position"
    STYLE_URL = "style_url"
    STYLE_FUNCTION = "style_function"
    STYLE_TEXT = "style_text"
    STYLE_IMPORTANT = "style_important"
    # The manifest
    INVALID_LANGUAGE = "invalid_language"
    DUPLICATE_LANGUAGE = "duplicate_language"
    TOO_MANY_LANGUAGES = "too_many_languages"
    DUPLICATE_MEDIA = "duplicate_media"
    LANGUAGE_WITHOUT_WORDS = "language_without_words"
    WORDS_WITHOUT_LANGUAGE = "words_without_language"
    UNKNOWN_SDK = "unknown_sdk"
    FILM_NEEDS_SDK = "film_needs_sdk"
    UNKNOWN_ROLE = "unknown_role"
    UNKNOWN_MEDIA = "unknown_media"
    UNUSED_MEDIA = "unused_media"
    MEDIA_KIND = "media_kind"
    MEDIA_TYPE = "media_type"
    MEDIA_TOO_LARGE = "media_too_large"
    MEDIA_BYTES = "media_bytes"
    MEDIA_SHA256 = "media_sha256"
    MEDIA_SIGNATURE = "media_signature"
    MEDIA_NOT_DESCRIBED = "media_not_described"
    INVALID_SHA256 = "invalid_sha256"
    # The words
    WRONG_LANGUAGE = "wrong_language"
    MISSING_WORDS = "missing_words"
    UNUSED_WORDS = "unused_words"
    EMPTY_WORDS = "empty_words"
    NOT_NFC = "not_nfc"
    INVALID_TITLE = "invalid_title"
    INVALID_EMAIL = "invalid_email"
    INVALID_URL = "invalid_url"
    # The folder or zip
    MISSING_FILE = "missing_file"
    UNUSED_FILE = "unused_file"
    UNSAFE_PATH = "unsafe_path"
    NAME_COLLISION = "name_collision"
    LINK_IN_PACKAGE = "link_in_package"
    SPECIAL_FILE = "special_file"
    TOO_MANY_FILES = "too_many_files"
    PACKAGE_TOO_LARGE = "package_too_large"
    INVALID_ZIP = "invalid_zip"
    ZIP_BOMB = "zip_bomb"
    ZIP_ENCRYPTED = "zip_encrypted"
    ZIP_COMPRESSION = "zip_compression"

    @property
    def severity(self) -> Severity:
        """Whether this fault keeps a file from being published."""
        return Severity.WARNING if self in WARNINGS else Severity.ERROR


WARNINGS = frozenset(
    {
        FaultCode.RAGGED_TABLE,
        FaultCode.UNUSED_EMAIL,
        FaultCode.UNUSED_MEDIA,
        FaultCode.MEDIA_NOT_DESCRIBED,
        FaultCode.UNUSED_WORDS,
        FaultCode.UNUSED_FILE,
    }
)
"""Faults with which a file can still be published: something is superfluous or could be better."""


class MemberPart(StrEnum):
    """Which part of the member at `path` a fault means, so that the right line is displayed."""

    VALUE = "value"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault: what is wrong, where, and how to fix it.

    `pointer` is an RFC 6901 JSON Pointer ("" is the whole file). `offset` is in bytes from the start of the file and
    from 0, `line` and `column` count from 1 (columns in characters); all three are None when the content came as a dict
    or the fault lies in no JSON file. `file` is the name inside a package; "" for a content file checked alone and for
    faults of the package as a whole.
    """

    code: FaultCode
    pointer: str
    message: str
    file: str = ""
    offset: int | None = None
    line: int | None = None
    column: int | None = None

    @property
    def severity(self) -> Severity:
        """Whether this fault keeps a file from being published."""
        return self.code.severity


@dataclass(slots=True)
class Found:
    """A fault before its line is known. `position` (in characters) is set when no pointer leads there."""

    code: FaultCode
    path: Path
    message: str
    part: MemberPart = MemberPart.VALUE
    position: int | None = None
    file: str = ""


class EnoughFaults(Exception):
    """Ends a check that has found too many errors to list; caught where the check began."""


class Report:
    """Collects the faults of one file, up to a thousand."""

    def __init__(self) -> None:
        self.found: list[Found] = []
        self.count = 0
        self.errors = 0

    def add(
        self,
        code: FaultCode,
        path: Path,
        message: str,
        *,
        part: MemberPart = MemberPart.VALUE,
        position: int | None = None,
        file: str = "",
    ) -> None:
        """Adds one fault; raises `EnoughFaults` at the error after the thousandth fault."""
        self.count += 1
        if code not in WARNINGS:
            self.errors += 1
            if self.count > limits.FAULTS_LISTED:
                raise EnoughFaults
        if len(self.found) < limits.FAULTS_LISTED:
            self.found.append(Found(code, path, message, part, position, file))


def pointer_of(path: Path) -> str:
    """The RFC 6901 JSON Pointer of a path.

    Keys are cut at 200 characters, because a thousand faults may lie below a hostile one; keys of the format are much
    shorter. A lone surrogate becomes the replacement character.
    """
    steps = (str(part) if isinstance(part, int) or len(part) <= 200 else part[:200] + "..." for part in path)
    text = "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)
    return text.encode("utf-8", "replace").decode("utf-8")


def quoted(value: object) -> str:
    """A value for the sentence of a fault: quoted, short, and printable whatever it holds."""
    if isinstance(value, str):
        short = value if len(value) <= 60 else value[:57] + "..."
        return ascii(short) if not short.isprintable() else f'"{short}"'
    if value is None:
        return "null"
    if value is True or value is False:
        return "true" if value else "false"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "an array"
    if isinstance(value, int):
        return str(value) if abs(value) < 10**20 else "a number of more than 20 digits"
    if isinstance(value, float):
        return repr(value)
    return f"a {type(value).__name__}"
