"""Acts on sources: issue, rotate, revoke. A token is displayed once.

A source is like a facts file without an end, so issuing its token has the same checks as importing a file: nobody can
grant kinds of fact that they may not record themselves, and a second person confirms.
"""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import Q
from django.utils.translation import gettext, gettext_lazy

from compliance.access import actions, sources
from compliance.access.models import Source
from compliance.facts.lines.kinds import KINDS
from compliance.interfaces.console import kinds as in_words
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done, chosen
from compliance.interfaces.console.acting.fields import ActForm, Listed, form_of
from compliance.interfaces.console.acting.issuing import (
    EndingForm,
    day,
    end,
    end_field,
    issuer,
    last_used,
    networks,
    networks_field,
)
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.preview.dry_run import Preview


class _OfSource(Act):
    permission = Permission.OPERATE
    group = gettext_lazy("Sources")
    recent = True
    secret_name = gettext_lazy("The token")


def _kinds_of(noun: str) -> forms.MultipleChoiceField:
    return forms.MultipleChoiceField(
        required=False,
        label=in_words.NOUNS[noun],
        choices=in_words.of_noun(noun),
        widget=forms.CheckboxSelectMultiple,
    )


class IssueForm(EndingForm):
    """The source's name, the kinds of fact it may send, from where, and until when."""

    source_name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("Stories name it as the origin of its facts, like “Workday”."),
    )
    scim = forms.BooleanField(
        required=False,
        label=gettext_lazy("People and teams by SCIM, for an identity provider"),
        help_text=(
            gettext_lazy(
                "Microsoft Entra ID, Okta and others keep people and teams in step by themselves. Such a source needs"
                " none of the kinds below."
            )
        ),
    )
    leaving = forms.ChoiceField(
        label=gettext_lazy("When the identity provider sets a person inactive"),
        choices=Source.Leaving.choices,
        help_text=gettext_lazy("Only for SCIM."),
    )
    people = _kinds_of("people")
    training = _kinds_of("training")
    courses = _kinds_of("courses")
    policies = _kinds_of("policies")
    shares = _kinds_of("shares")
    certificates = _kinds_of("certificates")
    networks = networks_field()
    expires_on = end_field()

    def clean(self) -> dict[str, Any]:
        """Refuses a source without any kind of fact."""
        data: dict[str, Any] = super().clean() or {}
        if not self.errors and not _chosen(data):
            self.add_error(None, gettext("Choose at least one kind of fact, or SCIM."))
        return data


def _chosen(data: dict[str, Any]) -> list[str]:
    """The kinds that the form names, in the order of the facts file."""
    named = {kind for noun in in_words.NOUNS for kind in data.get(noun) or ()}
    return [kind for kind in KINDS if kind in named] + ([sources.SCIM] if data.get("scim") else [])


def _check(acting: Acting, kinds: Iterable[str]) -> None:
    """Raises CannotActError for kinds that this person may not record; administrators may grant every kind."""
    beyond = [kind for kind in kinds if kind not in acting.may_tell]
    if beyond and not acting.may(Permission.KEEP_STAFF):
        named = ", ".join(in_words.title(kind) for kind in beyond)
        raise CannotActError(
            gettext(
                "You may not record these yourself, so you hand out no token for them: %(named)s. An administrator"
                " does, or manage.py create_source on the server."
            )
            % {"named": named}
        )


def _end(acting: Acting) -> datetime:
    return end(acting, gettext("A source ends on a day to come, within one year."))


def _brings(kinds: Iterable[str]) -> list[tuple[str, str]]:
    """The lines of a preview with what a source may send."""
    return [(gettext("May bring: %(noun)s") % {"noun": noun}, words) for noun, words in in_words.grouped(kinds)]


def _where(kinds: Iterable[str]) -> str:
    """Where the token is to be used."""
    base = settings.BASE_URL
    sentences = []
    if sources.SCIM in kinds:
        sentences.append(gettext("SCIM base address: %(address)s.") % {"address": f"{base}/scim/v2"})
    if set(kinds) - {sources.SCIM}:
        sentences.append(gettext("Facts go to %(address)s.") % {"address": f"{base}/in/v1/facts"})
    return " ".join(sentences)


class IssueSource(_OfSource):
    """Issues a source and its token."""

    name = "issue-source"
    title = gettext_lazy("Issue a source")
    explains = gettext_lazy(
        "Lets a program bring facts in: an HR system, an identity provider, a learning system. Its token is shown once,"
        " to whoever confirms this."
    )
    form = IssueForm
    second = True

    def preview(self, acting: Acting) -> Preview:
        """Says what the source may send, from where, and until when."""
        data, kinds = acting.data, _chosen(acting.data)
        _check(acting, kinds)
        _end(acting)
        pairs: list[tuple[str, Any]] = [(gettext("Name"), data["source_name"])]
        pairs += _brings(kinds)
        if sources.SCIM in kinds:
            pairs.append((gettext("Someone set inactive"), Source.Leaving(data["leaving"]).label))
        pairs += [
            (gettext("From"), ", ".join(networks(acting)) or gettext("anywhere")),
            (gettext("Until"), data["expires_on"]),
        ]
        return Preview(pairs=pairs, notes=[gettext("What it brings is recorded with its name as the origin.")])

    def perform(self, acting: Acting) -> Done:
        """Issues the source and displays its token once."""
        kinds = _chosen(acting.data)
        _check(acting, kinds)
        token, source = sources.issue_source(
            organization_id=acting.organization_id,
            name=acting.data["source_name"],
            kinds=kinds,
            environment=settings.ENVIRONMENT,
            at=acting.at,
            actor=issuer(acting),
            networks=networks(acting),
            leaving=acting.data["leaving"],
            expires_at=_end(acting),
        )
        return Done(
            gettext("The source %(source)s is issued. %(kinds)s") % {"source": source, "kinds": _where(kinds)},
            "sources",
            secret=token,
        )


def _not_revoked_for_good(form: ActForm) -> list[tuple[str, str]]:
    """The sources that can get a new token: those not revoked, or revoked for a reason in `GOES_ON`."""
    which = Q(revoked_at=None) | Q(revoked_reason__in=sources.GOES_ON)
    found = Source.objects.filter(which, organization_id=form.organization_id)
    return [(str(source.source_id), str(source)) for source in found.order_by("-created_at")[:500]]


class RotateForm(EndingForm):
    """The source, and the end of its new token."""

    source_id = Listed(_not_revoked_for_good, label=gettext_lazy("Source"))
    expires_on = end_field()


RevokeForm = form_of(source_id=Listed(_not_revoked_for_good, label=gettext_lazy("Source")))


def _source(acting: Acting) -> Source:
    """The chosen source, of this company and no other."""
    return chosen(acting, Source, "source_id", gettext("This company has no such source."))


class RotateSource(_OfSource):
    """Gives a source another token; the former one stays valid for a while."""

    name = "rotate-source"
    title = gettext_lazy("Rotate a source's token")
    explains = gettext_lazy(
        "Gives the source a new token, shown once, with a new end. The former one opens for seven more days, unless it"
        " was sent in a URL or has expired. What is kept for the source stays with it."
    )
    form = RotateForm
    about = "source"
    second = True

    def preview(self, acting: Acting) -> Preview:
        """Names the source, and until when the former token stays valid."""
        source = _source(acting)
        _check(acting, source.kinds)
        _end(acting)
        opens = source.revoked_at is None and source.expires_at > acting.at
        until = min(acting.at + actions.ROTATION_OVERLAP, source.expires_at)
        found = Preview(
            pairs=[
                (gettext("Source"), str(source)),
                *_brings(source.kinds),
                (
                    gettext("The token of today opens until"),
                    day(acting, until) if opens else gettext("it opens no more"),
                ),
                (gettext("The new one opens until the end of"), acting.data["expires_on"]),
            ]
        )
        if source.former_until is not None and source.former_until > acting.at:
            found.warnings.append(gettext("A former token is still open from the last rotation. It ends at once."))
        return found

    def perform(self, acting: Acting) -> Done:
        """Replaces the token and displays the new one once."""
        chosen = _source(acting)
        _check(acting, chosen.kinds)
        token, source = sources.rotate_source(
            source_id=chosen.source_id,
            environment=settings.ENVIRONMENT,
            at=acting.at,
            actor=issuer(acting),
            expires_at=_end(acting),
        )
        return Done(
            gettext("The source %(source)s has a new token. %(kinds)s")
            % {"source": source, "kinds": _where(source.kinds)},
            "sources",
            secret=token,
        )


class RevokeSource(_OfSource):
    """Ends a source at once."""

    name = "revoke-source"
    title = gettext_lazy("Revoke a source")
    explains = gettext_lazy(
        "The source stops working at once and for good, whatever token it calls by. What it brought stays."
    )
    form = RevokeForm
    about = "source"
    danger = True

    def preview(self, acting: Acting) -> Preview:
        """Names the source, and when it last called."""
        source = _source(acting)
        return Preview(
            pairs=[
                (gettext("Source"), str(source)),
                last_used(source),
                *_brings(source.kinds),
            ]
        )

    def perform(self, acting: Acting) -> Done:
        """Revokes the source at once."""
        source = sources.revoke_source(
            source_id=_source(acting).source_id,
            at=acting.at,
            actor=str(acting.staff.actor_id),
            reason="by staff",
        )
        return Done(gettext("The source %(source)s is revoked.") % {"source": source}, "sources")


ACTS: tuple[Act, ...] = (IssueSource(), RotateSource(), RevokeSource())
