"""The editor of a policy's text, limited to the markup that a policy may hold. Without scripts it is a text area."""

from typing import Any

from django import forms
from django.forms.widgets import Script
from django.template.loader import render_to_string
from django.utils.safestring import SafeString


class EditorArea(forms.Textarea):
    """A text area that becomes a visual editor where the browser runs scripts."""

    def __init__(self) -> None:
        super().__init__(attrs={"rows": 16, "class": "wide-field editor-source"})

    @property
    def media(self) -> forms.Media:
        """The editor's script and style sheet."""
        script: Any = Script("console/editor.js", defer=True)  # not in Django's type stubs yet
        return forms.Media(css={"all": ["console/policies.css"]}, js=[script])

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        """The text area, with the toolbar that the script places above it."""
        area = super().render(name, value, attrs, renderer)
        return SafeString(render_to_string("console/policies/editor.html", {"area": area}))
