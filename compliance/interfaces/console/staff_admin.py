"""The admin of staff accounts, in django-unfold, for superusers: accounts, groups, access, the access log (read only).

It is the one place whose scripts need `unsafe-eval` (unfold's Alpine) and inline styles, so it loosens the policy of
content security for itself alone; it shows nothing of any company (docs/adr/0020-console.md).
"""

import uuid
from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.decorators import csp_update
from django import forms
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from unfold.admin import ModelAdmin, StackedInline
from unfold.forms import AdminPasswordChangeForm, UserChangeForm, UserCreationForm
from unfold.sites import UnfoldAdminSite

from compliance.interfaces.console import access_log
from compliance.interfaces.console.models import AccessLog, StaffAccess
from compliance.interfaces.console.who_may import staff_of
from compliance.tenancy.models import Organization


class StaffSite(UnfoldAdminSite):
    """Only superusers come in, through the console's own sign-in."""

    site_header = "Staff accounts"
    index_title = "Staff accounts"

    def has_permission(self, request: HttpRequest) -> bool:
        """Superusers only."""
        return bool(request.user.is_active and getattr(request.user, "is_superuser", False))

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """There is one sign-in, with its second factor and its lock-out. Who is in but may not, is sent home."""
        if request.user.is_authenticated:
            return redirect("/console/")
        return redirect_to_login(request.GET.get("next", "/console/staff/"))

    def logout(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Likewise one way out."""
        return redirect("account_logout")

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Callable[..., Any]:
        """Every view of this site, with its looser policy, and with a line in the access log as every page has."""
        inner = super().admin_view(view, cacheable)
        loosened = csp_update({"script-src": ["'unsafe-eval'"], "style-src": ["'unsafe-inline'"]})(inner)

        @wraps(inner)
        def logged(request: HttpRequest, *given: Any, **named: Any) -> HttpResponseBase:
            response = loosened(request, *given, **named)
            now = timezone.now()
            access_log.record(
                request,
                staff=staff_of(request.user, now) if isinstance(request.user, User) else None,
                username=request.user.get_username(),
                page="staff",
                at=now,
                status=response.status_code,
                subject=request.path,
            )
            return response

        return logged


def _companies() -> list[tuple[str, str]]:
    return [(str(each.organization_id), each.name) for each in Organization.objects.order_by("name")[:2000]]


class AccessForm(forms.ModelForm):
    """Companies by name, where the row keeps their identifiers."""

    organization_ids = forms.TypedMultipleChoiceField(
        coerce=uuid.UUID, choices=_companies, required=False, label="Companies", widget=forms.CheckboxSelectMultiple
    )

    class Meta:
        model = StaffAccess
        fields = ("valid_until", "every_company", "organization_ids")


class AccessInline(StackedInline):
    """Until when, and which companies."""

    model = StaffAccess
    form = AccessForm
    extra = 0
    can_delete = True


class UserAdmin(DjangoUserAdmin, ModelAdmin):
    """Accounts of staff: a name, a password, groups, access."""

    form = UserChangeForm
    add_form = UserCreationForm
    change_password_form = AdminPasswordChangeForm
    inlines = (AccessInline,)
    list_display = ("username", "is_active", "is_superuser", "last_login")
    list_filter = ("groups", "is_active", "is_superuser")
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        ("Person", {"fields": ("first_name", "last_name", "email")}),
        ("Access", {"fields": ("is_active", "groups", "is_superuser")}),
        ("Moments", {"fields": ("last_login", "date_joined")}),
    )
    filter_horizontal = ("groups",)
    readonly_fields = ("last_login", "date_joined")


class AccessLogAdmin(ModelAdmin):
    """Read only: who saw and did what."""

    list_display = ("at", "username", "groups", "page", "act", "subject", "organization_id", "status", "address")
    list_filter = ("page", "status")
    search_fields = ("username", "subject", "reason")
    ordering = ("-id",)
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """The log is written by what happens."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: AccessLog | None = None) -> bool:
        """It is append-only."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: AccessLog | None = None) -> bool:
        """It is append-only."""
        return False


site = StaffSite(name="staff")
site.register(User, UserAdmin)
site.register(AccessLog, AccessLogAdmin)
