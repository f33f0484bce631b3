"""The WSGI application, as a web process runs it: no statement of a page may take long."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("STATEMENT_TIMEOUT_MILLISECONDS", "30000")  # workers and commands have none
django_application = get_wsgi_application()

from compliance.interfaces.operations.web import Counted, Guarded  # noqa: E402 - needs the settings

application = Counted(Guarded(django_application))
