"""The WSGI application that granian serves."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django_application = get_wsgi_application()

from compliance.interfaces.operations.web import Counted, Guarded  # noqa: E402 - needs the settings

application = Counted(Guarded(django_application))
