"""The WSGI application, as a web process runs it: no statement of a page may take long."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Workers and commands have none. An empty variable counts as one that is not set, as for all settings.
os.environ["STATEMENT_TIMEOUT_MILLISECONDS"] = os.environ.get("STATEMENT_TIMEOUT_MILLISECONDS") or "30000"
django_application = get_wsgi_application()

from compliance.interfaces.operations.web import Counted, Guarded  # noqa: E402 - needs the settings

application = Counted(Guarded(django_application))
