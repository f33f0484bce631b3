"""Acts on API keys: issue, rotate, revoke. A key is displayed once."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext, gettext_lazy

from compliance.access import actions
from compliance.access.models import ApiKey
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
from compliance.rules.vocabulary import Scope


class _OfKey(Act):
    permission = Permission.OPERATE
    group = gettext_lazy("API keys")
    recent = True


class IssueForm(EndingForm):
    """What the key may read, from where, and until when."""

    key_name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=100,
        help_text=gettext_lazy("What it is for, so that others know it again."),
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("Scopes"),
        choices=[(scope.value, scope.value) for scope in Scope],
        widget=forms.CheckboxSelectMultiple,
    )
    networks = networks_field()
    expires_on = end_field()


def _check(acting: Acting, scopes: Iterable[str]) -> None:
    """Raises CannotActError if the key may read more than its issuer may export."""
    if Scope.PEOPLE_READ in scopes and not acting.may(Permission.EXPORT):
        raise CannotActError(
            gettext("A key with people:read takes names and addresses away. Only who may export issues or rotates one.")
        )


def _end(acting: Acting) -> datetime:
    return end(acting, gettext("A key ends on a day to come, within one year."))


class IssueKey(_OfKey):
    """Issues a key."""

    name = "issue-key"
    title = gettext_lazy("Issue an API key")
    explains = gettext_lazy(
        "Lets a program of the company read its records. The key is shown once, to whoever confirms this."
    )
    form = IssueForm
    second = True

    def needs_second(self, acting: Acting) -> bool:
        """Whether the key reads names (`people:read`)."""
        return Scope.PEOPLE_READ in acting.data["scopes"]

    def preview(self, acting: Acting) -> Preview:
        """Says what the key will be able to read, until when."""
        data = acting.data
        _check(acting, data["scopes"])
        _end(acting)
        pairs: list[tuple[str, Any]] = [
            (gettext("Name"), data["key_name"]),
            (gettext("May read"), ", ".join(data["scopes"])),
            (gettext("From"), ", ".join(networks(acting)) or gettext("anywhere")),
            (gettext("Until"), data["expires_on"]),
        ]
        found = Preview(pairs=pairs)
        if Scope.PEOPLE_READ in data["scopes"]:
            found.warnings.append(gettext("With people:read it is told names and addresses."))
        return found

    def perform(self, acting: Acting) -> Done:
        """Issues the key and displays its token once."""
        _check(acting, acting.data["scopes"])
        token, key = actions.issue_key(
            organization_id=acting.organization_id,
            scopes=acting.data["scopes"],
            environment=settings.ENVIRONMENT,
            at=acting.at,
            actor=issuer(acting),
            name=acting.data["key_name"],
            networks=networks(acting),
            expires_at=_end(acting),
        )
        return Done(gettext("The key …%(ending)s is issued.") % {"ending": key.ending}, "keys", secret=token)


def _open_keys(form: ActForm) -> list[tuple[str, str]]:
    """The keys that are not revoked."""
    keys = ApiKey.objects.filter(organization_id=form.organization_id, revoked_at=None)
    return [(str(key.key_id), str(key)) for key in keys.order_by("-created_at")[:500]]


KeyForm = form_of(key_id=Listed(_open_keys, label=gettext_lazy("Key")))


def _key(acting: Acting) -> ApiKey:
    """The chosen key, of this company and no other."""
    return chosen(acting, ApiKey, "key_id", gettext("This company has no such key."))


class RotateKey(_OfKey):
    """Issues a successor; the old key stays valid for a while."""

    name = "rotate-key"
    title = gettext_lazy("Rotate an API key")
    explains = gettext_lazy(
        "Issues a key with the same scopes, networks and end. The old one opens for seven more days at most."
    )
    form = KeyForm
    about = "key"
    second = True

    def needs_second(self, acting: Acting) -> bool:
        """Whether the key reads names (`people:read`)."""
        return Scope.PEOPLE_READ in _key(acting).scopes

    def preview(self, acting: Acting) -> Preview:
        """Names the key, and until when it stays valid."""
        key = _key(acting)
        _check(acting, key.scopes)
        overlap = acting.at + actions.ROTATION_OVERLAP
        ends_at = key.expires_at or acting.at + actions.USUAL_LIFE
        return Preview(
            pairs=[
                (gettext("Key"), str(key)),
                (gettext("The old one opens until"), day(acting, min(overlap, key.expires_at or overlap))),
                (gettext("The new one opens until"), day(acting, ends_at)),
            ]
        )

    def perform(self, acting: Acting) -> Done:
        """Issues the successor and displays its token once."""
        old = _key(acting)
        _check(acting, old.scopes)
        token, key = actions.rotate_key(
            key_id=old.key_id,
            environment=settings.ENVIRONMENT,
            at=acting.at,
            actor=issuer(acting),
        )
        return Done(gettext("The key …%(ending)s takes over.") % {"ending": key.ending}, "keys", secret=token)


class RevokeKey(_OfKey):
    """Ends a key at once."""

    name = "revoke-key"
    title = gettext_lazy("Revoke an API key")
    explains = gettext_lazy("The key stops working at once and for good.")
    form = KeyForm
    about = "key"
    danger = True

    def preview(self, acting: Acting) -> Preview:
        """Names the key, and when it was last used."""
        key = _key(acting)
        return Preview(
            pairs=[
                (gettext("Key"), str(key)),
                last_used(key),
                (gettext("May read"), ", ".join(key.scopes)),
            ]
        )

    def perform(self, acting: Acting) -> Done:
        """Revokes the key at once."""
        key = actions.revoke_key(
            key_id=_key(acting).key_id, at=acting.at, actor=str(acting.staff.actor_id), reason="by staff"
        )
        return Done(gettext("The key …%(ending)s is revoked.") % {"ending": key.ending}, "keys")


ACTS: tuple[Act, ...] = (IssueKey(), RotateKey(), RevokeKey())
