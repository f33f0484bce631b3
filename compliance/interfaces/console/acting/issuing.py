"""What acts on keys and on sources share: the issuer, networks, the end, and the time of last use."""

from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from compliance.access import actions
from compliance.access.errors import BadNetworkError
from compliance.access.models import ApiKey, Source
from compliance.interfaces.console.acting.act import Acting, CannotActError
from compliance.interfaces.console.acting.fields import ActForm, day_field, end_of
from compliance.interfaces.console.wording import written_day, written_instant
from compliance.rules import company_days
from compliance.tenancy.models import Organization


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


def networks(acting: Acting) -> list[str]:
    """The chosen networks in their canonical form. Raises CannotActError for a word that is no network."""
    found = []
    for word in acting.data["networks"].replace(",", " ").split():
        try:
            found.append(actions.network(word))
        except BadNetworkError as error:
            words = gettext("%(word)s is no network. Write it like 192.0.2.0/24 or 2001:db8::/32.")
            raise CannotActError(words % {"word": repr(word[:60])}) from error
    return found


class EndingForm(ActForm):
    """A form with an `end_field` under the name `expires_on`, which begins with the last day that is accepted."""

    def __init__(self, organization: Organization, at: datetime, *arguments: Any, **values: Any) -> None:
        super().__init__(organization, at, *arguments, **values)
        too_late = company_days.day_of(organization.time_zone, at + actions.LONGEST_LIFE)
        self.fields["expires_on"].initial = too_late - company_days.ONE_DAY


def end_field() -> forms.DateField:
    """A field for the last day, in the company's time."""
    return day_field(
        gettext_lazy("Ends on"),
        required=True,
        help_text=gettext_lazy("The end of this day of the company, within one year."),
    )


def end(acting: Acting, too_far: str) -> datetime:
    """The end of the chosen day. Raises CannotActError with `too_far` for a past day and for one beyond a year."""
    ends_at = end_of(acting.organization, acting.data["expires_on"])
    if ends_at is None or not acting.at < ends_at <= acting.at + actions.LONGEST_LIFE:
        raise CannotActError(too_far)
    return ends_at


def day(acting: Acting, instant: datetime) -> str:
    """The company's day of an instant, in words."""
    return written_day(company_days.day_of(acting.organization.time_zone, instant))


def last_used(row: ApiKey | Source) -> tuple[str, str]:
    """The label and the value of a preview's line with the moment of the last call."""
    used = written_instant(row.last_used_at) if row.last_used_at else gettext("never")
    return gettext("Last used"), used
