"""The form field in which something is picked by its name, and its widget. It works without scripts.

Under the field's name are posted identifiers of what was picked, words that are still to be resolved, or both. Words
that match one thing pick it; if words match several, the form is displayed again with all of them to choose from.
"""

import uuid
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django import forms
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from compliance.interfaces.console import identifiers
from compliance.interfaces.console.acting.pickable import Choice, Pickable

PICKED_AT_MOST = 20_000
NAMED_AT_MOST = 500
"""How many things may be named by words at a time."""
LISTED_EACH = 30
"""How many picked things are listed one by one; of more, only the first are named, and one hidden value keeps all."""
CANDIDATES_AT_MOST = 10
UNCLEAR_AT_MOST = 5
"""For how many ambiguous texts the form offers the matches."""


class PickerWidget(forms.Widget):
    """Renders what is picked, the matches of ambiguous words, and a box for typing a name."""

    def __init__(self, kind: Pickable, *, many: bool) -> None:
        super().__init__()
        self.kind, self.many = kind, many
        self.organization_id: uuid.UUID | None = None
        self.chosen: list[Choice] = []
        self.unclear: list[tuple[str, list[Choice]]] = []
        self.left = ""  # words without a match

    def value_from_datadict(self, data: Any, files: Any, name: str) -> list[str]:
        """All values sent under the name."""
        found = data.getlist(name) if isinstance(data, MultiValueDict) else [data.get(name, "")]
        return [str(each) for each in found if each]

    def value_omitted_from_data(self, data: Any, files: Any, name: str) -> bool:
        """False, because a picker with nothing picked sends no value."""
        return False

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """The picker as the field left it."""
        listed = self.chosen if len(self.chosen) <= LISTED_EACH else []
        values = {
            "name": name,
            "identifier": (attrs or {}).get("id", f"id_{name}"),
            "described": (attrs or {}).get("aria-describedby", ""),
            "invalid": (attrs or {}).get("aria-invalid", ""),
            "kind": self.kind,
            "many": self.many,
            "chosen": listed,
            "kept": "\n".join(str(each.identifier) for each in self.chosen) if not listed and self.chosen else "",
            "number": len(self.chosen),
            "first": self.chosen[:LISTED_EACH],
            "unclear": self.unclear,
            "left": self.left,
            "address": self._address(),
        }
        return SafeString(render_to_string("console/acting/picker.html", values))

    def _address(self) -> str:
        assert self.organization_id is not None  # set by `begin`
        return reverse("console:pick", kwargs={"organization_id": self.organization_id, "kind": self.kind.name})


class Picked(forms.Field):
    """One thing of the company, picked by its name. Its value is the identifier."""

    many = False

    def __init__(self, kind: Pickable, **values: Any) -> None:
        self.kind = kind
        values.setdefault("error_messages", {})
        values["error_messages"].setdefault("required", kind.missing)
        super().__init__(widget=PickerWidget(kind, many=self.many), **values)

    def begin(self, organization_id: uuid.UUID, at: datetime, given: Any) -> None:
        """Sets the company, the moment, and the initial value `given` to the form.

        Only identifiers in it count: words in an address would leave names in the logs of proxies.
        """
        self.organization_id, self.at = organization_id, at
        self.widget.organization_id = organization_id
        wanted, _words = _read(_flat(given))
        if wanted:
            known = self.kind.named(organization_id, wanted, at)
            self.widget.chosen = [known[each] for each in wanted if each in known]
            self.widget.chosen = self.widget.chosen if self.many else self.widget.chosen[:1]

    def clean(self, value: Any) -> Any:
        """The identifier of what was picked, or a list of them. Sets the widget up for being rendered again."""
        wanted, words = _read(value or [])
        if len(wanted) > PICKED_AT_MOST or len(words) > NAMED_AT_MOST:
            raise forms.ValidationError(
                _("At most %(most)s at a time, and %(named)s by name.")
                % {"most": PICKED_AT_MOST, "named": NAMED_AT_MOST}
            )
        if words and not self.many:
            wanted, words = [], words[-1:]  # typed after something was picked, so it replaces that
        known = self.kind.named(self.organization_id, wanted, self.at) if wanted else {}
        self.widget.chosen = [known[each] for each in wanted if each in known]
        self.widget.unclear, lost = [], []
        if words:
            lost = self._resolve(words)
        self.widget.left = "; ".join(lost)
        problems = self._problems(len(wanted) - len(known), lost)
        if problems:
            raise forms.ValidationError(problems)
        picked = list(dict.fromkeys(each.identifier for each in self.widget.chosen))
        if self.many:
            if self.required and not picked:
                raise forms.ValidationError(self.error_messages["required"])
            return picked
        if len(picked) > 1:
            raise forms.ValidationError(_("Choose only one."))
        return super().clean(picked[0] if picked else None)

    def _resolve(self, words: list[str]) -> list[str]:
        """Picks the match of each text, keeps several matches as unclear, and returns the texts without a match."""
        lost: list[str] = []
        exactly = self.kind.called(self.organization_id, words, self.at)
        for text, found in zip(words, exactly, strict=True):
            if len(found) != 1 and len(self.widget.unclear) + len(lost) < UNCLEAR_AT_MOST:
                found = found or self.kind.find(self.organization_id, text.split(), CANDIDATES_AT_MOST, self.at)
            if len(found) == 1:
                self.widget.chosen += found
            elif found:
                self.widget.unclear.append((text, found))
            else:
                lost.append(text)
        return lost

    def _problems(self, unknown: int, lost: list[str]) -> list[str]:
        problems = []
        if unknown:
            problems.append(
                ngettext(
                    "One of those that were chosen is not here, or not any more. Choose again.",
                    "%(number)s of those that were chosen are not here, or not any more. Choose again.",
                    unknown,
                )
                % {"number": unknown}
            )
        for text, _found in self.widget.unclear:
            problems.append(_("“%(words)s” can mean several: choose one of them.") % {"words": text[:80]})
        if lost:
            some = ", ".join(f"“{text[:60]}”" for text in lost[:UNCLEAR_AT_MOST])
            problems.append(_("Nothing here is called %(words)s. Try a part of the name.") % {"words": some})
        return problems

    def offered(self) -> list[Choice]:
        """Everything that the form displays by name: what is picked, and the matches of ambiguous words."""
        return [*self.widget.chosen, *(each for _words, found in self.widget.unclear for each in found)]

    def sent(self, cleaned: Any) -> list[str]:
        """What was picked, as the form sends it again: identifiers, never words."""
        picked = cleaned if isinstance(cleaned, list) else [cleaned] if cleaned else []
        return ["\n".join(map(str, picked))] if picked else []


class PickedMany(Picked):
    """As `Picked`, but any number of things."""

    many = True


def _flat(given: Any) -> list[str]:
    many = given if isinstance(given, list | tuple | set) else [given]
    return [str(each) for each in many if each]


def _read(values: Iterable[str]) -> tuple[list[uuid.UUID], list[str]]:
    """The identifiers among the values, each once, and the other texts, split at lines, commas and semicolons."""
    wanted: dict[uuid.UUID, None] = {}
    words: dict[str, None] = {}
    for value in values:
        for piece in value.replace("\0", "").replace(";", "\n").replace(",", "\n").splitlines():
            parts = piece.split()
            if len(parts) > 1 and not all("@" in part or identifiers.read(part) for part in parts):
                parts = [" ".join(parts)]
            for part in parts:
                identifier = identifiers.read(part) if len(part) >= 32 else None
                if identifier is None:
                    words[part[:200]] = None
                else:
                    wanted[identifier] = None
    return list(wanted), list(words)
