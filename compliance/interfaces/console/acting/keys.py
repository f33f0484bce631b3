"""Acts on API keys: issue, rotate, revoke. A key is shown once."""

from typing import Any

from django import forms
from django.conf import settings

from compliance.access import actions
from compliance.access.models import ApiKey
from compliance.interfaces.console.acting.act import Act, ActForm, Acting, CannotActError, Done
from compliance.interfaces.console.acting.fields import day_field, end_of
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import Scope

GROUP = "API keys"


class IssueForm(ActForm):
    """What the key may, from where, until when."""

    key_name = forms.CharField(label="Name", max_length=100, help_text="What it is for, so that others know it again.")
    scopes = forms.MultipleChoiceField(
        label="Scopes", choices=[(scope.value, scope.value) for scope in Scope], widget=forms.CheckboxSelectMultiple
    )
    networks = forms.CharField(
        label="Networks", required=False, help_text="Like 192.0.2.0/24, separated by blanks. Empty: from anywhere."
    )
    expires_on = day_field("Ends on", help_text="The end of this day of the company. Empty: it does not end.")


class IssueKey(Act):
    """Issues a key."""

    name = "issue-key"
    title = "Issue an API key"
    explains = "Lets a program of the company read its records. The key is shown once, on the next page."
    permission = Permission.OPERATE
    form = IssueForm
    group = GROUP

    def preview(self, acting: Acting) -> Preview:
        """Says what the key will be able to read."""
        data = acting.data
        pairs: list[tuple[str, Any]] = [
            ("Name", data["key_name"]),
            ("May read", ", ".join(data["scopes"])),
            ("From", data["networks"] or "anywhere"),
            ("Until", data["expires_on"] or "it is revoked"),
        ]
        found = Preview(pairs=pairs)
        if Scope.PEOPLE_READ in data["scopes"]:
            found.warnings.append("With people:read it is told names and addresses.")
        return found

    def perform(self, acting: Acting) -> Done:
        """Issues it."""
        token, key = actions.issue_key(
            organization_id=acting.organization_id,
            scopes=acting.data["scopes"],
            environment=settings.ENVIRONMENT,
            at=acting.at,
            actor=str(acting.staff.actor_id),
            name=acting.data["key_name"],
            networks=acting.data["networks"].replace(",", " ").split(),
            expires_at=end_of(acting.organization, acting.data["expires_on"]),
        )
        return Done(f"The key …{key.ending} is issued.", "keys", secret=token)


class KeyForm(ActForm):
    """Names a key of this company."""

    key_id = forms.ChoiceField(label="Key")

    def prepare(self) -> None:
        """Lists the keys that still open."""
        keys = ApiKey.objects.filter(organization_id=self.organization.organization_id, revoked_at=None)
        choices = [(str(key.key_id), str(key)) for key in keys.order_by("-created_at")[:500]]
        self.offer("key_id", choices)


def _key(acting: Acting) -> ApiKey:
    """The chosen key, of this company and no other."""
    found = ApiKey.objects.filter(organization_id=acting.organization_id, key_id=acting.data["key_id"]).first()
    if found is None:
        raise CannotActError("This company has no such key.")
    return found


class RotateKey(Act):
    """Issues a successor; the old key stays open for a while."""

    name = "rotate-key"
    title = "Rotate an API key"
    explains = "Issues a key with the same scopes and networks. The old one opens for seven more days."
    permission = Permission.OPERATE
    form = KeyForm
    about = "key"
    group = GROUP

    def preview(self, acting: Acting) -> Preview:
        """Says which key, and until when it still opens."""
        end = (acting.at + actions.ROTATION_OVERLAP).strftime("%d %b %Y")
        return Preview(pairs=[("Key", str(_key(acting))), ("The old one opens until", end)])

    def perform(self, acting: Acting) -> Done:
        """Rotates it."""
        token, key = actions.rotate_key(
            key_id=_key(acting).key_id,
            environment=settings.ENVIRONMENT,
            at=acting.at,
            actor=str(acting.staff.actor_id),
        )
        return Done(f"The key …{key.ending} takes over.", "keys", secret=token)


class RevokeKey(Act):
    """Ends a key at once."""

    name = "revoke-key"
    title = "Revoke an API key"
    explains = "The key stops working at once and for good."
    permission = Permission.OPERATE
    form = KeyForm
    about = "key"
    group = GROUP
    danger = True

    def preview(self, acting: Acting) -> Preview:
        """Says which key, and when it was last used."""
        key = _key(acting)
        used = key.last_used_at.strftime("%d %b %Y, %H:%M UTC") if key.last_used_at else "never"
        return Preview(pairs=[("Key", str(key)), ("Last used", used), ("May read", ", ".join(key.scopes))])

    def perform(self, acting: Acting) -> Done:
        """Revokes it."""
        key = actions.revoke_key(
            key_id=_key(acting).key_id, at=acting.at, actor=str(acting.staff.actor_id), reason="by staff"
        )
        return Done(f"The key …{key.ending} is revoked.", "keys")
