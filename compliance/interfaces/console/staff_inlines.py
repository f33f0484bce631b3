"""What an account's page of the staff admin has besides the account: its access, and its link to the provider."""

import uuid
from typing import Any

from django import forms
from django.contrib.admin import StackedInline
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy

from compliance.interfaces.console.models import StaffAccess
from compliance.interfaces.console.sign_in.models import CompanyAccount
from compliance.tenancy.models import Organization


def companies() -> list[tuple[str, str]]:
    """The identifiers and names of the companies that may be chosen."""
    return [(str(each.organization_id), each.name) for each in Organization.objects.order_by("name")[:2000]]


class AccessForm(forms.ModelForm):
    """Chooses companies by name; the row stores their identifiers."""

    organization_ids = forms.TypedMultipleChoiceField(
        coerce=uuid.UUID,
        choices=companies,
        required=False,
        label=gettext_lazy("Companies"),
        widget=forms.CheckboxSelectMultiple,
    )

    class Meta:
        model = StaffAccess
        fields = ("valid_until", "every_company", "organization_ids")


class NotOnesOwn:
    """Mixin of inlines: nobody may change their own access."""

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Whether `obj` is somebody else's account."""
        return obj is None or obj.pk != request.user.pk

    has_add_permission = has_delete_permission = has_change_permission


class AccessInline(NotOnesOwn, StackedInline):
    """Until when the account has access, and to which companies."""

    model = StaffAccess
    form = AccessForm
    extra = 0
    can_delete = True


class CompanyAccountForm(forms.ModelForm):
    """Whom the account is linked to at the provider. A link that is changed is bound anew, at the next sign-in."""

    class Meta:
        model = CompanyAccount
        fields = ("email", "subject")

    def clean(self) -> dict[str, Any]:
        """Refuses a subject for which another link waits, which the form's own check of the constraint misses."""
        data: dict[str, Any] = super().clean() or {}
        waiting = CompanyAccount.objects.filter(issuer="", subject=data.get("subject") or None)
        if self.has_changed() and waiting.exclude(pk=self.instance.pk).exists():
            self.add_error("subject", self.instance.unique_error_message(CompanyAccount, ("subject",)))
        return data

    def save(self, commit: bool = True) -> CompanyAccount:
        """Unbinds a changed link, since issuer and time are those of the account that was linked before."""
        if self.has_changed():
            self.instance.issuer, self.instance.bound_at = "", None
        link: CompanyAccount = super().save(commit)
        return link


class CompanyAccountInline(NotOnesOwn, StackedInline):
    """The account at the company's OpenID Connect provider."""

    model = CompanyAccount
    form = CompanyAccountForm
    fields = ("email", "subject", "bound_at")
    readonly_fields = ("bound_at",)
    extra = 0
    can_delete = True


def letter_about(formset: Any) -> str:
    """The kind of letter about what a saved formset did to the link of an account; empty if it changed nothing."""
    if formset.model is not CompanyAccount:
        return ""
    if formset.new_objects:
        return "company account linked"
    if formset.changed_objects:
        return "company account changed"
    return "company account removed" if formset.deleted_objects else ""
