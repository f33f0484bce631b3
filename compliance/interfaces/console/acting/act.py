"""What an act is: a form, a preview, an action, each a few lines in a small class."""

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
from django.utils.translation import gettext_lazy, ngettext

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
Row = TypeVar("Row", bound=Model)
UPLOAD_BYTES = 64 * 1024 * 1024


class CannotActError(ConsoleError):
    """The act does not apply to what was chosen."""


class Done(NamedTuple):
    """What came of an act: a sentence, where to go, a secret that is shown once, what staff must not overlook, how many
    people a new share reaches and the first of them, and where a fact allows it how it is undone: an act, and what
    fills its form."""

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
    """An act under way: who acts, where, when, and what the form holds."""

    staff: Staff
    organization: Organization
    at: datetime
    data: dict[str, Any]
    upload: Upload | None = None
    findings: list[str] = field(default_factory=list)
    may_tell: frozenset[str] = frozenset()  # the kinds of fact that some act of this person tells
    second: Staff | None = None  # who confirmed what this person prepared
    found: dict[str, Any] = field(default_factory=dict)  # what an act has worked out once and needs again

    @property
    def organization_id(self) -> uuid.UUID:
        """The identifier of the company in which the act takes place."""
        return self.organization.organization_id

    def teller(self, kinds: Iterable[str], channel: Channel = Channel.CONSOLE) -> Teller:
        """This person, as who tells facts of `kinds` and no others."""
        confirmed_by = self.second.actor_id if self.second else None
        return Teller(channel, actor_id=self.staff.actor_id, confirmed_by=confirmed_by, kinds=frozenset(kinds))

    def may(self, permission: Permission) -> bool:
        """Whether everybody who takes part in the act may."""
        return self.staff.may(permission) and (self.second is None or self.second.may(permission))

    @property
    def common(self) -> dict[str, Any]:
        """The arguments of every action of the facts."""
        return {"organization_id": self.organization_id, "at": self.at, "actor_id": self.staff.actor_id}


def chosen(acting: Acting, model: type[Row], field_name: str, none: str, **conditions: Any) -> Row:
    """The row of this company, and of no other, that the form names. Raises CannotActError with `none`."""
    named = {field_name: acting.data[field_name]} | conditions
    found = model._default_manager.filter(organization_id=acting.organization_id, **named).first()
    if found is None:
        raise CannotActError(none)
    return found


class Act:
    """An act of the console. `about` is the kind of thing it starts from: pages of that thing offer it."""

    name: str
    title: Words
    explains: Words
    permission: Permission
    form: type[ActForm] = ActForm
    about: str = "company"
    group: Words = ""
    danger: bool = False
    recent: bool = False  # asks for a recent sign-in or confirmation (sign_in/step_up.py)
    long: bool = False
    second: bool = False  # may need a second person, where FOUR_EYES is on (four_eyes.py)
    leads_to: str = "acts"  # the page that one goes on to when a long act has ended
    secret_name: Words = gettext_lazy("The key")  # what the secret is called that is shown once
    kept_as: Words = gettext_lazy("only a digest of it is kept")
    tells: tuple[type[FactLine], ...] = ()  # the kinds of fact that it records, and no others
    in_files: bool = True  # whether facts files of who may do it may hold those kinds, too
    everybody: bool = False  # it may act on the records of everybody in the company
    upload: str = ""  # the file field of the form, when it has one
    again: bool = False  # its preview may be asked for anew, otherwise, of the same upload
    takes: tuple[str, ...] = ()  # the registers of which a selection of rows may be handed to it (selection/)
    section: Section | None = None  # where it has an entry of its own in the company's navigation
    preview_template: str = "console/acting/preview.html"

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of fact that it records, as the facts file names them."""
        return frozenset(each.kind() for each in self.tells)

    def preview(self, acting: Acting) -> Preview:
        """What would change. An act of the facts is done, decided and taken back."""
        done: list[Done] = []
        found = dry_run(acting.organization_id, acting.at, lambda: done.append(self.do(acting)))
        for each in done:
            found.warnings += each.warnings
            if each.reaches is not None:
                found.people, found.shares = each.reaches, True
                found.named = named(acting.organization_id, each.first)
                found.reaches = None if found.reaches is None else each.reaches
                if found.rows and (before := each.reaches - found.begun) > 0:
                    found.notes.append(_asked_before(before))
        return found

    def objection(self, acting: Acting) -> str:
        """Why it is not confirmed as it was, but shown anew; nothing where it may be. Within the company's context."""
        return ""

    def table(self, acting: Acting) -> HttpResponseBase:
        """What the preview offers as a file. Within the company's context."""
        raise NotImplementedError

    def needs_second(self, acting: Acting) -> bool:
        """Whether the act, as it was asked for, needs a second person. Within the company's context."""
        return self.second

    def do(self, acting: Acting) -> Done:
        """Performs it, as the person who acts and with no more than the facts that it declares."""
        with telling(acting.teller(self.kinds)):
            return self.perform(acting)

    def learners(self, acting: Acting) -> list[uuid.UUID]:
        """Whose records it acts on, for the access log. Within the company's context."""
        given = [each for value in acting.data.values() for each in (value if isinstance(value, list) else [value])]
        identifiers = [each for each in given if isinstance(each, uuid.UUID)]
        return queries.learners_named(acting.organization_id, identifiers) if identifiers else []

    def perform(self, acting: Acting) -> Done:
        """Does it. Runs in the company's context, in one transaction with its line of the access log."""
        raise NotImplementedError

    def work(self, acting: Acting, job: Job) -> str:
        """Does a long act, in the worker, outside any transaction. Returns the sentence that says what came of it."""
        raise NotImplementedError


@dataclass(kw_only=True)
class Recorded(Act):
    """An act that records a fact of the kind that it `tells`, or performs the one `action`, with `arguments`.

    `done` is the sentence for `page`, or makes more of the line that was recorded (of what the action returned).
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
    """Says that a share begins nothing for whom it was asked of before."""
    return ngettext(
        "%(number)s of them was asked for it before: what is done, waived or still to do there stays as it is.",
        "%(number)s of them were asked for it before: what is done, waived or still to do there stays as it is.",
        number,
    ) % {"number": number}


def to(acting: Acting, message: str, page: str = "person") -> Done:
    """What came of an act, on a page of the company or on that of the person whom it was about."""
    return Done(message, page, {"learner_profile_id": acting.data["learner_profile_id"]} if page == "person" else {})


def read_upload(request: HttpRequest, field_name: str) -> Upload | None:
    """The file that came with the form, None when none did."""
    found = request.FILES.get(field_name) if field_name else None
    if found is None:
        return None
    if (found.size or 0) > UPLOAD_BYTES:
        raise CannotActError("The file is larger than 64 MiB. Use `manage.py import_facts` for files like this.")
    return of_form(str(found.name or "")[:200], found)
