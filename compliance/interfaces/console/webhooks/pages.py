"""The pages of this part."""

from django.utils.translation import gettext_lazy

from compliance.interfaces.console.page import ConsolePage, Section
from compliance.interfaces.console.permissions import Permission
from compliance.interfaces.console.webhooks import views

_SEE = Permission.SEE

PAGES: tuple[ConsolePage, ...] = (
    ConsolePage("webhooks", "webhooks/", views.webhooks, _SEE, gettext_lazy("Webhooks"), section=Section.SETTINGS),
    ConsolePage("webhook", "webhooks/<uuid:webhook_id>/", views.webhook, _SEE, gettext_lazy("Webhook")),
)
"""Acts on webhooks are in `acting/webhooks.py`; all staff of the company may see their states."""
