"""The base classes of acts: an act has a form, a preview and an action, each a few lines in a small class."""

import uuid
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple, TypeVar

from django import forms
from django.db.models import Model
from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext

from compliance.facts.lines.kinds import FactLine
from compliance.facts.recording import Channel, Teller, act, telling
from compliance.history import queries
from compliance.interfaces.console.acting.fields import ActForm
from compliance.interfaces.console.acting.uploads import Upload, of_form
from compliance.interfaces.console.errors import ConsoleError
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.page import Section, Words
from compliance.interfaces.console.permissions import Permission, Staff
from compliance.interfaces.console.preview.dry_run import Preview, dry_run, named
from compliance.tenancy.models import Organization

REASON = forms.CharField(
    min_length=5,
    max_length=500,
    label=gettext_lazy("Reason"),
    error_messages={
        "required": gettext_lazy("Say why, in a few words."),
        "min_length": gettext_lazy("Say why, in five letters or more."),
    },
)
CHANGED = gettext_lazy(
    "Somebody changed something about this since you looked. This is how it is now: look again, and confirm once more."
)
Row = TypeVar("Row", bound=Model)
UPLOAD_BYTES = 64 * 1024 * 1024


class CannotActError(ConsoleError):
    """The act does not apply to what was chosen."""


class Done(NamedTuple):
    """The result of an act.

    `message` is a sentence; `page` and `values` are where to go; `secret` is displayed once; `reaches` is how many
    people a new share reaches, `first` the first of them; `undo` is the act that undoes it, with its form's values."""

    message: str
    page: str = "today"
    values: dict[str, Any] = {}
    secret: str = ""
    warnings: tuple[str, ...] = ()
    reaches: int | None = None
    first: tuple[uuid.UUID, ...] = ()
    undo: tuple[str, dict[str, Any]] | None = None


@dataclass
class Acting:
    """The context of an act: who acts, in which company, when, and with which values of the form."""

    staff: Staff
    organization: Organization
    at: datetime
    data: dict[str, Any]
    upload: Upload | None = None
    findings: list[str] = field(default_factory=list)
    may_tell: frozenset[str] = frozenset()  # the kinds of fact that this person's acts may record
    second: Staff | None = None  # who confirmed what this person prepared
    found: dict[str, Any] = field(default_factory=dict)  # values that an act computed once and needs again

    @property
    def organization_id(self) -> uuid.UUID:
        """The identifier of the company in which the act takes place."""
        return self.organization.organization_id

    def teller(self, kinds: Iterable[str], channel: Channel = Channel.CONSOLE) -> Teller:
        """The teller for this person, who may record facts only of `kinds`."""
        confirmed_by = self.second.actor_id if self.second else None
        return Teller(channel, actor_id=self.staff.actor_id, confirmed_by=confirmed_by, kinds=frozenset(kinds))

    def may(self, permission: Permission) -> bool:
        """Whether everybody who takes part in the act has the permission."""
        return self.staff.may(permission) and (self.second is None or self.second.may(permission))

    @property
    def common(self) -> dict[str, Any]:
        """The arguments common to all actions on facts."""
        return {"organization_id": self.organization_id, "at": self.at, "actor_id": self.staff.actor_id}


def chosen(acting: Acting, model: type[Row], field_name: str, none: str, **conditions: Any) -> Row:
    """The row of this company, and of no other, that the form names. Raises CannotActError with `none`."""
    named = {field_name: acting.data[field_name]} | conditions
    found = model._default_manager.filter(organization_id=acting.organization_id, **named).first()
    if found is None:
        raise CannotActError(none)
    return found


class Act:
    """An act of the console. Pages about things of the kind `about` offer it."""

    name: str
    title: Words
    explains: Words
    permission: Permission
    form: type[ActForm] = ActForm
    about: str = "company"
    group: Words = ""
    danger: bool = False
    recent: bool = False  # needs a recent sign-in or confirmation (sign_in/step_up.py)
    long: bool = False
    second: bool = False  # may need a second person, if FOUR_EYES is on (four_eyes.py)
    leads_to: str = "acts"  # the page that the job's page links to when a long act has ended
    secret_name: Words = gettext_lazy("The key")  # the name of the secret, which is displayed once
    kept_as: Words = gettext_lazy("only a digest of it is kept")
    tells: tuple[type[FactLine], ...] = ()  # the kinds of fact that it records, and no others
    in_files: bool = True  # whether people who may do it may also import facts files with these kinds
    everybody: bool = False  # whether it may act on the records of everybody in the company
    upload: str = ""  # the file field of the form, when it has one
    again: bool = False  # whether its preview can be made again of the same upload with other choices
    takes: tuple[str, ...] = ()  # the registers whose selected rows it accepts (selection/)
    section: Section | None = None  # where it has its own entry in the company's navigation
    preview_template: str = "console/acting/preview.html"

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of fact that it records, as the facts file names them."""
        return frozenset(each.kind() for each in self.tells)

    def preview(self, acting: Acting) -> Preview:
        """What would change. The default performs the act, captures its effects and rolls them back."""
        done: list[Done] = []
        found = dry_run(acting.organization_id, acting.at, lambda: done.append(self.do(acting)))
        for each in done:
            found.warnings += each.warnings
            if each.reaches is not None:
                found.people, found.shares = each.reaches, True
                found.named = named(acting.organization_id, each.first)
                found.seen += each.first
                found.reaches = None if found.reaches is None else each.reaches
                if found.rows and (before := each.reaches - found.begun) > 0:
                    found.notes.append(_asked_before(before))
        return found

    def objection(self, acting: Acting) -> str:
        """Why it cannot be confirmed and must be previewed again; empty if it can. Within the company's context."""
        return ""

    def table(self, acting: Acting) -> HttpResponseBase:
        """The file that the preview offers. Within the company's context."""
        raise NotImplementedError

    def also_about(self, acting: Acting) -> list[uuid.UUID]:
        """What it is about besides what its form names: a later fact about it has the preview displayed anew."""
        return []

    def needs_second(self, acting: Acting) -> bool:
        """Whether the act with these values needs a second person. Within the company's context."""
        return self.second

    def do(self, acting: Acting) -> Done:
        """Performs it in the name of the person who acts, limited to the kinds of fact that it declares."""
        with telling(acting.teller(self.kinds)):
            return self.perform(acting)

    def learners(self, acting: Acting) -> list[uuid.UUID]:
        """Whose records it acts on, for the access log. Within the company's context."""
        given = [each for value in acting.data.values() for each in (value if isinstance(value, list) else [value])]
        identifiers = [each for each in given if isinstance(each, uuid.UUID)]
        return queries.learners_named(acting.organization_id, identifiers) if identifiers else []

    def perform(self, acting: Acting) -> Done:
        """Performs it. Runs in the company's context, in one transaction with its line of the access log."""
        raise NotImplementedError

    def work(self, acting: Acting, job: Job) -> str:
        """Performs a long act in the worker, outside any transaction. Returns a sentence with the result."""
        raise NotImplementedError


@dataclass(kw_only=True)
class Recorded(Act):
    """An act that records a fact of the kind that it `tells`, or performs the one `action`, with `arguments`.

    `done` is the sentence for `page`, or a function of the recorded line (or of what the action returned).
    """

    name: str
    title: Words
    explains: Words
    permission: Permission
    group: Words
    tells: tuple[type[FactLine], ...]
    arguments: Callable[[Acting], dict[str, Any]]
    done: Words | Callable[[Acting, Any], Done]
    page: str = ""
    action: Callable[..., Any] | None = None
    undo: Callable[[Acting], tuple[str, dict[str, Any]]] | None = None
    form: type[ActForm] = ActForm
    about: str = "company"
    danger: bool = False
    everybody: bool = False

    def perform(self, acting: Acting) -> Done:
        """Records the facts."""
        action = self.action or partial(act, self.tells[0])
        result = action(**acting.common, **self.arguments(acting))
        if isinstance(self.done, str | Promise):
            done = to(acting, str(self.done), self.page)
        else:
            done = self.done(acting, result)
        return done._replace(undo=self.undo(acting)) if self.undo else done


def _asked_before(number: int) -> str:
    """A sentence saying that a share changes nothing for people who owed the course before."""
    return ngettext(
        "%(number)s of them was asked for it before: what is done, waived or still to do there stays as it is.",
        "%(number)s of them were asked for it before: what is done, waived or still to do there stays as it is.",
        number,
    ) % {"number": number}


def to(acting: Acting, message: str, page: str = "person") -> Done:
    """The result of an act that leads to a page of the company, or to the page of the person whom it was about."""
    return Done(message, page, {"learner_profile_id": acting.data["learner_profile_id"]} if page == "person" else {})


def read_upload(request: HttpRequest, field_name: str) -> Upload | None:
    """The file sent with the form, None without one."""
    found = request.FILES.get(field_name) if field_name else None
    if found is None:
        return None
    if (found.size or 0) > UPLOAD_BYTES:
        raise CannotActError(
            gettext("The file is larger than 64 MiB. Use `manage.py import_facts` for files like this.")
        )
    return of_form(str(found.name or "")[:200], found)
