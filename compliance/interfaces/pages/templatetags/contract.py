"""Template filters for sentences of the contract on the API's pages."""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

register = template.Library()


@register.filter
def with_code(sentence: str) -> SafeString:
    """A sentence in which text between backticks is set as code."""
    pieces = enumerate(sentence.split("`"))
    return format_html_join(
        "", "{}", ((format_html("<code>{}</code>", piece) if number % 2 else piece,) for number, piece in pieces)
    )
