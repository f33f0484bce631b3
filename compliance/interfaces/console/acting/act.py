"""What an act is: a form, a preview, an action, each a few lines in a small class (issue 8, part 3)."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.http import HttpRequest

from compliance.interfaces.console.errors import ConsoleError
from compliance.interfaces.console.models import Job
from compliance.interfaces.console.preview.dry_run import Preview, dry_run
from compliance.interfaces.console.who_may import Permission, Staff
from compliance.tenancy.models import Organization

UPLOAD_BYTES = 64 * 1024 * 1024


class CannotActError(ConsoleError):
    """The act does not apply to what was chosen."""


class Done(NamedTuple):
    """What came of an act: a sentence, where to go, and a secret that is shown once."""

    message: str
    page: str = "overview"
    values: dict[str, Any] = {}
    secret: str = ""


@dataclass
class Acting:
    """An act under way: who acts, where, when, and what the form said."""

    staff: Staff
    organization: Organization
    at: datetime
    data: dict[str, Any]
    upload: bytes | None = None
    upload_name: str = ""
    findings: list[str] = field(default_factory=list)

    @property
    def organization_id(self) -> uuid.UUID:
        """The company's."""
        return self.organization.organization_id

    @property
    def common(self) -> dict[str, Any]:
        """What every action of the facts is told."""
        return {"organization_id": self.organization_id, "at": self.at, "actor_id": self.staff.actor_id}


class ActForm(forms.Form):
    """A form of an act. It is told the company, whose courses, teams and shares its choices list."""

    def __init__(self, organization: Organization, at: datetime, *arguments: Any, **values: Any) -> None:
        super().__init__(*arguments, **values)
        self.organization = organization
        self.at = at
        self.prepare()

    def prepare(self) -> None:
        """Fills choices from the company, within its context."""

    def offer(self, name: str, choices: Iterable[Any]) -> None:
        """Gives the choice field `name` its choices."""
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(choices)

    def refuse(self, error: Exception) -> None:
        """Says above the form why it was refused, as a sentence."""
        words = str(error)
        self.add_error(None, words[:1].upper() + words[1:])


class Act:
    """An act of the console. `about` is the kind of thing it starts from: pages of that thing offer it."""

    name: ClassVar[str]
    title: ClassVar[str]
    explains: ClassVar[str]
    permission: ClassVar[Permission]
    form: ClassVar[type[ActForm]] = ActForm
    about: ClassVar[str] = "company"
    group: ClassVar[str] = ""
    danger: ClassVar[bool] = False
    long: ClassVar[bool] = False
    upload: ClassVar[str] = ""  # the file field of the form, when it has one

    def preview(self, acting: Acting) -> Preview:
        """What would change. An act of the facts is done, decided and taken back."""
        return dry_run(acting.organization_id, acting.at, lambda: self.perform(acting))

    def perform(self, acting: Acting) -> Done:
        """Does it. Runs in the company's context, in one transaction with its line of the access log."""
        raise NotImplementedError

    def work(self, acting: Acting, job: Job) -> str:
        """Does a long act, in the worker, outside any transaction. Returns the sentence that says what came of it."""
        raise NotImplementedError


def read_upload(request: HttpRequest, field_name: str) -> tuple[str, bytes] | None:
    """The file that came with the form, None when none did."""
    found = request.FILES.get(field_name) if field_name else None
    if found is None:
        return None
    if (found.size or 0) > UPLOAD_BYTES:
        raise CannotActError("The file is larger than 64 MiB. Use `manage.py import_facts` for files like this.")
    return str(found.name or "")[:200], found.read()
