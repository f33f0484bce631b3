"""What acts on keys and on sources share: the issuer, the fields for networks and end, and the time of last use."""

from datetime import datetime

from django import forms
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from compliance.access import actions
from compliance.access.models import ApiKey, Source
from compliance.interfaces.console.acting.act import Acting, CannotActError
from compliance.interfaces.console.acting.fields import day_field, end_of
from compliance.interfaces.console.wording import written_instant


def issuer(acting: Acting) -> str:
    """Whoever sees the token: of two people the one who confirms."""
    return str((acting.second or acting.staff).actor_id)


def networks_field() -> forms.CharField:
    """A field for the networks from which calls are accepted."""
    return forms.CharField(
        label=gettext_lazy("Networks"),
        required=False,
        help_text=gettext_lazy("Like 192.0.2.0/24, separated by blanks. Empty: from anywhere."),
    )


def end_field() -> forms.DateField:
    """A field for the last day, in the company's time."""
    return day_field(
        gettext_lazy("Ends on"),
        required=True,
        help_text=gettext_lazy("The end of this day of the company, within one year."),
        initial=lambda: (timezone.now() + actions.USUAL_LIFE).date(),
    )


def end(acting: Acting, too_far: str) -> datetime:
    """The end of the chosen day. Raises CannotActError with `too_far` for a past day and for one beyond a year."""
    ends_at = end_of(acting.organization, acting.data["expires_on"])
    if ends_at is None or not acting.at < ends_at <= acting.at + actions.LONGEST_LIFE:
        raise CannotActError(too_far)
    return ends_at


def last_used(row: ApiKey | Source) -> tuple[str, str]:
    """The label and the value of a preview's line with the moment of the last call."""
    used = written_instant(row.last_used_at) if row.last_used_at else gettext("never")
    return gettext("Last used"), used
