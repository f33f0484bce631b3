"""How names and addresses are compared when people are searched for: without case and without accents.

PostgreSQL's own `normalize` separates letters from their marks (Unicode NFKD, UAX #15), and the marks are removed;
letters that cannot be separated (ø, ł, ß, æ ...) are replaced by those that people type for them. The extension
`unaccent` is not used, because not every PostgreSQL has it.

The folded text is kept in columns that the database computes (`search_text`), so that a search does not fold every
name, and clearing the name clears the column too.
"""

from django.db.models import F, Func, GeneratedField, TextField, Value
from django.db.models.functions import Coalesce

_TEMPLATE = (
    "replace(replace(replace(translate(lower(regexp_replace(normalize({text}, NFKD), '[\\u0300-\\u036f]', '', 'g')),"
    " 'øłđðıς‘’ʼ', 'olddiσ'''''''), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe')"
)


def folded(text: str) -> str:
    """The SQL expression that folds `text`, an SQL expression itself, for comparison."""
    return _TEMPLATE.format(text=text)


class Folded(Func):
    """The same as a Django expression, of several texts with a space between."""

    template = folded("(%(expressions)s)")
    arg_joiner = " || ' ' || "
    output_field = TextField()


def search_text(*columns: str) -> GeneratedField:
    """A column with the searchable text of `columns`, computed by the database and cleared with them."""
    parts = (Coalesce(F(column), Value(""), output_field=TextField()) for column in columns)
    return GeneratedField(expression=Folded(*parts), output_field=TextField(), db_persist=True)


PATTERNS = (
    rf"SELECT array_agg('%%' || regexp_replace({folded('word')}, '([\\%%_])', '\\\1', 'g') || '%%')"  # noqa: S608
    " FROM unnest(%(words)s::text[]) AS word"
)
"""The statement that makes LIKE patterns from the words of a search (`words`): a row must match each."""
