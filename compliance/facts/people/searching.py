"""How names and addresses are compared when people are searched for: without case and without accents.

PostgreSQL's own `normalize` takes letters and their marks apart (Unicode NFKD, UAX #15) and the marks go; letters that
are not made of two (ø, ł, ß, æ ...) are replaced by those that people type for them. The extension `unaccent` is not
used: not every PostgreSQL brings it.

What rows say is kept beside them in columns that the database computes (`search_text`), so that a search reads no name
letter by letter, and so that clearing the name clears it too.
"""

from django.db.models import F, Func, GeneratedField, TextField, Value
from django.db.models.functions import Coalesce

_TEMPLATE = (
    "replace(replace(replace(translate(lower(regexp_replace(normalize({text}, NFKD), '[\\u0300-\\u036f]', '', 'g')),"
    " 'øłđðıς‘’ʼ', 'olddiσ'''''''), 'ß', 'ss'), 'æ', 'ae'), 'œ', 'oe')"
)


def folded(text: str) -> str:
    """The SQL expression of `text`, an expression itself, as it is compared."""
    return _TEMPLATE.format(text=text)


class Folded(Func):
    """The same for Django's expressions, of several texts with a space between."""

    template = folded("(%(expressions)s)")
    arg_joiner = " || ' ' || "
    output_field = TextField()


def search_text(*columns: str) -> GeneratedField:
    """A column that holds what can be searched for of `columns`, computed by the database; cleared with them."""
    parts = (Coalesce(F(column), Value(""), output_field=TextField()) for column in columns)
    return GeneratedField(expression=Folded(*parts), output_field=TextField(), db_persist=True)


PATTERNS = (
    rf"SELECT array_agg('%%' || regexp_replace({folded('word')}, '([\\%%_])', '\\\1', 'g') || '%%')"  # noqa: S608
    " FROM unnest(%(words)s::text[]) AS word"
)
"""The statement that makes LIKE patterns of the words that were typed (`words`): a row must match each."""
