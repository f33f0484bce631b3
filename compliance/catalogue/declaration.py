"""The declaration of a register: all that other rooms need to know about it before they read a row."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum

from compliance.catalogue.fields import Shape
from compliance.rules.vocabulary import Scope


class Window(Enum):
    """The moments that a register is asked about, by the names of its query parameters.

    A value is the parameter that ends the window and the one that starts it, None where there is none.
    """

    NOW = (None, None)
    AS_AT = ("as_at", None)
    SINCE = ("as_at", "from")
    """The start may be left out: then everything from the beginning of the history."""
    PERIOD = ("to", "from")
    """Both are required on the first page."""

    @property
    def end(self) -> str | None:
        """The parameter that ends the window."""
        return self.value[0]

    @property
    def start(self) -> str | None:
        """The parameter that starts the window."""
        return self.value[1]


@dataclass(frozen=True)
class Column:
    """A column of the register's page in the console: the field of the row, its heading, and how it is displayed."""

    name: str
    heading: str
    kind: str = "text"  # how cell.html shows it, and how wide it is at least


@dataclass(frozen=True, kw_only=True, eq=False)
class Register:
    """A register of the contract, or a second way of reading one (training records of a period).

    `number` identifies it in the history's tables; `name` is its address under /v1 and part of the row digest.
    """

    number: int
    name: str
    scope: Scope
    row: type[Shape]
    identity: str
    """The field of a row that names its record."""
    columns: Mapping[str, str]
    """The typed columns of `HistoryRow` that repeat a field of the stored body, each with that field."""
    basis: type[Shape] | None = None
    """What the feed sends of a version besides its fields; the listing computes it. None: nothing."""

    subjects: tuple[str, ...]
    """The kinds of subject (`SubjectKind`) whose decision writes its records."""

    noun: str
    """What its rows are, in the plural and the middle of a sentence."""
    title: str
    """Heading of its page in the console."""
    explains: str
    """What its page in the console shows, in a sentence."""
    listed: tuple[Column, ...]

    operation: str
    """`operationId` of its endpoint."""
    summary: str
    description: str
    tag: str
    path: str = ""
    """Address below /v1; `name` when it is left empty."""
    window: Window = Window.AS_AT
    by_course: bool = False

    behind_records: bool = False
    """It lists only what is behind training records."""
    few: bool = False
    """Even a large company has so few rows that they are counted at once."""
    signed: bool = False
    """Its rows have digests to be checked without the service, so evidence packs keep its pages as /v1 sends them."""
    tally: str = ""
    """The kind of dashboard tally that counts its records; empty: none does."""
    owed: str = ""
    """`course` or `policy` where its records state who owes one."""
    of_person: str = ""
    """The name of a person's rows on the page about this person; empty: its rows belong to nobody."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", self.path or self.name)

    @property
    def page(self) -> str:
        """Name of its page in the console, and of its export."""
        return self.path.rpartition("/")[2]

    @property
    def file(self) -> str:
        """Name of its files in an evidence pack."""
        return self.path.replace("/", "-")

    @property
    def fields(self) -> list[str]:
        """The fields of a row in a table. A policy's file is left out, because a cell would cut it."""
        return [name for name in self.row.model_fields if name != "html"]
