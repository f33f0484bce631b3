"""Django's admin for staff accounts: accounts, groups, access, sign-in, and the access log (read only).

It is open only to superusers whose access has not ended, after a recent sign-in through the console's own pages.
"""

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin import display as admin_display
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.utils import unquote
from django.contrib.admin.views.main import PAGE_VAR, SEARCH_VAR, ChangeList, ChangeListSearchForm
from django.contrib.auth.admin import UserAdmin as DjangoUserAdmin
from django.contrib.auth.forms import AdminUserCreationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from compliance.access.models import ApiKey, Source
from compliance.interfaces.console import access_log, issuers, keyset
from compliance.interfaces.console.models import AccessLog
from compliance.interfaces.console.permissions import Permission, actor_id, staff_of
from compliance.interfaces.console.sign_in import invitations, letters, second_factor, sessions, step_up
from compliance.interfaces.console.staff_inlines import AccessInline, CompanyAccountInline, companies, letter_about


class StaffSite(AdminSite):
    """The admin site, open only to those who administer the staff accounts."""

    site_header = gettext_lazy("Accounts and records")
    site_title = gettext_lazy("Accounts and records")
    index_title = gettext_lazy("Accounts and records")
    site_url = "/console/"

    def has_permission(self, request: HttpRequest) -> bool:
        """Uses the rule of all pages, so a superuser whose access has ended is refused."""
        staff = staff_of(request.user, timezone.now())
        return staff is not None and staff.keeps_staff

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirects to the console's sign-in. Somebody who is signed in without the permission goes to the start page.

        Auditors go to the companies' rows, which are their part of this site.
        """
        if request.user.is_authenticated:
            staff = staff_of(request.user, timezone.now())
            return redirect("console:stored-companies" if staff and staff.may(Permission.SEE_STORED) else "/console/")
        return redirect_to_login(request.GET.get("next", "/console/staff/"))

    def logout(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirects to the console's sign-out."""
        return redirect("account_logout")

    def password_change(  # type: ignore[override]
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Redirects to the console's own page for this, where guesses are counted."""
        return redirect("account_change_password")

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """The models of this site, and the companies' rows, which are pages of the console."""
        address = reverse("console:stored-companies")
        name = gettext("Companies")
        companies = {"name": name, "object_name": "Stored", "admin_url": address, "view_only": True}
        rows = {"name": gettext("Records"), "app_label": "stored", "app_url": address, "models": [companies]}
        return [*super().get_app_list(request, app_label), *([] if app_label else [rows])]

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """Makes a view need a recent sign-in and write a line in the access log, as every page does."""
        inner = super().admin_view(view, cacheable)

        @wraps(inner)
        def logged(request: HttpRequest, *given: Any, **named: Any) -> HttpResponseBase:
            asked = step_up.ask(request) if self.has_permission(request) else None
            response = asked or inner(request, *given, **named)
            now = timezone.now()
            access_log.record(
                request,
                staff=staff_of(request.user, now) if isinstance(request.user, User) else None,
                username=request.user.get_username(),
                page="staff",
                at=now,
                status=response.status_code,
                subject={"path": request.path},
            )
            return response

        return logged


def _still_open(user: User) -> str:
    """The keys and sources of all companies that an account issued and that are still valid."""
    names, issuer, now = dict(companies()), actor_id(user.pk), timezone.now()
    keys = issuers.of_account(ApiKey, issuer, now)
    sources = issuers.of_account(Source, issuer, now)
    found: list[tuple[ApiKey | Source, str]] = [
        *((key, " ".join(key.scopes)) for key in keys),
        *((source, gettext("source, %(kinds)s kinds of fact") % {"kinds": len(source.kinds)}) for source in sources),
    ]
    return "; ".join(
        gettext("%(named)s of %(company)s (%(what)s)")
        % {"named": each, "company": names.get(str(each.organization_id), each.organization_id), "what": what}
        for each, what in found
    )


class NewAccountForm(AdminUserCreationForm):
    """A new account. Without a password its owner chooses one with an invitation."""

    class Meta(AdminUserCreationForm.Meta):
        fields = ("username", "email")


class SealedWords(ChangeListSearchForm):
    """The search words in the address of a list, which are sealed. Unsealed words find nothing."""

    def __init__(self, sent: QueryDict, path: str) -> None:
        super().__init__(sent)
        self._path = path

    def clean(self) -> dict[str, Any]:
        """The words themselves."""
        (words,) = keyset.unseal(self._path, self.cleaned_data.get(SEARCH_VAR) or "") or ("",)
        return {SEARCH_VAR: words}


class SealedChangeList(ChangeList):
    """A list whose search words are sealed, so that they are in no proxy's log and no browser's history."""

    def __init__(self, request: HttpRequest, *given: Any) -> None:
        if any("\0" in value for _, values in request.GET.lists() for value in values):
            raise IncorrectLookupParameters
        self.search_form_class = partial(SealedWords, path=request.path)  # type: ignore[assignment]
        super().__init__(request, *given)


class SearchedByPost(ModelAdmin):
    """A list whose search form is posted (templates/admin/search_form.html)."""

    def get_changelist(self, request: HttpRequest, **values: Any) -> type[ChangeList]:
        """The list that reads sealed words."""
        return SealedChangeList

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirects posted words to an address in which they are sealed."""
        if request.method != "POST" or SEARCH_VAR not in request.POST:
            return super().changelist_view(request, extra_context)
        query = request.GET.copy()
        query.pop(PAGE_VAR, None)
        words = request.POST[SEARCH_VAR].replace("\0", "").strip()[:200]
        query[SEARCH_VAR] = keyset.seal(request.path, (words,))
        return redirect(f"{request.path}?{query.urlencode()}")


class UserAdmin(SearchedByPost, DjangoUserAdmin):
    """Accounts of staff: a name, groups, access, and how they sign in."""

    add_form = NewAccountForm
    change_form_template = "sign_in/staff_account.html"
    inlines = (AccessInline, CompanyAccountInline)
    list_display = ("username", "is_active", "is_superuser", "last_login")
    list_filter = ("groups", "is_active", "is_superuser")
    add_fieldsets = ((None, {"fields": ("username", "email", "usable_password", "password1", "password2")}),)
    fieldsets = (
        (None, {"fields": ("username", "password")}),
        (gettext_lazy("Person"), {"fields": ("first_name", "last_name", "email")}),
        (gettext_lazy("Access"), {"fields": ("is_active", "groups", "is_superuser")}),
        (gettext_lazy("Moments"), {"fields": ("last_login", "date_joined")}),
        (gettext_lazy("API keys and sources that this account issued and that still open"), {"fields": ("open_keys",)}),
    )
    filter_horizontal = ()
    readonly_fields = ("last_login", "date_joined", "open_keys")

    def formfield_for_manytomany(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """One checkbox for each of the few groups, which every screen reader supports."""
        return super().formfield_for_manytomany(db_field, request, **kwargs | {"widget": forms.CheckboxSelectMultiple})

    def get_inlines(self, request: HttpRequest, obj: User | None) -> Any:
        """A new account has no inlines: its access is set after it has been created."""
        return super().get_inlines(request, obj) if obj else ()

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> Any:
        """Nobody can widen their own access, or lock themselves out."""
        fields = super().get_readonly_fields(request, obj)
        return (*fields, "is_active", "groups", "is_superuser") if obj and obj.pk == request.user.pk else fields

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Nobody can remove their own account."""
        return super().has_delete_permission(request, obj) and (obj is None or obj.pk != request.user.pk)

    def get_urls(self) -> list[URLPattern]:
        """Adds the page about how an account signs in."""
        view = self.admin_site.admin_view(self.signing_in)
        return [path("<int:user_id>/sign-in/", view, name="auth_user_sign_in"), *super().get_urls()]

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Sends a letter about a new address to the old one, and ends the sessions of an account that is closed."""
        before = User.objects.filter(pk=obj.pk).first() if change else None
        super().save_model(request, obj, form, change)
        if before is None:
            return
        if before.email and before.email != obj.email:
            _tell(request, obj, "address changed", before.email)
        if not obj.is_active:
            sessions.end_all(obj)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Sends a letter about a changed company account, to the address before where that was changed with it.

        Warns of keys and sources that are still valid when their issuer has lost access.
        """
        super().save_related(request, form, formsets, change)
        user = User.objects.get(pk=form.instance.pk)
        for formset in formsets:
            if kind := letter_about(formset):
                _tell(request, user, kind, form.initial.get("email"))
        if change and staff_of(user, timezone.now()) is None and (keys := _still_open(user)):
            messages.warning(
                request,
                gettext("%(get_username)s has left keys or sources that still open. Revoke them or not: %(keys)s.")
                % {"get_username": user.get_username(), "keys": keys},
            )

    @admin_display(description=gettext_lazy("Keys and sources"))
    def open_keys(self, user: User) -> str:
        """The keys and sources of this account that are still valid, of all companies."""
        return _still_open(user) or gettext("None.")

    def log_addition(self, request: HttpRequest, obj: User, message: Any) -> Any:
        """Adds a line to the access log for each new account."""
        _note(request, "account made", obj.pk)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: User, message: Any) -> Any:
        """Adds a line to the access log with the names of the changed fields, never their values."""
        _note(request, "account changed", obj.pk, _changed(message))
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        """Adds a line to the access log for each account that is removed."""
        for user_id in queryset.values_list("pk", flat=True):
            _note(request, "account removed", user_id)
        return super().log_deletions(request, queryset)

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        """Ends the sessions of an account whose password somebody else set, and sends its owner a letter."""
        user = self.get_object(request, unquote(id))
        if user is None:
            raise Http404
        password = user.password
        with transaction.atomic():
            response = super().user_change_password(request, id, form_url)
            user.refresh_from_db()
            if user.password != password:
                sessions.end_others(request, user)
                _tell(request, user, "password set")
        return response

    def signing_in(self, request: HttpRequest, user_id: int) -> HttpResponse:
        """An account's sessions and factors, a new invitation (displayed once), and the reset after a lost device."""
        user = get_object_or_404(User, pk=user_id)
        code = ""
        if request.method == "POST":
            code = self._change_signing_in(request, user, request.POST.get("do", ""))
            if not code:
                return redirect("staff:auth_user_sign_in", user_id)
        elif request.method != "GET":
            return HttpResponseNotAllowed(["GET", "POST"])
        now = timezone.now()
        values = self.admin_site.each_context(request) | {
            "title": gettext("How %(get_username)s signs in") % {"get_username": user.get_username()},
            "opts": self.model._meta,
            "account": user,
            "sessions": sessions.open_sessions(user, now),
            "factors": list(second_factor.factors(user)),
            "waiting": getattr(user, "invitation", None),
            "now": now,
            "link": invitations.link(code) if code else "",
            "code": code,
            "hours": int(invitations.LASTS.total_seconds() // 3600),
        }
        return TemplateResponse(request, "sign_in/staff_sign_in.html", values)

    def _change_signing_in(self, request: HttpRequest, user: User, what: str) -> str:
        """Does what was asked for. Returns the code if that is an invitation, else an empty text."""
        with transaction.atomic():
            if what == "invite":
                code = invitations.issue(user=user, by=request.user.get_username(), at=timezone.now())
                _tell(request, user, "invitation made")
                return code
            if what == "end":
                messages.success(request, gettext("%(user)s sessions were ended.") % {"user": sessions.end_all(user)})
                _note(request, "sessions ended", user.pk)
            if what == "reset":
                second_factor.reset(user)
                _tell(request, user, "second factor reset")
                messages.success(
                    request, gettext("The second factor is removed, and every session ended. Make an invitation.")
                )
        return ""


def _tell(request: HttpRequest, user: User, kind: str, address: str | None = None) -> None:
    assert isinstance(request.user, User)
    letters.tell(request, user, kind, timezone.now(), by=request.user, address=address)


def _note(request: HttpRequest, act: str, user_id: int, reason: str = "") -> None:
    access_log.account(request, by=request.user, user_id=user_id, act=act, at=timezone.now(), reason=reason)


def _changed(message: Any) -> str:
    """The names of the fields in a message of Django's admin: `is active, groups; added staff access`."""
    if not isinstance(message, list):
        return str(message)
    return "; ".join(
        ", ".join(
            [*([f"{what} {part['name']}"] if "name" in part else []), *(str(each) for each in part.get("fields", []))]
        )
        for change in message
        for what, part in change.items()
    )


class AccessLogAdmin(SearchedByPost):
    """Read only: who saw and did what."""

    list_display = ("at", "username", "groups", "page", "act", "subject", "organization_id", "status", "address")
    list_filter = ("page", "status")
    search_fields = ("username", "subject", "reason")
    ordering = ("-id",)
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Only the service itself writes the log."""
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
