"""Publishes a policy, from Word, from Markdown or written here, after a preview of the text as people will read it."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from compliance.facts.lines.kinds import PolicyPublished
from compliance.facts.policies import queries
from compliance.facts.recording import act
from compliance.interfaces.console import identifiers
from compliance.interfaces.console.acting import pickable
from compliance.interfaces.console.acting.act import Act, Acting, CannotActError, Done
from compliance.interfaces.console.acting.courses import GROUP
from compliance.interfaces.console.acting.fields import ActForm, DoorsField, day_field
from compliance.interfaces.console.acting.picker import Picked
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.policies.editor import EditorArea
from compliance.interfaces.console.policies.texts import files
from compliance.interfaces.console.policies.texts.files import Made
from compliance.interfaces.console.policies.texts.losses import sentences
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.rules.vocabulary import ChangeKind, Door, PolicyAct
from compliance.tenancy.models import Organization


class PublishPolicyForm(ActForm):
    """The text of a policy and its settings. The form of a new version starts with the text of the previous one."""

    not_repeated = frozenset({"html", "file"})

    course_id = Picked(
        pickable.POLICY,
        required=False,
        label=gettext_lazy("New version of"),
        help_text=gettext_lazy("Leave it empty for a new policy."),
    )
    file = forms.FileField(
        required=False,
        label=gettext_lazy("Word or Markdown file"),
        help_text=gettext_lazy("A .docx, .md or .txt file. It takes the place of what is written below."),
        widget=forms.FileInput(attrs={"accept": ".docx,.md,.markdown,.txt,.html,.htm"}),
    )
    html = forms.CharField(
        required=False,
        label=gettext_lazy("Text"),
        widget=EditorArea(),
        strip=False,
        help_text=gettext_lazy("The first line is the title. Colours, fonts and pictures are not kept."),
    )
    act = forms.ChoiceField(
        choices=[
            (PolicyAct.SIGN.value, gettext_lazy("Sign it")),
            (PolicyAct.ACKNOWLEDGE.value, gettext_lazy("Confirm that they have read it")),
        ],
        label=gettext_lazy("People"),
    )
    statement = forms.CharField(
        max_length=4000,
        label=gettext_lazy("Statement"),
        help_text=gettext_lazy("The words that people confirm."),
        initial=gettext_lazy("I have read this policy and will follow it."),
    )
    doors = DoorsField(initial=[Door.EMPLOYEE.value], label=gettext_lazy("May be received by"))
    effective_on = day_field(gettext_lazy("In force from"), help_text=gettext_lazy("Empty: from its publication."))
    renew_months = forms.IntegerField(
        min_value=0,
        max_value=1200,
        initial=0,
        label=gettext_lazy("Ask again after (months)"),
        help_text=gettext_lazy("0: never."),
    )
    change_kind = forms.ChoiceField(
        choices=[
            (ChangeKind.ASK_AGAIN.value, gettext_lazy("Everyone signs again")),
            (ChangeKind.EDITORIAL.value, gettext_lazy("A small fix: earlier receipts still count")),
        ],
        label=gettext_lazy("This version"),
        help_text=gettext_lazy("The first version of a policy is always new to everyone."),
    )

    def __init__(self, organization: Organization, at: datetime, *arguments: Any, **values: Any) -> None:
        super().__init__(organization, at, *arguments, **values)
        course_id = identifiers.read(self.initial.get("course_id"))
        before = queries.newest_row(self.organization_id, course_id) if course_id and not self.is_bound else None
        if before is not None:
            for name in ("html", "act", "statement", "doors", "renew_months"):
                self.initial.setdefault(name, getattr(before, name))


@dataclass
class PolicyPreview(Preview):
    """What publishing would change, and the text as it is in the file and as people will read it."""

    body: str = "console/policies/beside.html"
    made: Made | None = None
    left_out: list[str] = field(default_factory=list)


class PublishPolicy(Act):
    """Publishes a policy version."""

    name = "publish-policy"
    tells = (PolicyPublished,)
    title = gettext_lazy("Publish a policy")
    explains = gettext_lazy(
        "A text that people are asked to sign: from Word, from Markdown, or written here. You see it as people will"
        " read it before anything is published."
    )
    permission = Permission.CHANGE_RECORDS
    form = PublishPolicyForm
    group = GROUP
    upload = "file"
    everybody = True

    def preview(self, acting: Acting) -> Preview:
        """The text next to the file's, what was left out, and what publishing would change."""
        made = self._made(acting)
        found = super().preview(acting)
        found.pairs += [(_("Title"), made.title), (_("Version"), self._version(acting)[1])]
        return PolicyPreview(**vars(found), made=made, left_out=sentences(made.losses))

    def perform(self, acting: Acting) -> Done:
        """Publishes the text as it was previewed."""
        data: dict[str, Any] = acting.data
        course_id, version = self._version(acting)
        act(
            PolicyPublished,
            **acting.common,
            course_id=course_id,
            course_release_id=uuid.uuid4(),
            version=version,
            act=PolicyAct(data["act"]),
            doors=[Door(door) for door in data["doors"]],
            statement=data["statement"],
            effective_on=data["effective_on"],
            renew_months=data["renew_months"],
            change_kind=ChangeKind.FIRST if version == 1 else ChangeKind(data["change_kind"]),
            html=self._made(acting).html,
        )
        message = _("Version %(number)s is published.") % {"number": version}
        return Done(message, "policy-page", {"course_id": course_id})

    def _made(self, acting: Acting) -> Made:
        """The text of the file, or the written text. Raises CannotActError, UnreadableTextError."""
        if "made" not in acting.found:
            if acting.upload is not None:
                acting.found["made"] = files.read(acting.upload.read(), acting.upload.name)
            elif acting.data["html"].strip():
                acting.found["made"] = files.written(acting.data["html"])
            else:
                raise CannotActError(_("Write the text, or choose a file."))
        return acting.found["made"]

    def _version(self, acting: Acting) -> tuple[uuid.UUID, int]:
        """The policy's identifier, and the number of the new version."""
        course_id: uuid.UUID | None = acting.data["course_id"]
        if course_id is None:
            return acting.found.setdefault("new", uuid.uuid4()), 1
        return course_id, queries.newest_version(acting.organization_id, course_id) + 1


ACTS: tuple[Act, ...] = (PublishPolicy(),)
