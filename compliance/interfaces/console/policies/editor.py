"""The editor of a policy's text: it has the marks that a policy may hold and no others. Without script, a text area."""

from typing import Any

from django import forms
from django.forms.widgets import Script
from django.template.loader import render_to_string
from django.utils.safestring import SafeString


class EditorArea(forms.Textarea):
    """A text area whose text is edited as it will look, where the browser runs scripts."""

    def __init__(self) -> None:
        super().__init__(attrs={"rows": 16, "class": "wide-field editor-source"})

    @property
    def media(self) -> forms.Media:
        """The editor itself, and how it looks."""
        script: Any = Script("console/editor.js", defer=True)  # which the types of Django do not know yet
        return forms.Media(css={"all": ["console/policies.css"]}, js=[script])

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """The text area, with the tools that the script sets above it."""
        area = super().render(name, value, attrs, renderer)
        return SafeString(render_to_string("console/policies/editor.html", {"area": area}))
