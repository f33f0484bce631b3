"""Template tags that write addresses, moments and states."""

from datetime import date, datetime, timedelta
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from compliance.interfaces.console import kinds as in_words
from compliance.interfaces.console import wording
from compliance.interfaces.console.visit import Visit
from compliance.proofs.instants import hashed_instant
from compliance.rules.vocabulary import ERASED_PERSON

register = template.Library()

_TONES = {
    "good": "completed_on_time completed_before_requirement valid active signed done accepted acknowledged",
    "warn": "completed_late to_do suspended expired running waiting pending invited replaced",
    "bad": "overdue missed revoked failed erased",
    "calm": "not_due_yet waived required optional employee partner customer",
}
_AS_THEY_ARE = ("_id", "_sha256", "_digest", "_name", "_title", "_email", "company", "statement", "check_code")
"""The endings of the names of fields whose values are not words of the contract."""

_TONE_OF = {word: tone for tone, words in _TONES.items() for word in words.split()}


@register.simple_tag(takes_context=True)
def place(context: dict[str, Any], name: str, **values: Any) -> str:
    """The address of a page, in the company of this page."""
    visit: Visit = context["visit"]
    return visit.address(name, **values)


@register.simple_tag(takes_context=True)
def moment(context: dict[str, Any], value: datetime | str | None) -> SafeString | str:
    """An instant in the company's zone to the minute, with the exact UTC instant in its attribute."""
    if not value:
        return ""
    instant = datetime.fromisoformat(value) if isinstance(value, str) else value
    zone = context["visit"].zone
    day = format_html("<span>{}</span>", wording.written_day(instant.astimezone(zone).date()))
    clock = format_html("<small>{}</small>", wording.written_time(instant, zone))
    written = format_html(pgettext("a moment", "{day}, {time}"), day=day, time=clock)
    return format_html('<time datetime="{}">{}</time>', hashed_instant(instant), written)


@register.simple_tag
def displayed_name(person_name: str | None, erased: object) -> str:
    """A person's name as pages display it. Rows of the API name an erased person in English."""
    return _("Erased person") if erased or person_name == ERASED_PERSON else person_name or _("No name")


@register.simple_tag(takes_context=True)
def day(context: dict[str, Any], value: datetime | date | str | None) -> SafeString | str:
    """A day in the company's zone."""
    if not value:
        return ""
    if isinstance(value, str):  # a day of the contract, or an instant
        value = date.fromisoformat(value) if len(value) == 10 else datetime.fromisoformat(value)
    if isinstance(value, datetime):
        value = value.astimezone(context["visit"].zone).date()
    return format_html('<time class="nowrap" datetime="{}">{}</time>', value.isoformat(), wording.written_day(value))


@register.simple_tag(takes_context=True)
def field_value(context: dict[str, Any], name: str, value: Any) -> SafeString | str:
    """The value of a row's field for people: moments as moments, states as words, an empty value as "none"."""
    if value is None or value == "" or value == []:
        return format_html('<span class="soft">{}</span>', _("none"))
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, str) and name.endswith(("_at", "_until", "_from")):
        return moment(context, value)
    if isinstance(value, list):
        written = wording.state if name == "doors" else str
        return ", ".join(written(each.get("title", each) if isinstance(each, dict) else each) for each in value)
    return str(value) if name.endswith(_AS_THEY_ARE) else wording.state(value)


@register.filter
def words(value: str | None) -> str:
    """A value or a field name of the contract in words: `not_due_yet` becomes `To do`, `due_at` becomes `Due by`."""
    text = str(value or "")
    return wording.state(text) if text in wording.STATES else wording.field(text)


@register.filter
def field_words(value: str) -> str:
    """The name of a row's field in words."""
    return wording.field(str(value))


@register.filter
def badge(value: str | None) -> SafeString | str:
    """A state as a coloured word."""
    if not value:
        return ""
    return format_html('<span class="badge {}">{}</span>', _TONE_OF.get(str(value), ""), wording.state(value))


@register.filter
def short_badge(value: str) -> SafeString:
    """An outcome in a word or two for narrow cells, with the full wording as its title."""
    return format_html(
        '<span class="badge {}" title="{}">{}</span>',
        _TONE_OF.get(value, ""),
        wording.state(value),
        wording.SHORT.get(value, wording.state(value)),
    )


@register.filter
def grouped(value: object) -> str:
    """A number with thousands separators; anything else as it is."""
    return wording.written_number(value) if isinstance(value, int) else "" if value is None else str(value)


@register.filter
def lasting(value: timedelta) -> str:
    """A duration in its largest unit: `none`, `42 s`, `7 min`, `3 h`, `2 days`."""
    seconds = int(value.total_seconds())
    if seconds >= 2 * 86400:
        days = seconds // 86400
        return ngettext("%(number)s day", "%(number)s days", days) % {"number": days}
    for size, unit in ((3600, "h"), (60, "min"), (1, "s")):
        if seconds >= 2 * size or (seconds and size == 1):
            return f"{seconds // size} {unit}"
    return _("none")


@register.filter
def kinds(value: list[str]) -> list[tuple[str, str]]:
    """Kinds of fact, grouped by the noun that they are about."""
    return in_words.grouped(value)


@register.filter
def short(value: object) -> str:
    """The first eight characters of an identifier or a digest."""
    return str(value)[:8] if value else ""


@register.filter
def item(value: dict[str, Any], name: str) -> Any:
    """The entry `name` of a dictionary."""
    return value.get(name)


@register.simple_tag(takes_context=True)
def first_page(context: dict[str, Any]) -> str:
    """The address of this list's first page, under the same filters."""
    query = context["request"].GET.copy()
    query.pop("after", None)
    return f"{context['request'].path}?{query.urlencode()}" if query else context["request"].path


@register.simple_tag(takes_context=True)
def act_place(context: dict[str, Any], act: Any) -> str:
    """The address of an act."""
    visit: Visit = context["visit"]
    return visit.address(f"act-{act.name}")


@register.simple_tag
def act_title(name: str) -> str:
    """The title of an act by its name."""
    from compliance.interfaces.console.acting.registry import ACTS

    return str(ACTS[name].title) if name in ACTS else name
