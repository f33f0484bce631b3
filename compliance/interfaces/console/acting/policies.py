"""Publishing a policy: paste its HTML, see what cleaning would change, publish what is left."""

import difflib
import uuid
from typing import Any

from django import forms

from compliance.facts.lines import PolicyPublished
from compliance.facts.policies import canonical, queries
from compliance.facts.recording import act
from compliance.interfaces.console.acting.act import Act, Acting, Done
from compliance.interfaces.console.acting.courses import GROUP
from compliance.interfaces.console.acting.fields import ActForm, DoorsField, Listed, courses_of_kind, day_field
from compliance.interfaces.console.preview.dry_run import Preview
from compliance.interfaces.console.who_may import Permission
from compliance.rules.vocabulary import ChangeKind, Door, PolicyAct

LINES_SHOWN = 120


class PublishPolicyForm(ActForm):
    """The policy file and how it is asked for."""

    course_id = Listed(courses_of_kind("policy", "A new policy"), label="Policy", required=False)
    html = forms.CharField(
        label="Policy HTML",
        widget=forms.Textarea(attrs={"rows": 14, "class": "wide-field"}),
        strip=False,
        help_text="One h1 first, then headings, paragraphs, lists, tables and links. Anything else is taken out.",
    )
    act = forms.ChoiceField(choices=[(word.value, word.value.capitalize()) for word in PolicyAct], label="People")
    statement = forms.CharField(max_length=4000, label="Statement", help_text="The words that people confirm.")
    doors = DoorsField(initial=[Door.EMPLOYEE.value], label="May be received by")
    effective_on = day_field("Effective on")
    renew_months = forms.IntegerField(
        min_value=0, max_value=1200, initial=0, label="Ask again after (months)", help_text="0: never."
    )
    change_kind = forms.ChoiceField(
        choices=[
            (ChangeKind.ASK_AGAIN.value, "Everyone signs again"),
            (ChangeKind.EDITORIAL.value, "A small fix: earlier receipts still count"),
        ],
        label="This version",
        help_text="The first version of a policy is always new to everyone.",
    )

    def clean_html(self) -> str:
        """Line ends as the format has them: browsers send carriage returns."""
        return str(self.cleaned_data["html"]).replace("\r\n", "\n").strip("\n")


class PublishPolicy(Act):
    """Publishes a policy version."""

    name = "publish-policy"
    tells = (PolicyPublished,)
    title = "Publish a policy"
    explains = "Publishes what cleaning leaves of the HTML, byte for byte, sealed with its digests."
    permission = Permission.CHANGE_RECORDS
    form = PublishPolicyForm
    group = GROUP

    def preview(self, acting: Acting) -> Preview:
        """What cleaning changes, and what publishing would change."""
        given = acting.data["html"]
        left = canonical.clean(given)
        found = super().preview(acting)
        found.pairs = [("Version", self._version(acting)[1]), ("Bytes", len(left.encode()))]
        if left != given:
            found.warnings.append("Cleaning changes the HTML. What is published is the cleaned text shown here.")
            lines = list(difflib.ndiff(given.splitlines(), left.splitlines()))
            kinds = {"-": "before", "+": "after"}
            found.difference = [(kinds[line[0]], line[2:]) for line in lines if line[:1] in kinds][:LINES_SHOWN]
        return found

    def perform(self, acting: Acting) -> Done:
        """Publishes the cleaned text."""
        data: dict[str, Any] = acting.data
        course_id, version = self._version(acting)
        release_id = uuid.uuid4()
        act(
            PolicyPublished,
            **acting.common,
            course_id=course_id,
            course_release_id=release_id,
            version=version,
            act=PolicyAct(data["act"]),
            doors=[Door(door) for door in data["doors"]],
            statement=data["statement"],
            effective_on=data["effective_on"],
            renew_months=data["renew_months"],
            change_kind=ChangeKind.FIRST if version == 1 else ChangeKind(data["change_kind"]),
            html=canonical.clean(data["html"]),
        )
        return Done(f"Version {version} is published.", "policy", {"course_release_id": release_id})

    def _version(self, acting: Acting) -> tuple[uuid.UUID, int]:
        if not acting.data["course_id"]:
            return uuid.uuid4(), 1
        course_id = uuid.UUID(acting.data["course_id"])
        return course_id, queries.newest_version(acting.organization_id, course_id) + 1


ACTS: tuple[Act, ...] = (PublishPolicy(),)
