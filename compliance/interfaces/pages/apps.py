"""The Django app of this room."""

import logging

from django.apps import AppConfig


class PagesConfig(AppConfig):
    """Registers the room with Django."""

    name = "compliance.interfaces.pages"
    label = "pages"
    verbose_name = "Public pages"

    def ready(self) -> None:
        """Keeps check codes and personal links out of what Django logs of requests."""
        from compliance.interfaces.pages.private_paths import PrivatePathsFilter

        for name in ("django.request", "django.security.csrf", "django.server"):
            logging.getLogger(name).addFilter(PrivatePathsFilter())
