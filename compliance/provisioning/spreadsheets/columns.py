"""What each column of a spreadsheet holds: recognised by its heading, unless the user chooses otherwise."""

from collections.abc import Collection, Mapping, Sequence

from compliance.contentfile.identifiers import is_slug
from compliance.provisioning.spreadsheets.delimited import Row
from compliance.provisioning.spreadsheets.errors import ColumnsError
from compliance.provisioning.spreadsheets.headings import HEADINGS, LABELS, NOT_OF_WORK, Field
from compliance.provisioning.spreadsheets.text import clean, heading_key, name_key

Columns = dict[int, Field]
"""The field of each column that is used, by the column's position from 0."""

SEVERAL = frozenset({Field.FIRST_NAME, Field.LAST_NAME, Field.TEAM, Field.ROLES})
"""Fields that several columns may hold: two last names, a department and a team."""

_RANKS = {heading: (field, rank) for field, own in HEADINGS.items() for rank, heading in enumerate(own)}
_JOB_TITLES = frozenset({"role", "rolle", "rol", "roles"})
_BARE_NAMES = {"name": Field.LAST_NAME, "nom": Field.LAST_NAME, "nombre": Field.FIRST_NAME}


def recognised_headings(headings: Sequence[str]) -> set[Field]:
    """The fields that some of the headings name."""
    return {found[0] for heading in headings if (found := _recognise(heading_key(clean(heading)))) is not None}


def recognise(headings: Sequence[str], first: Sequence[Row], role_names: Collection[str] = ()) -> Columns:
    """Recognises the columns by their headings, and columns of roles and teams also by the contents of the first rows.

    Columns of job titles are called “role” too, so such a column is used only if it holds nothing but roles:
    `role_names` by their `name_key`, or words in the form of a role.
    """
    ranked: dict[Field, list[tuple[int, int]]] = {}
    for place, heading in enumerate(headings):
        key = heading_key(heading)
        found = _recognise(key)
        if found is None:
            continue
        field, rank = found
        held = [cells[place].strip() for _, cells in first if place < len(cells) and cells[place].strip()]
        roles = bool(held) and all(_is_role(cell, role_names) for cell in held)
        if field is Field.ROLES and not roles and (held or key in _JOB_TITLES):
            continue
        if field is Field.TEAM and first and len(held) * 2 < len(first):
            rank += len(_RANKS)  # mostly empty: another column is more useful
        ranked.setdefault(field, []).append((rank, place))
    columns: Columns = {}
    for field, places in ranked.items():
        for _, place in sorted(places)[: None if field is Field.LAST_NAME else 1]:
            columns[place] = field
    return _named(columns, headings)


def chosen(headings: Sequence[str], columns: Columns, changes: Mapping[str, str]) -> Columns:
    """`columns` with changes by heading: the name of a field, or an empty text for a column that is not used.

    Raises ColumnsError for an unknown heading or field.
    """
    found = dict(columns)
    for heading, name in changes.items():
        places = [place for place, each in enumerate(headings) if heading_key(each) == heading_key(heading)]
        if not places:
            raise ColumnsError(f"The file has no column “{heading[:60]}”. It has: {', '.join(headings)[:400]}.")
        if name and name not in set(Field):
            raise ColumnsError(f"“{name[:60]}” is nothing that a column may hold. Choose of: {', '.join(Field)}.")
        for place in places:
            found.pop(place, None)
        if name:
            field = Field(name)
            if field not in SEVERAL:
                found = {place: each for place, each in found.items() if each is not field}
            found[places[0]] = field
    return found


def check(columns: Columns) -> None:
    """Raises ColumnsError where no column identifies the person of a row."""
    fields = list(columns.values())
    if Field.EMAIL not in fields and Field.NUMBER not in fields:
        raise ColumnsError(
            "No column is matched to the e-mail address or the employee number: nobody could be found again by the"
            " file. Match one of the columns."
        )
    twice = [field for field in Field if fields.count(field) > 1 and field not in SEVERAL]
    if twice:
        raise ColumnsError(f"Two columns are matched to “{LABELS[twice[0]]}”. Only one can be.")


def _recognise(key: str) -> tuple[Field, int] | None:
    words = set(key.split())
    found = _RANKS.get(key)
    if found is not None:
        return found
    if not words.isdisjoint(NOT_OF_WORK):
        return None
    mail = not words.isdisjoint({"email", "emailadresse", "courriel", "mailadresse"}) or {"e", "mail"} <= words
    return (Field.EMAIL, len(_RANKS)) if mail else None


def _is_role(cell: str, role_names: Collection[str]) -> bool:
    return all(is_slug(part) or name_key(part) in role_names for part in role_parts(cell))


def role_parts(cell: str) -> list[str]:
    """The roles that a cell names: separated by commas, semicolons, bars or line breaks."""
    for separator in ";|\n\r":
        cell = cell.replace(separator, ",")
    return [part for part in map(clean, cell.split(",")) if part]


def team_parts(cell: str) -> list[str]:
    """The teams that a cell names: separated by semicolons, bars or line breaks; a comma belongs to a name."""
    for separator in "|\n\r":
        cell = cell.replace(separator, ";")
    return [part for part in map(clean, cell.split(";")) if part]


def _named(columns: Columns, headings: Sequence[str]) -> Columns:
    """Corrects columns of names: “Name” beside a first name is the last name, “Nombre” beside “Apellidos” the first.

    Where there are a full name and both of its parts, the parts are used; a part alone is not a name.
    """
    fields = set(columns.values())
    full = next((place for place, field in columns.items() if field is Field.NAME), None)
    parts = {Field.FIRST_NAME, Field.LAST_NAME}
    if full is not None:
        missing = parts - fields
        if len(missing) == 1 and _BARE_NAMES.get(heading_key(headings[full])) in missing:
            return columns | {full: missing.pop()}
        if not missing:
            return {place: field for place, field in columns.items() if place != full}
        return {place: field for place, field in columns.items() if field not in parts}
    return columns
